// One action on several things: a failure of one does not stop the others.
import type { Cli } from '../cli.ts';
import { exitCodes } from '../errors/exit.ts';
import { reportOf, writeReport } from './report.ts';

/**
 * Runs the action on each name. Reports failures on stderr. Returns the results; `code` is 8 if only some succeeded. Throws the last failure if none
 * did, for the report of the command.
 */
export async function each<T>(
  cli: Cli,
  names: readonly string[],
  act: (name: string) => Promise<T>,
): Promise<{ readonly done: readonly T[]; readonly code: number | undefined }> {
  const done: T[] = [];
  let failure: { readonly name: string; readonly error: unknown } | undefined;
  const printFailure = async (): Promise<void> => {
    if (!failure) return;
    const report = await reportOf(failure.error);
    const form = { isJson: cli.screen.format === 'json', color: cli.values.color };
    writeReport(cli.screen.io, { ...report, message: `${failure.name}: ${report.message}`, next: undefined }, form);
  };
  for (const name of names) {
    try {
      done.push(await act(name));
    } catch (error) {
      if (cli.signal.aborted) throw error;
      await printFailure();
      failure = { name, error };
    }
  }
  if (failure && done.length === 0) throw failure.error;
  await printFailure();
  return { done, code: failure ? exitCodes.partial : undefined };
}
