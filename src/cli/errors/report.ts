// Errors for people and programs: one line, the next step, and the exit code.

import type { Input } from '../input/input.ts';
import { cleaned, escaped } from '../terminal/terminal.ts';
import { CliError, exitCodes } from './exit.ts';

/** A failure as it is shown. */
export interface Report {
  readonly exitCode: number;
  readonly message: string;
  readonly next: string | undefined;
  /** Facts of an error of the service or the library, for `--json`. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** `input` is that of the command, whose options the report names. */
export async function reportOf(error: unknown, input?: Pick<Input, 'originOf'>): Promise<Report> {
  if (error instanceof CliError) return { exitCode: error.exitCode, message: error.message, next: error.next, details: {} };
  // The library is loaded already if it threw the error.
  const { isModelsvcError } = await import('modelsvc');
  if (isModelsvcError(error)) return (await import('./library-report.ts')).libraryReport(error, input?.originOf);
  const text = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.error, message: text, next: 'Run again with --debug.', details: {} };
}

/** Writes a report: two lines of text, or one of JSON. */
export function writeReport(stderr: NodeJS.WriteStream, report: Report, isJson: boolean): void {
  stderr.write(isJson ? jsonLine(stderr, report) : textLines(report));
}

function jsonLine({ isTTY }: NodeJS.WriteStream, { exitCode, message, next, details }: Report): string {
  const text = `${JSON.stringify({ error: { message, exit_code: exitCode, next, ...details } })}\n`;
  return isTTY ? escaped(text) : text;
}

function textLines({ message, next }: Report): string {
  return `modelsvc: ${cleaned(message).replace(/\s*\n\s*/g, ' ')}\n${next === undefined ? '' : `${cleaned(next)}\n`}`;
}
