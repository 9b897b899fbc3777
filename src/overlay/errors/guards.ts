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
  type QueueError,
  type ReplyError,
  type StreamError,
  type TimeoutError,
  type ValidationError,
} from './errors.ts';

/** The class of each `kind` of an error. */
export interface ErrorOfKind {
  /** The configuration is invalid. */
  readonly config: ConfigError;
  /** The request is invalid; it was not sent. */
  readonly validation: ValidationError;
  /** The caller aborted the call, also by a deadline of `AbortSignal.timeout`. */
  readonly abort: AbortError;
  /** The call got no place of `Config.concurrency`; it was not sent, or after a failed attempt not sent again. */
  readonly queue: QueueError;
  /** `Config.budget` is used up, or cannot price the call; it was not sent. */
  readonly budget: BudgetError;
  /** The connection failed before or during the response. */
  readonly connection: ConnectionError;
  /** A limit of the client passed: no connection or response in time, or a body without data. It is a ConnectionError too. */
  readonly timeout: TimeoutError;
  /** The service returned an error: `status`, `code` and `category` describe it. */
  readonly api: ApiError;
  /** A stream, or bytes, are truncated, malformed, too large or already read. */
  readonly stream: StreamError;
  /** A reply arrived whole and cannot be used: it lacks what was asked for, is not JSON, or is too large. */
  readonly reply: ReplyError;
  /** The answer is incomplete: a result of `finishError`. */
  readonly finish: FinishError;
  /** A job failed while the caller waited for it. */
  readonly task: TaskError;
  /** An answer does not match the requested structure. */
  readonly output: OutputError;
  /** The model still asked for tools after the last round of a tool loop. */
  readonly 'tool-loop': ToolLoopError;
}

/**
 * True for every error of this package, also of a second copy of it. Its `kind` narrows the type. With kinds, true for errors of these:
 * `isModelsvcError(error, 'connection', 'timeout')`.
 */
export function isModelsvcError<Kind extends ErrorKind = ErrorKind>(error: unknown, ...kinds: Kind[]): error is ErrorOfKind[Kind] {
  if (!isObject(error) || asked(() => (error as Record<symbol, unknown>)[errorBrand]) !== true) return false;
  return kinds.length === 0 || asked(() => kinds.includes((error as ErrorOfKind[Kind]).kind as Kind)) === true;
}

/** True if the service returned an error: `status`, `code` and `category` describe it. */
export function isApiError(error: unknown): error is ApiError {
  return isModelsvcError(error, 'api');
}

/** True for an error of any realm: a test runner or a sandbox may have its own class `Error`. */
export function isError(value: unknown): value is Error {
  return asked(() => value instanceof Error || Object.prototype.toString.call(value) === '[object Error]') === true;
}
