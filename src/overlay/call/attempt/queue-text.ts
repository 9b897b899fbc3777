import type { Place } from '../../concurrency/gate.ts';
import { ApiError } from '../../errors/errors.ts';
import { endingOf } from './outcome.ts';

/** Add a sentence to the message of an error, and to its stack, which repeats the message. */
export function addText<E extends Error>(error: E, text: string): E {
  const { message, stack } = error;
  error.message = `${message} ${text}`;
  if (stack) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** The error of an attempt. A refusal for too many calls gets advice with the limit that the gate of `place` has learned from it. */
export function refused<E>(error: E, place: Place | undefined): E | ApiError {
  return error instanceof ApiError && endingOf(error).outcome === 'refused' ? withAdvice(error, refusalText(error, place)) : error;
}

function refusalText({ attempts, waitedMs }: ApiError, place: Place | undefined): string {
  if (!place) return "Set concurrency: 'auto' in the Config to queue calls.";
  const { limit, model, waiting } = place.gate.state;
  const calls = `${limit} ${limit === 1 ? 'call' : 'calls'}`;
  const attempt = `this was attempt ${attempts}, after ${waitedMs} ms in the queue, with ${waiting} calls waiting`;
  return `The service takes about ${calls} of ${model} at once now; ${attempt}. Raise maxRetries, or use a batch.`;
}

/** The sentence for a failure that is not retried because the gate has no retries left. */
export const noRetries = 'Not retried: too many calls have failed, and the budget of retries for this model is used up. Try again later.';

/** The error of a waiting call, after another call has used up the quota. */
export function notSent(error: ApiError, operation: string, attempts: number, waitedMs: number): ApiError {
  return withAdvice(error, 'This call was not sent: another call got this error.', { operation, attempts, waitedMs });
}

function withAdvice(
  error: ApiError,
  text: string,
  { operation, attempts, waitedMs }: Pick<ApiError, 'operation' | 'attempts' | 'waitedMs'> = error,
): ApiError {
  return Object.assign(new ApiError({ ...error, operation, advice: `${error.advice} ${text}`.trimStart() }), { attempts, waitedMs });
}
