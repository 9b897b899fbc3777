import type { FinishError, OutputError, TaskError, ToolLoopError } from './answer-errors.ts';
import {
  type AbortError,
  type ApiError,
  type ConfigError,
  type ConnectionError,
  type ErrorKind,
  errorBrand,
  type ModelsvcError,
  type QueueError,
  type StreamError,
  type TimeoutError,
  type ValidationError,
} from './errors.ts';
import { isObject } from './json-value.ts';

export function isModelsvcError(error: unknown): error is ModelsvcError {
  return isObject(error) && (error as Record<symbol, unknown>)[errorBrand] === true;
}

function isKind(error: unknown, ...kinds: ErrorKind[]): boolean {
  return isModelsvcError(error) && kinds.includes(error.kind);
}

export function isConfigError(error: unknown): error is ConfigError {
  return isKind(error, 'config');
}

export function isValidationError(error: unknown): error is ValidationError {
  return isKind(error, 'validation');
}

export function isAbortError(error: unknown): error is AbortError {
  return isKind(error, 'abort');
}

export function isQueueError(error: unknown): error is QueueError {
  return isKind(error, 'queue');
}

/** Also true for a TimeoutError. */
export function isConnectionError(error: unknown): error is ConnectionError {
  return isKind(error, 'connection', 'timeout');
}

export function isTimeoutError(error: unknown): error is TimeoutError {
  return isKind(error, 'timeout');
}

export function isApiError(error: unknown): error is ApiError {
  return isKind(error, 'api');
}

export function isStreamError(error: unknown): error is StreamError {
  return isKind(error, 'stream');
}

export function isFinishError(error: unknown): error is FinishError {
  return isKind(error, 'finish');
}

export function isTaskError(error: unknown): error is TaskError {
  return isKind(error, 'task');
}

export function isOutputError(error: unknown): error is OutputError {
  return isKind(error, 'output');
}

export function isToolLoopError(error: unknown): error is ToolLoopError {
  return isKind(error, 'tool-loop');
}

/** True for an error of any realm: a test runner or a sandbox may have its own class `Error`. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}
