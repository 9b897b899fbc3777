import { cleanText } from './errors/clean.ts';
import type { ModelsvcError } from './errors/errors.ts';

/** What a hook is told of an attempt. Frozen. It never holds a key, a header, a prompt or an id from a path. */
export interface RequestMeta {
  /** Stamped for chat, messages, embeddings and rerank; elsewhere empty unless `withService` set it. */
  readonly service: string;
  /** HTTP method. */
  readonly method: string;
  /** Path of the operation as the spec writes it, for instance `/async-result/{id}`; empty for a path that `bindings` calls and the spec lacks. */
  readonly endpoint: string;
  /** Stamped like `service`; elsewhere empty unless `withModel` set it. */
  readonly model: string;
  /** Counts from 0. */
  readonly attempt: number;
}

/** What a hook is told when an attempt succeeded; for a stream, when it ended. */
export interface ResponseMeta extends RequestMeta {
  readonly status: number;
  readonly requestId: string | undefined;
  /** Milliseconds from the request to here. */
  readonly durationMs: number;
  /** A frozen copy of the reply's own `usage`, where it has one. */
  readonly usage: unknown;
  /** False when the caller left a stream before its end. */
  readonly complete: boolean;
}

/**
 * A watcher of the attempts of every call. All methods are optional; they are called synchronously, and one that throws or rejects
 * changes nothing. Per attempt `onRequest` comes first and exactly one of `onResponse` and `onError` last; what
 * `onRequest` returns is handed to the later ones, so a span or a clock lives there.
 */
export interface Hook<State = unknown> {
  onRequest?(meta: RequestMeta): State;
  onResponse?(meta: ResponseMeta, state: State): void;
  /** The caller may get the same error: do not change it. */
  onError?(meta: RequestMeta, error: ModelsvcError, state: State): void;
  /** Each chunk (chat) or event (messages), before the caller gets it. The caller gets the same object: do not change it. */
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

/** A watcher's failure is its own: it must not fail the call. */
function quietly<T>(fire: () => T): T | undefined {
  try {
    const result = fire();
    // An async hook is not waited for, but its rejection must not end the process. Promises of other realms and libraries are no Promise here.
    if (isThenable(result)) Promise.resolve(result).catch(() => undefined);
    return result;
  } catch {
    return undefined;
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

/** Levels of a usage that hooks get; the service's has two. */
const maxDepth = 8;

/** JSON that the caller gets too, as a copy that no hook can change. Its words are cleaned: the service may echo a key anywhere. */
function frozenCopy(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value, secrets);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenCopy(item, secrets, depth + 1)));
  const fields = Object.entries(value).map(([name, field]) => [cleanText(name, secrets), frozenCopy(field, secrets, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(fields));
}
