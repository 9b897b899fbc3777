/**
 * The error classes. Calls fail with one of these. The last four, about an answer that arrived, are in answer-errors.ts:
 *
 *     ModelsvcError
 *     ├─ ConfigError        the configuration is invalid; thrown by newClient
 *     ├─ ValidationError    the request is invalid and was not sent
 *     ├─ AbortError         the caller canceled the call
 *     ├─ QueueError         the call got no place of `Config.concurrency`
 *     ├─ ConnectionError    the connection failed: refused, DNS, TLS, or broken before the response was complete
 *     │  └─ TimeoutError    no response in time, or no data in time while the body was read
 *     ├─ ApiError           the service returned an error
 *     ├─ StreamError        a stream, or bytes, are truncated, malformed or too large
 *     ├─ ReplyError         a reply arrived whole and cannot be used
 *     ├─ FinishError        the answer is incomplete; returned by finishError, never thrown by the client
 *     ├─ TaskError          a job failed while the caller waited for it
 *     ├─ OutputError        an answer does not match the requested structure; thrown by `parse` of a response format
 *     └─ ToolLoopError      the tool loop reached its limit of rounds
 *
 * The guards (`isApiError` …, in guards.ts) also recognize errors of a second copy of the package.
 */
import type { ErrorCategory } from '../../generated/codes.ts';
import type { ServiceRoot } from '../../generated/routes.ts';
import type {
  AnthropicMessageResponse,
  ChatResponse,
  EmbeddingResponse,
  ImageResponse,
  RerankResponse,
  ResponsesFunctionCall,
  ResponsesResponse,
} from '../../generated/types.ts';
import { type GateState, type QueueReason, queueText } from './gate-state.ts';
import { type Billed, type ConnectionFailure, type ConnectionPhase, type MessageParts, messageOf } from './message.ts';
import { brokenAdvice, type StreamProblem } from './next-step.ts';

export type { Billed, ConnectionFailure, ConnectionPhase, MessageParts, QueueReason, StreamProblem };

/** Property of every error. All copies of the package share this symbol. */
export const errorBrand: symbol = Symbol.for('modelsvc.error');

/** Kind of an error: `error.kind` of a ModelsvcError. */
export type ErrorKind =
  | 'config'
  | 'validation'
  | 'abort'
  | 'queue'
  | 'budget'
  | 'connection'
  | 'timeout'
  | 'api'
  | 'stream'
  | 'reply'
  | 'finish'
  | 'task'
  | 'output'
  | 'tool-loop';

/** Of errors without an attempt, for instance about an answer that was read before. Other kinds: `no`. */
const billedOf: Partial<Record<ErrorKind, Billed>> = {
  stream: 'maybe',
  reply: 'maybe',
  task: 'maybe',
  finish: 'yes',
  output: 'yes',
  'tool-loop': 'yes',
};

/** The response so far of a stream that failed: a ChatResponse, or a message or a response with its accessors. */
export type PartialResponse =
  | ChatResponse
  | (AnthropicMessageResponse & { text(): string; thinking(): string })
  | (ResponsesResponse & { text(): string; reasoning(): string; toolCalls(): ResponsesFunctionCall[] });

/** Base class of all errors of this package. */
export class ModelsvcError extends Error {
  override readonly name: string = 'ModelsvcError';
  /** Identifies the class of the error. */
  readonly kind: ErrorKind;
  /** Whether the call is billed: the highest of its attempts, and of the rounds of a tool loop. After `no`, you can repeat it without a second bill. */
  readonly billed: 'no' | 'maybe' | 'yes';
  /**
   * The response so far, if the error ended a stream that was being collected: by `collecting`, `collect`, or in a round
   * of `streamWithTools`. Its tool calls may be incomplete. Not enumerable, so that logging the error does not log content.
   */
  declare readonly partial: PartialResponse | undefined;
  /**
   * Error of the attempt before, if this error ended a call that was being retried: in the queue, between two attempts, or in the next one.
   * That attempt was not answered. On an error of `firstModel`, also the error of the model before. Not
   * enumerable.
   */
  declare readonly previous: ModelsvcError | undefined;
  /** Description of the failure: the message without the operation and the advice. Not enumerable, like the next two: the message has them. */
  declare readonly summary: string;
  /** Suggested next step, in terms of this library; may be empty. */
  declare readonly advice: string;
  /** True if only `cause` explains the failure. The message then has `(see cause)`. */
  declare readonly seeCause: boolean;

