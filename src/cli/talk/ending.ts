// How a printed answer ended: one judgment for every command that prints one.
import type { FinishError } from 'modelsvc';
import { exitCodes } from '../errors/exit.ts';
import type { Screen } from '../terminal/screen.ts';

/** True for an answer that was cut off at the token limit. */
export function isCut({ reason }: FinishError): boolean {
  return reason === 'length' || reason === 'max_tokens' || reason === 'max_output_tokens';
}

/** The exit code for the end of an answer. Throws for one that was withheld or broke off; its text is printed before. */
export function endCode(screen: Screen, problem: FinishError | undefined): number | undefined {
  if (!problem) return undefined;
  if (!isCut(problem)) throw problem;
  screen.warn('the answer was cut off at the token limit; raise --max-tokens');
  return exitCodes.error;
}
