/** The observers of calls: the interface that users implement, and the facts they get. */
import type { Effort } from '../../generated/effort.ts';
import type { ServiceRoot } from '../../generated/routes.ts';
import type { ModelsvcError } from '../errors/errors.ts';
import type { GateOutcome, GateState } from '../errors/gate-state.ts';

/**
 * Kind of an operation. `call`: one request with all its attempts, and the reading of its reply. `wait`: polling until a job ends.
 * `batch.run`: a batch from upload to results. `tools.run`: a tool loop. `tool.call`: one run of a tool inside a tool loop.
 */
export type OperationKind = 'call' | 'wait' | 'batch.run' | 'tools.run' | 'tool.call';

/** The translation of a request's `effort`. Frozen. */
export interface EffortInfo {
  readonly asked: Effort;
  /** The fields that were sent for it, with their wire names. Empty if none were. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Why the model gets something else, as a sentence. Undefined if it gets what was asked, and for models and roots that the client does not know. */
  readonly why: string | undefined;
}

/** Facts about an operation. Frozen. They never contain a key, a header, a prompt or an id from a path. */
export interface OperationMeta {
  /** Different for every operation of this process. */
  readonly id: string;
  readonly kind: OperationKind;
  /** Name of the method in error messages, for instance `chat.runWithTools`; for a tool, its name. */
  readonly operation: string;
  /** Id of the operation in the spec, for instance `chat.create`. Empty for kinds other than `call`, and for paths outside the spec. */
  readonly route: string;
  readonly surface: ServiceRoot | undefined;
  /** HTTP method of a call, otherwise empty. */
  readonly method: string;
  /** Path template of a call, for instance `/async-result/{id}`, otherwise empty. */
  readonly endpoint: string;
  /** Origin of the root that a call is sent to, for instance `https://api.z.ai`, otherwise empty. */
  readonly origin: string;
  /** As in `RequestMeta`. */
  readonly service: string;
  /** As in `RequestMeta`. */
  readonly model: string;
  /** True for a call whose reply is an event stream, and for a tool loop with streamed items. */
  readonly stream: boolean;
  /** The translation of the request's `effort`; undefined if it has none. */
  readonly effort: EffortInfo | undefined;
  /**
   * The problem of a field that is probably misspelled, in a request that is sent with it: to another host than the service's, or through
   * `modelsvc/fetch`. For instance `maxTokens is unknown; did you mean max_tokens?`.
   */
  readonly misspelled: string | undefined;
  /** Id that the model gave a tool call. */
  readonly toolCallId: string | undefined;
  /** The tool loop, wait or batch that this operation is a part of. */
  readonly parent: OperationMeta | undefined;
}

/** Content of an operation, which may be private. `request` makes a copy at each call. */
export interface OperationContent {
  /** The JSON body as it is sent, the arguments of a tool, or undefined. */
  request(): unknown;
  /** Foreign text for a log: one line without the keys and header values of the operation, without control characters, at most `limit` characters. */
  clean(text: string, limit: number): string;
}

/** End of an operation. Frozen. */
export interface OperationOutcome {
  /** `cancelled`: aborted, left before its end, or dropped. */
  readonly kind: 'ok' | 'error' | 'cancelled';
  /** The error of the operation: a ModelsvcError, or the value that a tool threw. Undefined for `ok`, and for a stream that was left. */
  readonly error: unknown;
  /** Number of attempts that were sent. */
  readonly attempts: number;
  /** Status of the last reply. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Id of the response object. */
  readonly responseId: string | undefined;
  /** Model that the response names. */
  readonly model: string | undefined;
  /** Finish reasons of the choices, or the stop reason of a message. */
  readonly finishReasons: readonly string[];
  /** A frozen copy of the reply's `usage`. */
  readonly usage: unknown;
  /** False if more may have been used: a stream ended before it sent its last counts. `usage` is then a lower bound. */
  readonly usageIsFinal?: boolean | undefined;
  /** Milliseconds from the start to the first chunk or event of a stream. */
  readonly firstChunkMs: number | undefined;
  /** Number of events of a chat stream that began with the cut-off head of another answer. The heads were dropped, and the answer is complete. */
  readonly droppedHeads: number;
  readonly durationMs: number;
  /** A copy of the result of a buffered call, or of a tool. Undefined for other operations. */
  result(): unknown;
}

/** Reason why a failed attempt is or is not retried. */
export type RetryReason =
  /** The attempt is retried. */
  | 'retried'
  /** Retries are off: `maxRetries` is 0. */
  | 'off'
  /** All retries, or the time of `retryFor`, are used. */
  | 'exhausted'
  /** This status, code or kind of error is never retried. */
  | 'final'
  /** The service may have done, and billed, the work. */
  | 'billed'
  /** The service asks for a longer wait than 60 s, or than the time that is left of `retryFor`. */
  | 'retry-after'
  /** The body was a stream that was read; it cannot be sent again. */
  | 'body-spent'
  /** The gate of `Config.concurrency` has no retries left: too many calls have failed. */
  | 'gate';