  constructor(kind: ErrorKind, summary: string, cause?: unknown, parts: MessageParts = {}) {
    super(messageOf(summary, parts), cause === undefined ? undefined : { cause });
    const { advice = '', seeCause = false } = parts;
    this.kind = kind;
    this.billed = billedOf[kind] ?? 'no';
    Object.defineProperty(this, errorBrand, { value: true });
    for (const [name, value] of Object.entries({ summary, advice, seeCause })) Object.defineProperty(this, name, { value, configurable: true });
  }

  /** For `JSON.stringify`: the message and the enumerable fields. `cause`, `previous`, `partial` and the response are not in it. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** The configuration is invalid. */
export class ConfigError extends ModelsvcError {
  override readonly name = 'ConfigError';
  declare readonly kind: 'config';
  /** Field of the Config, for instance `timeout`; empty if the problem is not about one field. */
  readonly path: string;
  /** The broken rule, worded to follow `path`, for instance `must be true or false`. */
  readonly problem: string;

  constructor(problem: string, cause?: unknown, path: string = '', advice?: string) {
    super('config', `${path} ${problem}`.trimStart(), cause, { advice, seeCause: cause !== undefined });
    this.path = path;
    this.problem = problem;
  }
}

/** The request is invalid and was not sent. */
export class ValidationError extends ModelsvcError {
  override readonly name = 'ValidationError';
  declare readonly kind: 'validation';
  /** Name of the operation, for instance `chat.create`. */
  readonly operation: string;
  /** Place in the request, for instance `messages[0].content`; empty for the request itself. */
  readonly path: string;
  /** The broken rule, worded to follow `path`, for instance `must be a string`. */
  readonly problem: string;

  constructor(operation: string, path: string, problem: string, advice?: string) {
    super('validation', `${path === '' ? 'the request' : path} ${problem}`, undefined, { operation, advice });
    this.operation = operation;
    this.path = path;
    this.problem = problem;
  }
}

/** The caller's signal aborted the call; `cause` is the signal's reason. */
export class AbortError extends ModelsvcError {
  override readonly name = 'AbortError';
  declare readonly kind: 'abort';
  readonly operation: string;

  constructor(operation: string, reason: unknown) {
    super('abort', isTimeout(reason) ? "aborted by the caller's signal, which reached its timeout" : 'aborted by the caller', reason, { operation });
    this.operation = operation;
  }
}

/** True for the reason of `AbortSignal.timeout`. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof Error && reason.name === 'TimeoutError';
}

/** The call got no place of `Config.concurrency` and was not sent. After a failed attempt, it was not sent again, and `previous` is that failure. */
export class QueueError extends ModelsvcError {
  override readonly name = 'QueueError';
  declare readonly kind: 'queue';
  readonly operation: string;
  readonly reason: QueueReason;
  /** Milliseconds that the call waited for places. */
  readonly waitedMs: number;
  readonly state: GateState;

  constructor(operation: string, reason: QueueReason, waitedMs: number, state: GateState, cause?: unknown) {
    const [summary, advice] = queueText(reason, waitedMs, state);
    super('queue', summary, cause, { operation, advice });
    this.operation = operation;
    this.reason = reason;
    this.waitedMs = waitedMs;
    this.state = state;
  }
}

/**
 * The connection failed before or during the response: refused, reset, DNS, TLS, or cut off. Retried up to `maxRetries`, with exceptions: no free
 * socket, a body that cannot be sent again, a stream that has begun, and billed work that may be done.
 */
export class ConnectionError extends ModelsvcError {
  override readonly name: string = 'ConnectionError';
  declare readonly kind: 'connection' | 'timeout';
  readonly operation: string;
  readonly phase: ConnectionPhase;
  readonly code: string | undefined;
  /** True if part of the response had arrived. The service may have done the work, so a billed call is not retried. */
  readonly replied: boolean;
  /** Id of the request, if the response header had arrived. */
  readonly requestId: string | undefined;
  /** Attempts made, the first included. */
  readonly attempts: number;

  constructor(summary: string, failure: ConnectionFailure, kind: ErrorKind = 'connection') {
    super(kind, summary, failure.cause, failure);
    this.operation = failure.operation;
    this.phase = failure.phase;
    this.code = failure.code;
    this.replied = failure.replied ?? false;
    this.requestId = failure.requestId;
    this.attempts = failure.attempts ?? 1;
  }
}

/** No response arrived in time, or the body stopped sending data. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError';
  declare readonly kind: 'timeout';
  /** The timeout that was exceeded, in milliseconds. */
  readonly timeoutMs: number;

