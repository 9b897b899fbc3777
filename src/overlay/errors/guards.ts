import { asked, isObject } from '../json/json-value.ts';
import type { FinishError, OutputError, TaskError, ToolLoopError } from './answer-errors.ts';
import type { BudgetError } from './budget-error.ts';
import {
  type AbortError,
  type ApiError,
  type ConfigError,
  type ConnectionError,
  type ErrorKind,
  errorBrand,
  type ModelsvcError,
  type QueueError,
  type ReplyError,
  type StreamError,
  type TimeoutError,
  type ValidationError,
} from './errors.ts';

/** True for every error of this package, also of a second copy of it. */
export function isModelsvcError(error: unknown): error is ModelsvcError {
  return isObject(error) && asked(() => (error as Record<symbol, unknown>)[errorBrand]) === true;
}

function isKind(error: unknown, ...kinds: ErrorKind[]): boolean {
  return isModelsvcError(error) && asked(() => kinds.includes(error.kind)) === true;
}

/** True if the configuration is invalid. */
export function isConfigError(error: unknown): error is ConfigError {
  return isKind(error, 'config');
}

/** True if the request is invalid; it was not sent. */
export function isValidationError(error: unknown): error is ValidationError {
  return isKind(error, 'validation');
}

/** True if the caller aborted the call, also by a deadline of `AbortSignal.timeout`. */
export function isAbortError(error: unknown): error is AbortError {
  return isKind(error, 'abort');
}

/** True if the call got no place of `Config.concurrency`; it was not sent, or after a failed attempt not sent again. */
export function isQueueError(error: unknown): error is QueueError {
  return isKind(error, 'queue');
}

/** True if `Config.budget` is used up, or cannot price the call; it was not sent. */
export function isBudgetError(error: unknown): error is BudgetError {
  return isKind(error, 'budget');
}

/** True if the connection failed before or during the response. Also true for a TimeoutError. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return isKind(error, 'connection', 'timeout');
}

/** True if a limit of the client passed: no connection or response in time, or a body without data. */
export function isTimeoutError(error: unknown): error is TimeoutError {
  return isKind(error, 'timeout');
}

/** True if the service returned an error: `status`, `code` and `category` describe it. */
export function isApiError(error: unknown): error is ApiError {
  return isKind(error, 'api');
}

/** True if a stream, or bytes, are truncated, malformed, too large or already read. */
export function isStreamError(error: unknown): error is StreamError {
  return isKind(error, 'stream');
}

/** True if a reply arrived whole and cannot be used: it lacks what was asked for, is not JSON, or is too large. */
export function isReplyError(error: unknown): error is ReplyError {
  return isKind(error, 'reply');
}

/** True for a result of `finishError`: the answer is incomplete. */
export function isFinishError(error: unknown): error is FinishError {
  return isKind(error, 'finish');
}

/** True if a job failed while the caller waited for it. */
export function isTaskError(error: unknown): error is TaskError {
  return isKind(error, 'task');
}

/** True if an answer does not match the requested structure. */
export function isOutputError(error: unknown): error is OutputError {
  return isKind(error, 'output');
}

/** True if the model still asked for tools after the last round of a tool loop. */
export function isToolLoopError(error: unknown): error is ToolLoopError {
  return isKind(error, 'tool-loop');
}

/** True for an error of any realm: a test runner or a sandbox may have its own class `Error`. */
export function isError(value: unknown): value is Error {
  return asked(() => value instanceof Error || Object.prototype.toString.call(value) === '[object Error]') === true;
}