/** Facts about an attempt, passed to hooks. Frozen. They never contain a key, a header, a prompt or an id from a path. */
export interface RequestMeta {
  /** Set for chat, messages, embeddings and rerank. Empty for other services unless `withService` sets it. */
  readonly service: string;
  /** HTTP method. */
  readonly method: string;
  /** Path template of the operation, for instance `/async-result/{id}`. Empty for a `bindings` call whose path is not in the spec. */
  readonly endpoint: string;
  /** Set for the same services as `service`. Empty for other services unless `withModel` sets it. */
  readonly model: string;
  /** Counts from 0. */
  readonly attempt: number;
  /** Milliseconds that the call has waited for places of `Config.concurrency`, in all attempts. */
  readonly waitedMs: number;
  readonly operation: OperationMeta;
}

/** A change of the limit of `Config.concurrency`. Frozen. */
export interface LimitChange extends GateState {
  /** Outcome of the attempt that changed it. */
  readonly because: GateOutcome;
}

/** A chunk (chat) or event (messages, Responses) of a stream. Frozen. */
export interface ChunkInfo {
  /** Milliseconds since the start of the operation. */
  readonly elapsedMs: number;
  /** A copy of the chunk, made at each call. Call it before the method returns: the caller may change the chunk later. */
  content(): unknown;
}

/** Usage that has arrived. */
export interface SeenUsage {
  readonly usage: unknown;
  /** True once no later usage follows. */
  readonly usageIsFinal: boolean;
}

/** Facts about a successful attempt. For a stream, hooks get them when it ends. */
export interface ResponseMeta extends RequestMeta {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Milliseconds from the request to the response header. */
  readonly headerMs: number;
  /** Milliseconds from the request to this event. */
  readonly durationMs: number;
  /** A frozen copy of the reply's `usage`; undefined if it has none. */
  readonly usage: unknown;
  /** False if more may have been used: the stream was left before it sent its last counts. `usage` is then a lower bound. */
  readonly usageIsFinal?: boolean | undefined;
  /** False if the caller left a stream before its end. */
  readonly complete: boolean;
}

/**
 * Observer of every call. All methods are optional and called synchronously. A method that throws or rejects does not affect the call, and
 * no method can change it: errors and contents are deep copies. A value that cannot be copied is missing in the copy of an error.
 *
 * For each operation, `onStart` is called first and `onEnd` last, each exactly once: also for invalid requests, aborts during a wait, and
 * streams that are left or dropped. For each attempt, `onRequest` is called first, and exactly one of `onResponse` and `onError` last. The
 * later methods get the return value of `onStart` or `onRequest` as `state`: use it for a span or a start time.
 */
export interface Hook<State = unknown, OperationState = unknown> {
  /** Called synchronously by the client's method, before it returns its promise or stream. A stream sends its request later. */
  onStart?(operation: OperationMeta, content: OperationContent): OperationState;
  /**
   * Wraps the sending of each attempt, and each run of a tool. Call `run` once, synchronously, for instance inside a tracing context. If you
   * do not, it is called after you return.
   */
  around?(state: OperationState, run: () => void): void;
  /**
   * Called when an attempt begins to wait for a place of `Config.concurrency`; if it gets one, `onRequest` follows. Also called, after
   * `onRequest`, when an attempt begins to wait for a socket: `state.gate` is then `maxSockets`.
   */
  onQueue?(meta: RequestMeta, state: GateState): void;
  /** Called when an attempt of this client has changed the limit of `Config.concurrency`. */
  onLimit?(meta: RequestMeta, change: LimitChange): void;
  onRequest?(meta: RequestMeta): State;
  onResponse?(meta: ResponseMeta, state: State): void;
  onError?(meta: RequestMeta, error: ModelsvcError, state: State): void;
  /**
   * Called after `onError`. `delayMs` is the wait before the next attempt, or undefined without one. `leftMs` is what was left of `retryFor`
   * before this wait; undefined if it does not apply.
   */
  onRetry?(meta: RequestMeta, error: ModelsvcError, delayMs: number | undefined, why: RetryReason, leftMs?: number | undefined): void;
  /** Called for each chunk or event of a stream, before the caller gets it. */
  onChunk?(meta: RequestMeta, chunk: ChunkInfo, state: State): void;
  /**
   * A fact about the request, once for each client. `leaving`: the model will retire; `until` is the day, if it is known. `renamed`: a role of
   * other services, which is sent as this one's.
   */
  onNote?(
    operation: OperationMeta,
    note:
      | { readonly kind: 'leaving'; readonly model: string; readonly until: string | undefined }
      | { readonly kind: 'renamed'; readonly given: string; readonly sent: string },
  ): void;
  onEnd?(operation: OperationMeta, outcome: OperationOutcome, state: OperationState): void;
}
