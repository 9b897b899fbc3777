// The HTTP status that a page gets for an answer that failed before it began.
import type { FinishError } from '../errors/answer-errors.ts';
import { isOverload } from '../errors/backoff.ts';
import { isApiError, isModelsvcError } from '../errors/guards.ts';
import { asked, fieldsOf } from '../json/json-value.ts';

/** Status by cause. The guide of streaming has the same table. */
export const pageStatuses = {
  'rate limit': 429,
  'used-up quota': 429,
  'used-up budget': 429,
  'content check': 422,
  overload: 503,
  'no place in the queue': 503,
  timeout: 504,
  connection: 502,
  'failure of the service': 502,
  'broken stream': 502,
  'cut answer': 502,
  'failed answer': 503,
  'prompt too long': 422,
  'your server': 500,
  'page left': 499,
} as const;

export type PageCause = keyof typeof pageStatuses;

/** The cause of a failure, as a page may know it. A refused key, plan or request is a matter of the server, not of its page. */
export function pageCauseOf(error: unknown): PageCause {
  return asked(() => causeOf(error)) ?? 'your server';
}

function causeOf(error: unknown): PageCause {
  if (isAbort(error)) return isDeadline(error) ? 'timeout' : 'page left';
  if (isModelsvcError(error, 'budget')) return 'used-up budget';
  if (isModelsvcError(error, 'queue')) return 'no place in the queue';
  if (isModelsvcError(error, 'connection', 'timeout')) {
    if (error.phase === 'socket') return 'no place in the queue';
    return isModelsvcError(error, 'timeout') ? 'timeout' : 'connection';
  }
  if (isModelsvcError(error, 'stream')) return error.problem === 'used' ? 'your server' : 'broken stream';
  if (isModelsvcError(error, 'finish')) return causeOfEnding(error);
  if (isModelsvcError(error, 'reply')) return 'failure of the service';
  if (!isApiError(error)) return 'your server';
  if (error.status === 503 || isOverload(error)) return 'overload';
  switch (error.category) {
    case 'rate':
      return 'rate limit';
    case 'quota':
      return 'used-up quota';
    case 'content':
      return 'content check';
    case 'server':
      return 'failure of the service';
    default:
      return 'your server';
  }
}

/** An answer that ended early before its first text. */
function causeOfEnding({ category, reason }: FinishError): PageCause {
  if (category === 'content') return 'content check';
  if (reason === 'model_context_window_exceeded') return 'prompt too long';
  return category === 'parameter' || reason === 'no_answer' ? 'cut answer' : 'failed answer';
}

/** True for an abort, also of a stream that is not one of this package. */
function isAbort(error: unknown): boolean {
  return isModelsvcError(error, 'abort') || fieldsOf(error)['name'] === 'AbortError';
}

/** True for an abort by `AbortSignal.timeout`: a limit of the server, while its page waits. */
function isDeadline(error: unknown): boolean {
  return fieldsOf(fieldsOf(error)['cause'])['name'] === 'TimeoutError';
}

/** `Retry-After` in seconds, if the service named a time. */
export function retryAfterSeconds(error: unknown): string | undefined {
  const { retryAfter } = isApiError(error) ? error : {};
  return retryAfter === undefined ? undefined : String(Math.max(1, Math.ceil(retryAfter / 1000)));
}
