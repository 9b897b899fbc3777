/**
 * Every failure is one of these:
 *
 *     ModelsvcError
 *     ├─ ConfigError        the configuration is wrong; thrown by newClient
 *     ├─ ValidationError    the request is wrong; nothing was sent
 *     ├─ AbortError         the caller cancelled
 *     ├─ ConnectionError    no answer: refused, reset, DNS, TLS
 *     │  └─ TimeoutError    no answer in time, or a body that went silent
 *     ├─ ApiError           the service answered with a failure
 *     ├─ StreamError        a stream or body ended wrongly: cut off or malformed
 *     ├─ FinishError        an answer ended before it was whole; made by finishError, never thrown by the client
 *     ├─ TaskError          a job that was waited for ended in failure
 *     ├─ OutputError        structured output is not what was asked for; thrown by `parse` of a response format
 *     └─ ToolLoopError      the tool loop reached its limit
 *
 * The guards (`isApiError` …, in error-guards.ts) also know errors of a second copy of the package.
 */
import type { ErrorCategory } from '../../generated/codes.ts';
import type { Surface } from '../../generated/routes.ts';

/** On every error, shared by all copies of the package. */
export const errorBrand: symbol = Symbol.for('modelsvc.error');

export type ErrorKind = 'config' | 'validation' | 'abort' | 'connection' | 'timeout' | 'api' | 'stream' | 'finish' | 'task' | 'output' | 'tool-loop';

/** Base of all errors of this package. */
export class ModelsvcError extends Error {
  override readonly name: string = 'ModelsvcError';
  /** Which of the errors this is. */
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    Object.defineProperty(this, errorBrand, { value: true });
  }
}

/** The configuration is wrong. */
export class ConfigError extends ModelsvcError {
  override readonly name = 'ConfigError';

  constructor(message: string) {
    super('config', message);
  }
}

/** The request is wrong; nothing was sent. */
export class ValidationError extends ModelsvcError {
  override readonly name = 'ValidationError';
  /** The operation, for instance `chat.create`. */
  readonly operation: string;
  /** Where in the request, for instance `messages[0].content`; empty for the request itself. */
  readonly path: string;

  constructor(operation: string, path: string, problem: string) {
    super('validation', `${operation}: ${path === '' ? 'the request' : path} ${problem}`);
    this.operation = operation;
    this.path = path;
  }
}

/** The caller's signal aborted the call; `cause` is the signal's reason. */
export class AbortError extends ModelsvcError {
  override readonly name = 'AbortError';
  readonly operation: string;

  constructor(operation: string, reason: unknown) {
    super('abort', `${operation}: aborted by the caller`, reason);
    this.operation = operation;
  }
}

/** How far an exchange had come when it broke. */
export type Phase = 'connect' | 'tls' | 'request' | 'headers' | 'body';

/** What is known of a failed exchange. */
export interface ConnectionFailure {
  readonly operation: string;
  readonly phase: Phase;
  /** True when part of the reply had arrived. Default: false. */
  readonly replied?: boolean | undefined;
  /** The platform's code, for instance `ECONNREFUSED`. */
  readonly code?: string | undefined;
  readonly cause?: unknown;
}

/** The service did not answer: refused, reset, DNS, TLS, or cut off in the middle. Retried, see `maxRetries`. */
export class ConnectionError extends ModelsvcError {
  override readonly name: string = 'ConnectionError';
  readonly operation: string;
  readonly phase: Phase;
  readonly code: string | undefined;
  /** True when part of the reply had arrived before it broke: the service has done the work, and a call that bills is not sent again. */
  readonly replied: boolean;
  /** Attempts made, the first included. */
  attempts = 1;

  constructor(message: string, failure: ConnectionFailure, kind: ErrorKind = 'connection') {
    super(kind, message, failure.cause);
    this.operation = failure.operation;
    this.phase = failure.phase;
    this.code = failure.code;
    this.replied = failure.replied ?? false;
  }
}

/** The service did not answer in time, or a body that had begun went silent. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
  /** The bound that passed, in milliseconds. */
  readonly timeoutMs: number;

  constructor(message: string, failure: ConnectionFailure, timeoutMs: number) {
    super(message, failure, 'timeout');
    this.timeoutMs = timeoutMs;
  }
}

/** What the service said, whichever of its envelopes it used. */
export interface ApiFailure {
  readonly operation: string;
  readonly surface: Surface;
  /** HTTP status; 200 where the failure stood inside a successful reply or a stream. */
  readonly status: number;
  /** Business code as a string of digits, or the protocol's error type on the message surface. */
  readonly code: string | undefined;
  readonly category: ErrorCategory;
  /** The service's own text, with keys redacted and its length capped. */
  readonly serviceMessage: string;
  /** What to do next; may be empty. */
  readonly advice: string;
  /** True when the same call can succeed later without a change. */
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** Milliseconds the service asked to wait. */
  readonly retryAfter: number | undefined;
}

