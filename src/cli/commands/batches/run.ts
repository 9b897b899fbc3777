import { createHash } from 'node:crypto';
import { type Batch, type BatchOutcome, type BatchResult, type Client, isTaskError, isValidationError, type ModelsvcError } from 'modelsvc';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { reportOf } from '../../reports/report.ts';
import { save, targetOf, targetWords } from '../../transfer/download.ts';
import { slowContext, waitFor } from '../../transfer/waiting.ts';
import { inputText, requestsIn } from './requests.ts';
import { isRunning, type RunState, runMark, StateFile } from './run-state.ts';
import { stateText } from './state-text.ts';

export const run: Handler = async (cli, input) => {
  const target = await targetOf(cli, input);
  if (target?.kind !== 'file') throw usageError('-O must be a file: the state is kept beside it', 'Pass a file name to -O.');
  const path = input.arg(0);
  const text = await inputText(cli, path);
  const requests = requestsIn(text, path === '-' ? 'stdin' : path);
  const client = await cli.client();
  const file = new StateFile(target.path, cli.isDryRun);
  const hash = createHash('sha256').update(text).digest('hex');
  const before = await file.read(hash);
  const id = before && (await createdBatch(cli, client, before));
  if (id !== undefined) cli.output.note(`continuing batch ${id}`);
  const state = before ?? (await file.start(hash));
  // A continued run keeps the mark of the batch, but this process now creates it.
  if (before && (id !== before.batch || id === undefined)) await file.write({ ...before, pid: process.pid, ...(id !== undefined && { batch: id }) });
  const resume = ['batches', 'run', path, ...targetWords(target)];
  // A retry after a lost reply would create a second batch. A second run finds the first one by its mark.
  const runner = id === undefined ? await cli.client({ maxRetries: 0 }) : client;
  const outcome = await waitFor<Batch, BatchOutcome>(cli, input, { resume, stateText }, (options) =>
    runner.batch().run(slowContext(cli), requests, {
      ...options,
      ...(id !== undefined && { resume: id }),
      metadata: { [runMark]: state.run },
      onCreated: async (created) => {
        await file.write({ ...state, batch: created });
        cli.output.note(`batch ${created}`);
      },
    }),
  ).catch(async (error: unknown) => {
    // Invalid requests have started no batch.
    if (isValidationError(error) && id === undefined) await file.remove();
    if (!isTaskError(error) || error.status === 'timeout') throw error;
    throw new CliError((await reportOf(error)).message, exitCodes.error, `Delete ${file.path} to start a new batch.`);
  });
  const { batch, results, unmatched, unreadable } = outcome;
  await save(cli, lines(results), 'results', target);
  await file.remove();
  if (unmatched.length + unreadable > 0) cli.output.warn(`${unmatched.length + unreadable} lines of the results belong to no request`);
  const failed = results.filter(({ error }) => error !== undefined).length;
  const summary = { path: target.path, total: results.length, failed, batch };
  await cli.output.result(summary, () => cli.output.clean(`${target.path}: ${results.length - failed} of ${results.length} requests succeeded`));
  return failed > 0 ? exitCodes.partial : undefined;
};

/** The batch of an earlier run: from its state, or found by its mark if the process ended while it was created. */
async function createdBatch(cli: Cli, client: Client, { batch, run, pid }: RunState): Promise<string | undefined> {
  if (batch !== undefined) return batch;
  if (pid !== process.pid && isRunning(pid)) throw new CliError(`process ${pid} is creating this batch`, exitCodes.error, 'Wait until it has ended.');
  for await (const one of client.batch().listAll(cli.ctx)) if (one.metadata?.[runMark] === run) return one.id;
  return undefined;
}

async function* lines(results: readonly BatchResult[]): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  for (const { custom_id, response, error } of results) {
    const line = error === undefined ? { custom_id, response } : { custom_id, error: await errorOf(error) };
    yield encoder.encode(`${JSON.stringify(line)}\n`);
  }
}

/** An error as `--json` prints it. */
async function errorOf(error: ModelsvcError): Promise<object> {
  const { message, details } = await reportOf(error);
  return { message, ...details };
}
