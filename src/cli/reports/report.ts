// Errors for people and programs: one line, the next step, and the exit code.
import { CliError, exitCodes, type Report } from '../errors/exit.ts';
import type { GlobalValues } from '../table/global-options.ts';
import type { Origins } from '../table/origin.ts';
import type { Io } from '../terminal/io.ts';
import { cleaned, escaped, painted, plain, wantsColor } from '../terminal/terminal.ts';
import { forScreen } from '../terminal/wrap.ts';

/**
 * The report of any error. `origins` finds the options of the command, which the report names. A message may quote a file, for instance the name of
 * a field. Texts that look like a key are replaced in each.
 */
export async function reportOf(error: unknown, origins?: Origins): Promise<Report> {
  const { isModelsvcError, withoutSecrets } = await import('modelsvc');
  if (isModelsvcError(error)) return (await import('./library-report.ts')).libraryReport(error, origins);
  const message = withoutSecrets(error instanceof Error ? error.message : String(error));
  if (error instanceof CliError) return { exitCode: error.exitCode, message, next: withoutSecrets(error.next), details: {} };
  return { exitCode: exitCodes.error, message, next: 'Run again with --debug.', details: {} };
}

export interface ReportForm {
  readonly isJson?: boolean;
  /** The value of `--color`. */
  readonly color: GlobalValues['color'];
}

/** Writes a report: two lines of text, or one of JSON. */
export function writeReport({ stderr, env }: Pick<Io, 'stderr' | 'env'>, report: Report, { isJson = false, color }: ReportForm): void {
  const paint = wantsColor({ when: color, env, isTTY: stderr.isTTY === true }) ? painted : plain;
  stderr.write(isJson ? jsonLine(stderr, report) : forScreen(textLines(report), stderr).replace(/^modelsvc:/, (name) => paint('red', name)));
}

function jsonLine({ isTTY }: NodeJS.WriteStream, { exitCode, message, next, details }: Report): string {
  const text = `${JSON.stringify({ error: { message, exit_code: exitCode, next, ...details } })}\n`;
  return isTTY ? escaped(text) : text;
}

function textLines({ message, next }: Report): string {
  return `modelsvc: ${cleaned(message).replace(/\s*\n\s*/g, ' ')}\n${next === undefined ? '' : `${cleaned(next)}\n`}`;
}
