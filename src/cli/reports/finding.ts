import { reportOf } from './report.ts';

/** Result of a check. A `note` needs no action; a `problem` has a next step. */
export interface Finding {
  readonly check: 'node' | 'store' | 'key' | 'variables' | 'proxy' | 'network' | 'service' | 'clock' | 'quota' | 'tool';
  readonly status: 'ok' | 'note' | 'problem';
  readonly text: string;
  readonly next?: string;
}

/** An error as a problem, with its next step. */
export async function problemOf(check: Finding['check'], error: unknown): Promise<Finding> {
  const { message, next } = await reportOf(error);
  return { check, status: 'problem', text: message, next: next ?? 'Run the command with --debug.' };
}