/** The service answered with a failure. */
export class ApiError extends ModelsvcError implements ApiFailure {
  override readonly name = 'ApiError';
  readonly operation: string;
  readonly surface: Surface;
  readonly status: number;
  readonly code: string | undefined;
  readonly category: ErrorCategory;
  readonly serviceMessage: string;
  readonly advice: string;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  /** Attempts made, the first included. */
  attempts = 1;

  constructor(failure: ApiFailure) {
    const facts = [`status ${failure.status}`, failure.code && `code ${failure.code}`, failure.requestId && `request ${failure.requestId}`];
    const said = failure.serviceMessage === '' ? 'the service answered with a failure' : failure.serviceMessage;
    super('api', `${failure.operation}: ${said} (${facts.filter(Boolean).join(', ')})${failure.advice === '' ? '' : ` ${failure.advice}`}`);
    this.operation = failure.operation;
    this.surface = failure.surface;
    this.status = failure.status;
    this.code = failure.code;
    this.category = failure.category;
    this.serviceMessage = failure.serviceMessage;
    this.advice = failure.advice;
    this.retryable = failure.retryable;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
  }
}

/** `truncated`: cut off before its end. `malformed`: not what the protocol allows. `too-large`: beyond a bound of the Config. `used`: read twice. */
export type StreamProblem = 'truncated' | 'malformed' | 'too-large' | 'used';

/** A stream or body ended wrongly. What was delivered before stands, but it is not a whole answer. */
export class StreamError extends ModelsvcError {
  override readonly name = 'StreamError';
  readonly operation: string;
  readonly problem: StreamProblem;
  readonly requestId: string | undefined;

  constructor(operation: string, problem: StreamProblem, text: string, requestId?: string) {
    super('stream', `${operation}: ${text}`);
    this.operation = operation;
    this.problem = problem;
    this.requestId = requestId;
  }
}

/** An answer ended before it was whole: cut, withheld or broken. Made by `finishError`. */
export class FinishError extends ModelsvcError {
  override readonly name = 'FinishError';
  /** The finish reason (chat) or stop reason (messages). */
  readonly reason: string;
  readonly category: ErrorCategory;
  /** True when the same request may succeed. */
  readonly retryable: boolean;

  constructor(reason: string, category: ErrorCategory, retryable: boolean, text: string) {
    super('finish', `finish reason ${reason}: ${text}`);
    this.reason = reason;
    this.category = category;
    this.retryable = retryable;
  }
}

/** A job that was waited for ended in failure. */
export class TaskError extends ModelsvcError {
  override readonly name = 'TaskError';
  readonly operation: string;
  readonly id: string;
  /** The service's word for the state, for instance `FAIL`. */
  readonly status: string;
  /** The last reply, as it came. Not enumerable, so that logging the error does not log content. */
  declare readonly result: unknown;

  constructor(operation: string, id: string, status: string, result: unknown, text: string = `task ${id} ended with status ${status}`) {
    super('task', `${operation}: ${text}`);
    this.operation = operation;
    this.id = id;
    this.status = status;
    Object.defineProperty(this, 'result', { value: result, enumerable: false });
  }
}

/** `unfinished`: the answer was cut or withheld. `malformed`: it is not JSON. `invalid`: it does not fit the schema. */
export type OutputProblem = 'unfinished' | 'malformed' | 'invalid';

/** The answer of a model is not the structured output that was asked for. Its message quotes nothing of the answer. */
export class OutputError extends ModelsvcError {
  override readonly name = 'OutputError';
  readonly problem: OutputProblem;
  /** What the schema found wrong; empty for the other problems. Not enumerable: libraries quote values in their words. */
  declare readonly issues: readonly { readonly path: string; readonly message: string }[];
  /** The answer as it came. Not enumerable. */
  declare readonly text: string;

  constructor(problem: OutputProblem, words: string, text: string, issues: OutputError['issues'] = [], cause?: unknown) {
    super('output', `structured output: ${words}`, cause);
    this.problem = problem;
    Object.defineProperties(this, { issues: { value: issues, enumerable: false }, text: { value: text, enumerable: false } });
  }
}

/** The tool loop made all the model calls it may, and the model still asks for tools. Those last calls were not run. */
export class ToolLoopError extends ModelsvcError {
  override readonly name = 'ToolLoopError';
  readonly operation: string;
  /** Model calls made. */
  readonly rounds: number;
  /** The last response, with the calls that were not run. Not enumerable, like the next two: logging the error logs no content. */
  declare readonly lastResponse: unknown;
  /** The conversation so far; it ends with the assistant message whose calls have no results yet. */
  declare readonly transcript: readonly unknown[];
  /** Usage of all the calls, summed. */
  declare readonly usage: unknown;

  constructor(
    operation: string,
    rounds: number,
    run: { readonly lastResponse: unknown; readonly transcript: readonly unknown[]; readonly usage: unknown },
  ) {
    super(
      'tool-loop',
      `${operation}: the model still asks for tools after ${rounds} ${rounds === 1 ? 'round' : 'rounds'}; the last calls were not run`,
    );
    this.operation = operation;
    this.rounds = rounds;
    for (const field of ['lastResponse', 'transcript', 'usage'] as const)
      Object.defineProperty(this, field, { value: run[field], enumerable: false });
  }
}
