// Translates a failed attempt for its gate, and adds the advice of the gate to its error.
import type { Ending, Place } from '../../concurrency/gate.ts';
import { ApiError, ConnectionError, type ModelsvcError, TimeoutError } from '../../errors/errors.ts';
import { isModelsvcError } from '../../errors/guards.ts';
import { passFailedReply } from './raw-failure.ts';
import { isOverload } from './retry.ts';

/** How a failed attempt ended, for its gate. */
export function endingOf(error: unknown): Ending {
  if (error instanceof TimeoutError) return { outcome: error.phase === 'headers' ? 'overloaded' : 'other' };
  if (!(error instanceof ApiError)) return { outcome: 'other' };
  if (isOverload(error)) return { outcome: 'overloaded' };
  if (error.category === 'quota') return { outcome: 'exhausted', error };
  return error.category === 'rate' ? { outcome: 'refused', tooFast: error.code === '1303' } : { outcome: 'other' };
}

/** The error of an attempt. A refusal for too many calls gets advice with the limit that the gate of `place` has learned from it. */
export function refused<E>(error: E, place: Place | undefined): E | ApiError {
  return error instanceof ApiError && endingOf(error).outcome === 'refused'
    ? passFailedReply(error, withAdvice(error, refusalText(error, place)))
    : error;
}

function refusalText({ attempts, waitedMs }: ApiError, place: Place | undefined): string {
  if (!place) return "Set concurrency: 'auto' in the Config to queue calls.";
  const { limit, model, waiting } = place.gate.state;
  const calls = `${limit} ${limit === 1 ? 'call' : 'calls'}`;
  const attempt = `this was attempt ${attempts}, after ${waitedMs} ms in the queue, with ${waiting} calls waiting`;
  return `The service takes about ${calls} of ${model} at once now; ${attempt}. Raise maxRetries, or use a batch.`;
}

/** The error of a failure that is not retried because the gate has no retries left. */
export function notRetried(error: ModelsvcError): ModelsvcError {
  const text = 'Not retried: too many calls have failed, and the budget of retries for this model is used up. Try again later.';
  if (error instanceof ApiError) return passFailedReply(error, withAdvice(error, text));
  // Other errors are never retried.
  if (!(error instanceof ConnectionError)) return error;
  const { summary, seeCause, cause, attempts, requestId } = error;
  const facts = { ...error, advice: adviceOf(error, text), seeCause, cause };
  const copy = error instanceof TimeoutError ? new TimeoutError(summary, facts, error.timeoutMs) : new ConnectionError(summary, facts);
  return Object.assign(copy, { attempts, requestId });
}

/** The error of a waiting call, after another call has used up the quota. `last` is the error of its own attempt before. */
export function notSent(error: ApiError, last: ModelsvcError | undefined, operation: string, attempts: number, waitedMs: number): ApiError {
  const own = last && `was not sent again after its attempt ${attempts}, which failed (${last.summary})`;
  return withAdvice(error, `This call ${own ?? 'was not sent'}: another call got this error.`, { operation, attempts, waitedMs });
}

/** Keeps the failure of the attempt before on the error that ends the call. */
export function withPrevious(error: unknown, previous: ModelsvcError | undefined): void {
  if (previous && error !== previous && isModelsvcError(error)) Object.defineProperty(error, 'previous', { value: previous, configurable: true });
}

/** A new error, because a message is built once. */
function withAdvice(
  error: ApiError,
  text: string,
  { operation, attempts, waitedMs }: Pick<ApiError, 'operation' | 'attempts' | 'waitedMs'> = error,
): ApiError {
  return Object.assign(new ApiError({ ...error, operation, advice: adviceOf(error, text) }), { attempts, waitedMs });
}

function adviceOf({ advice }: ModelsvcError, text: string): string {
  return `${advice} ${text}`.trimStart();
}
