// Batches that have ended before all of their results are in the files.
import { type BatchOutcome, batchCounts, isStreamError, isTaskError } from 'modelsvc';
import { CliError, exitCodes } from '../errors/exit.ts';

/** True for the error of a row, or of a batch, whose results are not in the files. */
function isShort(error: unknown): boolean {
  return isStreamError(error) && error.operation === 'batch.run' && error.problem === 'truncated';
}

/** The failure of a batch without all of its results; undefined for another error. */
export function incompleteOf(id: string, error: unknown): CliError | undefined {
  if (error instanceof CliError) return error;
  return isShort(error) ? incomplete(id) : undefined;
}

/** Throws if the files have fewer lines than requests are done. Such rows are billed, so that a second batch must not ask them. */
export function checkLines(id: string, { batch, results, unmatched, unreadable }: BatchOutcome): void {
  const { completed = 0, failed = 0 } = batchCounts(batch);
  const lost = results.filter(({ error }) => isShort(error) || isTaskError(error)).length;
  const lines = results.length - lost + unmatched.length + unreadable;
  if (lost > 0 && lines < Math.min(completed + failed, results.length)) throw incomplete(id, lines, completed + failed);
}

function incomplete(id: string, lines?: number, done?: number): CliError {
  const found = lines === undefined ? 'its results are not there yet' : `its files have the results of ${lines} of ${done} requests that are done`;
  return new CliError(
    `batch ${id} has ended, and ${found}`,
    exitCodes.error,
    `Run the same command again later: it creates no second batch. To see what is there, run \`modelsvc batches results ${id}\`.`,
  );
}