  constructor(summary: string, failure: ConnectionFailure, timeoutMs: number) {
    super(summary, failure, 'timeout');
    this.timeoutMs = timeoutMs;
  }
}

/** Details of an error that the service returned, from any of its envelopes. */
export interface ApiFailure {
  readonly operation: string;
  readonly surface: ServiceRoot;
  /** HTTP status; 200 if the error was inside a successful response or a stream. */
  readonly status: number;
  /** Business code as a string of digits, the protocol's error type on the message surface, or a word on Responses. */
  readonly code: string | undefined;
  readonly category: ErrorCategory;
  /** The field that the service refuses, for instance `messages[0].role`, of at most 200 characters. Undefined if the service names none. */
  readonly param?: string | undefined;
  /** Message of the service, after its `param`, with keys redacted and the length capped. */
  readonly serviceMessage: string;
  /** Suggested next step; may be empty. */
  readonly advice: string;
  /** True if the same call can succeed later without a change. */
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  /** Milliseconds until the service accepts calls again: from `Retry-After`, or for a used-up quota from the reset time in its message. */
  readonly retryAfter: number | undefined;
  /** Attempts made, the first included. Default: 1. 0 if another call found the quota used up before this one was sent. */
  readonly attempts?: number | undefined;
  /** Milliseconds that the call waited for places of `Config.concurrency`, in all attempts. Default: 0. */
  readonly waitedMs?: number | undefined;
}

/** The service returned an error. */
export class ApiError extends ModelsvcError implements ApiFailure {
  override readonly name = 'ApiError';
  declare readonly kind: 'api';
  readonly operation: string;
  readonly surface: ServiceRoot;
  readonly status: number;
  readonly code: string | undefined;
  readonly category: ErrorCategory;
  readonly param: string | undefined;
  readonly serviceMessage: string;
  /** Suggested next step; may be empty. */
  override readonly advice: string;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;
  /** Attempts made, the first included. 0 if another call found the quota used up before this one was sent. */
  readonly attempts: number;
  /** Milliseconds that the call waited for places of `Config.concurrency`, in all attempts. */
  readonly waitedMs: number;

  constructor(failure: ApiFailure) {
    const facts = [`status ${failure.status}`, failure.code && `code ${failure.code}`, failure.requestId && `request ${failure.requestId}`];
    const said = failure.serviceMessage === '' ? 'the service returned an error' : failure.serviceMessage;
    super('api', `${said} (${facts.filter(Boolean).join(', ')})`, undefined, failure);
    this.operation = failure.operation;
    this.surface = failure.surface;
    this.status = failure.status;
    this.code = failure.code;
    this.category = failure.category;
    this.param = failure.param;
    this.serviceMessage = failure.serviceMessage;
    this.advice = failure.advice;
    this.retryable = failure.retryable;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
    this.attempts = failure.attempts ?? 1;
    this.waitedMs = failure.waitedMs ?? 0;
  }
}

/** A stream, or bytes, are truncated, malformed, too large or already read. Items delivered before the error are valid, but the answer is incomplete. */
export class StreamError extends ModelsvcError {
  override readonly name = 'StreamError';
  declare readonly kind: 'stream';
  readonly operation: string;
  readonly problem: StreamProblem;
  readonly requestId: string | undefined;

  constructor(operation: string, problem: StreamProblem, summary: string, requestId?: string, advice: string = brokenAdvice(problem, 'maybe')) {
    super('stream', summary, undefined, { operation, advice });
    this.operation = operation;
    this.problem = problem;
    this.requestId = requestId;
  }
}

/**
 * A reply arrived and cannot be used: it lacks a part of what was asked for, is not JSON, or exceeds a limit of the Config. A billed call was billed.
 * The call is not repeated.
 */
export class ReplyError extends ModelsvcError {
  override readonly name = 'ReplyError';
  declare readonly kind: 'reply';
  readonly operation: string;
  readonly problem: Exclude<StreamProblem, 'used'>;
  readonly requestId: string | undefined;
  /** The reply that lacks a part: of `embeddings().create`, `rerank().create` or `images().generate`. Not enumerable, so that logging the error does not log content. */
  declare readonly reply: EmbeddingResponse | RerankResponse | ImageResponse | undefined;

  constructor(
    operation: string,
    problem: ReplyError['problem'],
    summary: string,
    requestId?: string,
    advice: string = brokenAdvice(problem, 'maybe'),
  ) {
    super('reply', summary, undefined, { operation, advice });
    this.operation = operation;
    this.problem = problem;
    this.requestId = requestId;
  }
}
