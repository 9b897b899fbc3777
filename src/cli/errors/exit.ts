// Exit codes, and the errors of the command line.
import { PlainError } from '../../store/error.ts';

export const exitCodes = {
  ok: 0,
  error: 1,
  usage: 2,
  auth: 3,
  notFound: 4,
  limit: 5,
  content: 6,
  network: 7,
  partial: 8,
  unjudged: 9,
  threshold: 10,
  interrupted: 130,
  terminated: 143,
} as const;

/** A failure of the command itself: bad input, a missing key, a broken file. */
export { PlainError as CliError };

/** Input that does not fit the command: exit code 2. `next` is a step that the message does not contain already. */
export function usageError(message: string, next?: string): PlainError {
  return new PlainError(message, exitCodes.usage, next);
}

/** A failure as it is shown. */
export interface Report {
  readonly exitCode: number;
  readonly message: string;
  readonly next: string | undefined;
  /** Facts of an error of the service or the library, for `--json`. */
  readonly details: Readonly<Record<string, unknown>>;
}
