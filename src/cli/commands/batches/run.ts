// `batches run`: the requests of a file as one batch, and a result for each.
import { type Batch, type BatchOutcome, type BatchResult, isModelsvcError } from 'modelsvc';
import { realTarget } from '../../../store/file.ts';
import { outputLock } from '../../../store/output.ts';
import { BatchStateFile } from '../../bulk/batch-state.ts';
import { linesFrom } from '../../bulk/source.ts';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { reportOf } from '../../reports/report.ts';
import { type Destination, save, targetOf, targetWords } from '../../transfer/download.ts';
import { slowContext, waitFor } from '../../transfer/waiting.ts';
import { markOf } from './mark.ts';
import { requestsIn } from './requests.ts';
import { type BatchJob, batchOf } from './start.ts';
import { stateText } from './state-text.ts';

export const run: Handler = async (cli, input) => {
  const place = input.arg(0);
  const { target, state } = await placeOf(cli, input);
  if (input.flag('no-wait') && input.text('resume') !== undefined) throw usageError('--no-wait and --resume exclude each other');
  const client = await cli.make.client();
  const source = await linesFrom(cli.screen, place, 'there are no requests on stdin');
  const requests = await requestsIn(source, client.batch().maxRequests);
  const words = (id: string): readonly string[] => ['batches', 'run', place, ...targetWords(target), '--resume', id];
  // A dry run changes no file. Another run may end before this one has the lock.
  const lock = cli.isDryRun ? undefined : await outputLock(await realTarget(target.path), target.path, cli.signal);
  const job = { client, requests, mark: markOf(requests), state, words, check: () => lock?.check() };
  try {
    await placeOf(cli, input);
    const id = await batchOf(cli, input, job);
    if (!input.flag('no-wait')) return await storeResults(cli, input, job, target, id);
    await cli.screen.result({ id, resume: words(id) }, () => cli.screen.clean(id));
  } catch (error) {
    if (!isModelsvcError(error, 'validation')) throw error;
    const isWhole = error.path === 'requests';
    const cure = isWhole ? 'Cut the file with `split -l`, and run a command for each part.' : 'Fix the request and run the same command again.';
    throw usageError(`${place}: ${error.path} ${error.problem}`, cure);
  } finally {
    lock?.release();
  }
};

async function placeOf(cli: Cli, input: Input): Promise<{ readonly target: Destination; readonly state: BatchStateFile }> {
  const out = input.text('out') ?? '';
  const state = await BatchStateFile.beside(out, cli.isDryRun);
  if (!input.flag('force')) await state.refuseStored();
  const target = await targetOf(cli, input);
  if (target?.kind !== 'file') throw usageError('-O must be a file: the id of the batch is kept next to it', 'Pass a file name to -O.');
  return { target, state };
}

/** Waits for the batch and stores its results. */
async function storeResults(
  cli: Cli,
  input: Input,
  { client, requests, state, check, words }: BatchJob,
  target: Destination,
  id: string,
): Promise<number | undefined> {
  const outcome = await waitFor<Batch, BatchOutcome>(cli, input, { resume: words(id), stateText }, (wait) =>
    client.batch().run(slowContext(cli), requests, { ...wait, resume: id }),
  ).catch(async (error: unknown) => {
    // None of its requests ran: the same command starts another.
    if (isModelsvcError(error, 'task') && error.status === 'failed') await state.remove();
    throw error;
  });
  const { batch, results, unmatched, unreadable } = outcome;
  const strangers = unmatched.length + unreadable;
  if (strangers > 0) cli.screen.warn(`${strangers} lines of the results of ${batch.id} belong to no request`);
  check();
  const path = await save(cli, linesOf(results), 'results.jsonl', target);
  await state.remove();
  const failed = results.filter(({ error }) => error !== undefined).length;
  const summary = { path, total: results.length, failed, batch };
  await cli.screen.result(summary, () => cli.screen.clean(`${path}: ${results.length - failed} of ${results.length} requests succeeded`));
  return failed > 0 ? exitCodes.partial : undefined;
}

/** A result a line, with a response or an error. */
async function* linesOf(results: readonly BatchResult[]): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for (const { custom_id, response, error } of results) {
    const { message, details } = error ? await reportOf(error) : { message: '', details: {} };
    yield encoder.encode(`${JSON.stringify(error ? { custom_id, error: { message, ...details } } : { custom_id, response })}\n`);
  }
}
