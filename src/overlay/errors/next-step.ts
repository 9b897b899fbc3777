/** The end of a message after a call that the service broke: whether it may be billed, and what to do next. */
import type { Billed } from './message.ts';

/** `truncated`: cut off before its end. `malformed`: violates the protocol. `too-large`: exceeds a limit of the Config. `used`: read twice. */
export type StreamProblem = 'truncated' | 'malformed' | 'too-large' | 'used';

const steps: Readonly<Record<StreamProblem, string>> = {
  truncated: 'repeat the call for a complete answer',
  malformed: 'repeat the call for a complete answer',
  'too-large': 'request a shorter answer',
  used: 'call the method again for another stream',
};

/** After a reply that cannot be used. `step`, a clause in the imperative, replaces the problem's. */
export function brokenAdvice(problem: StreamProblem, billed: Billed, step: string = steps[problem]): string {
  return billed === 'no' || problem === 'used' ? `${capitalized(step)}.` : `${billText(billed)}; ${step}.`;
}

/** After the last attempt of a call; empty if none may be billed. Attempts before the last one may be what is billed. */
export function attemptsAdvice(billed: Billed, attempts: number, isLost: boolean): string {
  if (billed === 'no') return '';
  const [bill, step] =
    attempts === 1
      ? [billText(billed), 'repeat it only if a second bill is acceptable']
      : [`One or more of the ${attempts} attempts may be billed`, 'set maxRetries: 0 to rule out a second bill'];
  return isLost ? `${bill}; ${step}.` : `${bill}.`;
}

function billText(billed: Billed): string {
  return `The call ${billed === 'yes' ? 'is' : 'may be'} billed`;
}

export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
