// Translates a failed attempt for its gate, and gives the advice of the gate.
import type { Ending, Place } from '../../concurrency/gate.ts';
import { isOverload } from '../../errors/backoff.ts';
import type { ApiError, ApiFailure, ModelsvcError } from '../../errors/errors.ts';
import { Disconnected, errorOf, RefusedAttempt } from './failure.ts';

/** How a failed attempt ended, for its gate. */
export function endingOf(failure: unknown): Ending {
  if (failure instanceof Disconnected) {
    const isLate = failure.timeoutMs !== undefined && failure.facts.phase === 'headers';
    return { outcome: isLate ? 'overloaded' : 'other', isLate };
  }
  if (!(failure instanceof RefusedAttempt)) return { outcome: 'other' };
  const { facts } = failure;
  if (isOverload(facts)) return { outcome: 'overloaded' };
  if (facts.category === 'quota') return { outcome: 'exhausted', refusal: facts };
  return facts.category === 'rate' ? { outcome: 'refused', tooFast: facts.code === '1303' } : { outcome: 'other' };
}

/** Advice for a refusal for too many calls, with the limit that the gate of `place` has learned from it. Empty for other failures. */
export function gateAdvice(failure: unknown, place: Place | undefined, attempts: number, waitedMs: number): string {
  if (endingOf(failure).outcome !== 'refused') return '';
  if (!place) return "Set concurrency: 'auto' in the Config to queue calls.";
  const { limit, model, waiting } = place.gate.state;
  const calls = `${limit} ${limit === 1 ? 'call' : 'calls'}`;
  const attempt = `this was attempt ${attempts}, after ${waitedMs} ms in the queue, with ${waiting} calls waiting`;
  return `The service takes about ${calls} of ${model} at once now; ${attempt}. Raise maxRetries, or use a batch.`;
}

/** Advice for a failure that is not retried because the gate has no retries left. */
export const noRetriesLeft = 'Not retried: too many calls have failed, and the budget of retries for this model is used up. Try again later.';

/** The error of a waiting call, after another call has used up the quota. `last` is the error of its own attempt before. */
export function notSent(
  facts: ApiFailure,
  last: ModelsvcError | undefined,
  { operation, attempts, waitedMs }: Pick<ApiError, 'operation' | 'attempts' | 'waitedMs'>,
): ModelsvcError {
  const own = last && `was not sent again after its attempt ${attempts}, which failed (${last.summary})`;
  const words = `This call ${own ?? 'was not sent'}: another call got this error.`;
  return errorOf(new RefusedAttempt({ ...facts, operation }), { attempts, waitedMs, billed: 'no', requestId: undefined }, words, []);
}
