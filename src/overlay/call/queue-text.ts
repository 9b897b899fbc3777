import type { Place } from '../concurrency/gate.ts';
import { ApiError, ConnectionError, type ModelsvcError, TimeoutError } from '../errors/errors.ts';

/** An error with more advice: a new one, because its message is built once. Errors that are never retried stay as they are. */
export function addText(error: ApiError, text: string): ApiError;
export function addText(error: ModelsvcError, text: string): ModelsvcError;
export function addText(error: ModelsvcError, text: string): ModelsvcError {
  const advice = `${error.advice} ${text}`.trimStart();
  if (error instanceof ApiError) return Object.assign(new ApiError({ ...error, advice }), { attempts: error.attempts, waitedMs: error.waitedMs });
  if (!(error instanceof ConnectionError)) return error;
  const { summary, seeCause, cause, attempts, requestId } = error;
  const facts = { ...error, advice, seeCause, cause };
  const copy = error instanceof TimeoutError ? new TimeoutError(summary, facts, error.timeoutMs) : new ConnectionError(summary, facts);
  return Object.assign(copy, { attempts, requestId });
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
