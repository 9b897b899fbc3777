import type { Place } from '../concurrency/gate.ts';
import { ApiError } from '../errors/errors.ts';

/** Add a sentence to an error. Its stack repeats the message. */
export function addText<E extends Error>(error: E, text: string): E {
  const { message, stack } = error;
  error.message = `${message} ${text}`;
  if (stack) error.stack = stack.replace(message, () => error.message);
  return error;
}

/** The sentence for a refusal, after its gate has learned from it. */
export function refusalText(place: Place | undefined, { attempts, waitedMs }: { readonly attempts: number; readonly waitedMs: number }): string {
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
  const copy = new ApiError({ ...error, operation, advice: `${error.advice} This call was not sent: another call got this error.`.trimStart() });
  copy.attempts = attempts;
  copy.waitedMs = waitedMs;
  return copy;
}
