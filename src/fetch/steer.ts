// Turns an error into a Response. Clients decide by its status whether to send the request again.
import type { ErrorCategory } from '../generated/codes.ts';
import type { ServiceRoot } from '../generated/routes.ts';
import { isDelivered } from '../overlay/call/attempt/retry.ts';
import type { ApiError, ModelsvcError } from '../overlay/errors/errors.ts';
import { businessCode } from '../overlay/errors/failure.ts';
import { isApiError, isModelsvcError } from '../overlay/errors/guards.ts';
import { setRequestId } from './response.ts';

/** The request that failed. */
export interface Failed {
  readonly surface: ServiceRoot;
  readonly bills: boolean;
  readonly steersClient: boolean;
}

interface Verdict {
  readonly status: number;
  readonly retry: boolean;
  /** The status that describes the failure best. */
  readonly original: number;
}

/** Clients ignore a longer wait and retry after their own short one. */
const maxRetryAfterMs = 60_000;
/** Wait after a 429 for which the service gives none. LangChain does not retry a 429 without a wait. */
const defaultWaitMs = 1000;

/** The Response for an error. Throws the error of a connection that failed before the request was performed, as fetch does. */
export function failedResponse(error: ModelsvcError, failed: Failed): Response {
  if (isApiError(error)) return errorResponse(error, apiVerdict(error), failed);
  const isTimeout = error.kind === 'timeout';
  if (isModelsvcError(error, 'connection', 'timeout') && error.phase !== 'socket' && !(failed.bills && isDelivered(error, isTimeout))) throw error;
  // Status 400, because LangChain and the AI SDK would retry a 5xx. A call that the queue refused would only wait in the same queue again.
  // In the other cases the service has performed, or may still perform, a billed request.
  const original = error.kind === 'validation' ? 400 : error.kind === 'queue' ? 429 : isTimeout ? 504 : 502;
  return errorResponse(error, { status: 400, retry: false, original }, failed);
}

function apiVerdict(error: ApiError): Verdict {
  const { status, code, category, retryAfter = 0 } = error;
  // A reply with status 200 that names no code may be the billed answer in a wrong form.
  const retry = error.retryable && retryAfter <= maxRetryAfterMs && (status >= 400 || code !== undefined);
  if (retry)
    return { status: status === 429 || (status >= 500 && status <= 599) ? status : category === 'rate' ? 429 : 503, retry, original: status };
  return { status: isFinal(status) ? status : finalStatuses[category], retry, original: status };
}

/** True for the statuses that none of the clients retries. */
function isFinal(status: number): boolean {
  return (status >= 400 && status <= 407) || status === 413;
}

const finalStatuses: Readonly<Record<ErrorCategory, number>> = {
  auth: 401,
  account: 403,
  permission: 403,
  billing: 402,
  quota: 402,
  rate: 402,
  parameter: 400,
  content: 400,
  server: 400,
};

function errorResponse(error: ModelsvcError, { status, retry, original }: Verdict, { surface, steersClient }: Failed): Response {
  const headers = new Headers({ 'content-type': 'application/json', 'x-should-retry': String(retry && steersClient) });
  const { requestId, retryAfter = retry && status === 429 ? ownWaitMs(error as Partial<ApiError>) : undefined } = error as Partial<ApiError>;
  setRequestId(headers, requestId);
  headers.set('x-modelsvc-status', String(original));
  if (retryAfter !== undefined) {
    headers.set('retry-after-ms', String(Math.ceil(retryAfter)));
    headers.set('retry-after', String(Math.ceil(retryAfter / 1000)));
  }
  return new Response(JSON.stringify(bodyOf(error, typeOf(status === 400 ? original : status), surface)), { status, headers });
}

/** The wait is longer for an overloaded model than for a rate limit, and random, so that callers do not retry at the same time. */
function ownWaitMs({ code }: { readonly code?: string | undefined }): number {
  const { backoff = 1 } = businessCode(code) ?? {};
  return defaultWaitMs * backoff * (1 + Math.random() / 4);
}

function bodyOf(error: ModelsvcError, type: string, surface: ServiceRoot): object {
  const { message } = error;
  const { code = error.kind, requestId, param = null } = error as Partial<ApiError>;
  return surface === 'messages'
    ? { type: 'error', error: { type, message, details: { error_code: code } }, request_id: requestId ?? null }
    : { error: { message, type, code, param } };
}

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

function typeOf(status: number): string {
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}
