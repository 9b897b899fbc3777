// Decides once, where an attempt ends, whether it is billed.
import { isKnownCode } from '../../errors/failure.ts';
import type { Fate } from '../door.ts';
import type { Call } from '../request/call.ts';
import { type Failure, RefusedAttempt } from './failure.ts';

/**
 * The fate of an attempt that failed before its caller reads the answer. `isSent`: its request may have left this machine. `hasBegun`: an item of
 * its answer has arrived.
 */
export function fateOf(failure: Failure, { charges }: Pick<Call, 'charges'>, isSent: boolean, hasBegun: boolean = false): Fate {
  const isRefused = !hasBegun && failure instanceof RefusedAttempt && isRefusal(failure);
  return { failure, billed: charges && isSent && !isRefused ? 'maybe' : 'no' };
}

/** True if the model has not worked: by the status, or by the code inside of a success. A success that cannot be read may be an answer. */
function isRefusal({ facts, partial, usage }: RefusedAttempt): boolean {
  if (facts.status < 200 || facts.status > 299) return true;
  return isKnownCode(facts.code) && partial === undefined && (usage ?? undefined) === undefined;
}
