import { cleanText } from './errors/clean.ts';
import type { ModelsvcError } from './errors/errors.ts';

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
}

/** Facts about a successful attempt. For a stream, hooks get them when it ends. */
export interface ResponseMeta extends RequestMeta {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Milliseconds from the request to this event. */
  readonly durationMs: number;
  /** A frozen copy of the reply's `usage`; undefined if it has none. */
  readonly usage: unknown;
  /** False if the caller left a stream before its end. */
  readonly complete: boolean;
}

/**
 * Observer of the attempts of every call. All methods are optional and called synchronously. A method that throws or rejects does not
 * affect the call. For each attempt, `onRequest` is called first, and exactly one of `onResponse` and `onError` last. The later methods
 * get the return value of `onRequest` as `state`: use it for a span or a start time.
 */
export interface Hook<State = unknown> {
  onRequest?(meta: RequestMeta): State;
  onResponse?(meta: ResponseMeta, state: State): void;
  /** The caller may get the same error object: do not change it. */
  onError?(meta: RequestMeta, error: ModelsvcError, state: State): void;
  /** Called with each chunk (chat) or event (messages) before the caller gets it. The caller gets the same object: do not change it. */
  onStreamChunk?(meta: RequestMeta, chunk: unknown, state: State): void;
}

/** The hooks of one attempt with their states. */
export class AttemptHooks {
  readonly meta: RequestMeta;
  readonly #hooks: readonly Hook[];
  readonly #secrets: readonly string[];
  readonly #states: unknown[];
  readonly #started = performance.now();
  #settled = false;

  constructor(hooks: readonly Hook[], meta: RequestMeta, secrets: readonly string[]) {
    this.meta = Object.freeze(meta);
    this.#hooks = hooks;
    this.#secrets = secrets;
    this.#states = hooks.map((hook) => quietly(() => hook.onRequest?.(meta)));
  }

  response(status: number, requestId: string | undefined, usage: unknown, complete: boolean): void {
    if (this.#settled) return;
    this.#settled = true;
    const durationMs = performance.now() - this.#started;
    const copy = frozenCopy(usage, this.#secrets);
    const meta: ResponseMeta = Object.freeze({ ...this.meta, status, requestId, durationMs, usage: copy, complete });
    this.#each((hook, state) => hook.onResponse?.(meta, state));
  }

  error(error: ModelsvcError): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#each((hook, state) => hook.onError?.(this.meta, error, state));
  }

  chunk(chunk: unknown): void {
    this.#each((hook, state) => hook.onStreamChunk?.(this.meta, chunk, state));
  }

  #each(fire: (hook: Hook, state: unknown) => void): void {
    for (const [index, hook] of this.#hooks.entries()) quietly(() => fire(hook, this.#states[index]));
  }
}

/** A hook that fails must not fail the call. */
function quietly<T>(fire: () => T): T | undefined {
  try {
    const result = fire();
    // An async hook is not awaited, but its rejection must not end the process. Not instanceof: other realms and libraries have other Promises.
    if (isThenable(result)) Promise.resolve(result).catch(() => undefined);
    return result;
  } catch {
    return undefined;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Depth of the usage that hooks get. The service's usage has two levels. */
const maxDepth = 8;

/** Copy JSON that the caller gets too, so that no hook can change it. Its text is cleaned, because the service may echo a key anywhere. */
function frozenCopy(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenCopy(item, secrets, depth + 1)));
  const fields = Object.entries(value).map(([name, field]) => [cleanText(name, secrets), frozenCopy(field, secrets, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(fields));
}
