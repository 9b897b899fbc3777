// `batches run`: the requests of a file as one batch, and a result for each.
import {
  type Batch,
  type BatchOutcome,
  type BatchRequest,
  type BatchResult,
  type Client,
  isApiError,
  isModelsvcError,
  isTaskError,
  isValidationError,
} from 'modelsvc';
import { realTarget } from '../../../store/file.ts';
import { outputLock } from '../../../store/output.ts';
import { BatchStateFile } from '../../bulk/batch-state.ts';
import { linesFrom } from '../../bulk/source.ts';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { reportOf } from '../../reports/report.ts';
import { type Destination, save, targetOf, targetWords } from '../../transfer/download.ts';
import { resumeNote, slowContext, waitFor } from '../../transfer/waiting.ts';
import { batchesOf, type Mark, markOf } from './mark.ts';
import { requestsIn } from './requests.ts';
import { stateText } from './state-text.ts';

/** A run, for each of its steps. */
interface BatchJob {
  readonly client: Client;
  readonly requests: readonly BatchRequest[];
  readonly mark: Mark;
  readonly target: Destination;
  readonly state: BatchStateFile;
  /** Throws if another process has taken over the file of `-O`. */
  readonly check: () => void;
  /** The words of the command that continues a batch. */
  readonly words: (id: string) => readonly string[];
}

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
  const job = { client, requests, mark: markOf(requests), target, state, words, check: () => lock?.check() };
  try {
    await placeOf(cli, input);
    const id = await batchOf(cli, input, job);
    if (!input.flag('no-wait')) return await storeResults(cli, input, job, id);
    await cli.screen.result({ id, resume: words(id) }, () => cli.screen.clean(id));
  } catch (error) {
    if (!isValidationError(error)) throw error;
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
  if (target?.kind !== 'file') throw usageError('-O must be a file: the id of the batch is kept beside it', 'Pass a file name to -O.');
  return { target, state };
}

/** The id of the batch: of `--resume`, of the state, or of a new batch. */
async function batchOf(cli: Cli, input: Input, { client, requests, mark, state, check, words }: BatchJob): Promise<string> {
  const resume = input.text('resume');
  const known = await state.of(mark.rows, resume);
  const id = resume ?? known?.batch;
  const facts = { rows: mark.rows, input: mark.input };
  if (id !== undefined) {
    if (known && known.batch === undefined) await state.write({ ...facts, batch: id }, check);
    cli.screen.note(`continuing batch ${id}${known ? ` of ${state.path}` : ''}`);
    return id;
  }
  if (known) await refuseSecond(cli, client, known, state, words);
  await confirmModels(cli, client, requests);
  const { metadata } = mark;
  const fields = {
    metadata: { ...Object.fromEntries(input.pairs('metadata')), ...metadata },
    ...(input.flag('keep-input') && { auto_delete_input_file: false }),
  };
  await state.write(facts, check);
  const again = 'There may be a batch. Run the same command again: it looks for one before it creates another.';
  setWay(cli, again);
  let batch: Batch;
  try {
    batch = await client.batch().start(slowContext(cli), requests, { ...fields, filename: mark.input, createOnce: true });
  } catch (error) {
    if (!isUncreated(error)) throw error instanceof Error ? cli.run.keeping(error) : error;
    setWay(cli, undefined);
    await state.remove();
    throw error;
  }
  setWay(cli, resumeNote(cli, words(batch.id)));
  cli.screen.note(`batch ${batch.id}`);
  await state.write({ ...facts, batch: batch.id }, check).catch((error: Error) => {
    throw cli.run.keeping(error);
  });
  return batch.id;
}

/** How to continue, for Ctrl-C and for errors that leave a batch. */
function setWay(cli: Cli, way: string | undefined): void {
  cli.run.interruptNote = way;
  cli.run.freeWay = way;
}

/** A run was killed before it had the reply to its creation. Throws if the service has the batch. */
async function refuseSecond(
  cli: Cli,
  client: Client,
  known: Pick<Mark, 'rows' | 'input'>,
  state: BatchStateFile,
  words: BatchJob['words'],
): Promise<void> {
  const found = await batchesOf(cli, client, known);
  const [first] = found;
  if (!first) return;
  const texts = found.map((batch) => `${batch.id} (${stateText(batch)})`);
  throw new CliError(
    `a batch of these rows exists: ${texts.join(', ')}`,
    exitCodes.error,
    `${resumeNote(cli, words(first.id))}\nTo start another, which is billed too, delete ${state.path} first.`,
  );
}

/** True for a failure after which the service has no batch: of the upload, or a refusal. */
function isUncreated(error: unknown): boolean {
  if (isValidationError(error) || (isModelsvcError(error) && 'operation' in error && error.operation === 'files.upload')) return true;
  return isApiError(error) && error.status >= 400 && error.status < 500;
}

async function confirmModels(cli: Cli, client: Client, requests: readonly BatchRequest[]): Promise<void> {
  const others = [...new Set(requests.map(({ body }) => body.model))].filter((model) => client.models().isOutsideBatches(model));
  if (others.length > 0) await cli.screen.confirm(`The vendor's list of models for batches lacks ${others.join(', ')}. Send the requests?`);
}

/** Waits for the batch and stores its results. */
async function storeResults(
  cli: Cli,
  input: Input,
  { client, requests, target, state, check, words }: BatchJob,
  id: string,
): Promise<number | undefined> {
  const outcome = await waitFor<Batch, BatchOutcome>(cli, input, { resume: words(id), stateText }, (wait) =>
    client.batch().run(slowContext(cli), requests, { ...wait, resume: id }),
  ).catch(async (error: unknown) => {
    // None of its requests ran: the same command starts another.
    if (isTaskError(error) && error.status === 'failed') await state.remove();
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
