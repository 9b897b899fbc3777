import type { ModelsvcError } from '../errors/errors.ts';
import type { GateOutcome, GateState } from '../errors/gate-state.ts';
import { isModelsvcError } from '../errors/guards.ts';
import { isObject } from '../json/json-value.ts';
import { cleanText, cleanToken } from '../secrets/clean.ts';
import type {
  ChunkInfo,
  Hook,
  OperationContent,
  OperationMeta,
  OperationOutcome,
  RequestMeta,
  ResponseMeta,
  RetryReason,
  SeenUsage,
} from './hook.ts';
import { ResponseFacts } from './response-facts.ts';
import { copyOf, copyOfError, frozenUsage, quietly } from './safety.ts';

/** An operation that starts. */
export interface Started extends Omit<OperationMeta, 'id'> {
  readonly secrets: readonly string[];
  request(): unknown;
}

let lastId = 0;

const unreadable = { kind: 'error', error: undefined, status: undefined, requestId: undefined } as const;

/** Facts of an error. Throws for a value that cannot be read, which a tool may throw. */
function failureOf(error: unknown): Pick<OperationOutcome, 'kind' | 'error' | 'status' | 'requestId'> {
  const { status, requestId } = (isObject(error) ? error : {}) as Partial<ResponseMeta>;
  return { kind: isModelsvcError(error, 'abort') ? 'cancelled' : 'error', error: copyOfError(error), status, requestId };
}

/** The hooks of one operation with their states. Reports its end once. */
export class OperationHooks {
  readonly meta: OperationMeta;
  readonly #hooks: readonly Hook[];
  readonly #secrets: readonly string[];
  readonly #states: unknown[];
  readonly #started = performance.now();
  readonly #facts = new ResponseFacts();
  readonly #seesChunks: boolean;
  #attempts = 0;
  #firstChunkMs: number | undefined;
  #droppedHeads = 0;
  #left = false;
  #ended = false;

  constructor(hooks: readonly Hook[], { secrets, request, ...meta }: Started) {
    // These texts come from the caller or the model, and may contain a key.
    const { operation, service, model, misspelled, toolCallId } = meta;
    const clean = (word: string): string => (word === '' ? word : cleanToken(word, secrets));
    const words = {
      operation: clean(operation),
      service: clean(service),
      model: clean(model),
      misspelled: misspelled && cleanText(misspelled, secrets, 300),
      toolCallId: toolCallId && clean(toolCallId),
    };
    this.meta = Object.freeze({ id: String(++lastId), ...meta, ...words });
    this.#hooks = hooks;
    this.#secrets = secrets;
    // A method of a hook can be a getter, which may throw.
    this.#seesChunks = hooks.some((hook) => quietly(() => hook.onChunk));
    const content: OperationContent = Object.freeze({ request, clean: (text: string, limit: number) => cleanText(text, secrets, limit) });
    this.#states = hooks.map((hook) => quietly(() => hook.onStart?.(this.meta, content)));
  }

  /** `told` has the facts that the hooks got before. */
  noted(notes: readonly Parameters<NonNullable<Hook['onNote']>>[1][], told: Set<string>): void {
    for (const note of notes) {
      const fact = Object.values(note).join();
      if (!told.has(fact)) this.#each((hook) => hook.onNote?.(this.meta, Object.freeze(note)));
      told.add(fact);
    }
  }

  attempt(attempt: number, waitedMs: number): AttemptHooks {
    this.#attempts = attempt + 1;
    return new AttemptHooks(this, this.#hooks, this.#metaOf(attempt, waitedMs));
  }

  /** An attempt begins to wait. */
  queued(attempt: number, waitedMs: number, state: GateState): void {
    const meta = this.#metaOf(attempt, waitedMs);
    for (const hook of this.#hooks) quietly(() => hook.onQueue?.(meta, state));
  }

  /** An attempt has changed the limit. */
  limited(attempt: number, waitedMs: number, state: GateState, because: GateOutcome): void {
    const meta = this.#metaOf(attempt, waitedMs);
    const change = Object.freeze({ ...state, because });
    for (const hook of this.#hooks) quietly(() => hook.onLimit?.(meta, change));
  }

  #metaOf(attempt: number, waitedMs: number): RequestMeta {
    const { service, method, endpoint, model } = this.meta;
    return Object.freeze({ service, method, endpoint, model, attempt, waitedMs, operation: this.meta });
  }

  /** Runs `run` once inside the `around` methods, the first hook outermost. Returns or throws what it does. */
  around<T>(run: () => T): T {
    // An object, because the compiler does not track a variable that a closure assigns.
    const work: { result?: { readonly value: T } | { readonly error: unknown } } = {};
    let called = false;
    const once = (): void => {
      if (called) return;
      called = true;
      try {
        work.result = { value: run() };
      } catch (error) {
        work.result = { error };
      }
    };
    let wrapped = once;
    for (const [index, hook] of [...this.#hooks.entries()].reverse()) {
      if (!quietly(() => hook.around)) continue;
      const inner = wrapped;
      wrapped = () => {
        quietly(() => hook.around?.(this.#states[index], inner));
        inner();
      };
    }
    wrapped();
    once();
    const { result } = work;
    if (result && 'value' in result) return result.value;
    throw result?.error;
  }

  /** An item of a stream. Returns its facts if a hook has `onChunk`. */
  chunk(item: unknown): ChunkInfo | undefined {
    const elapsedMs = performance.now() - this.#started;
    this.#firstChunkMs ??= elapsedMs;
    this.#facts.add(item);
    return this.#seesChunks ? Object.freeze({ elapsedMs, content: () => copyOf(item) }) : undefined;
  }

  headDropped(): void {
    this.#droppedHeads++;
  }

  /** A reply that ended: reads its facts, and returns its usage for hooks. */
  replied(usage: unknown, value: unknown): unknown {
    this.#facts.add(value);
    return frozenUsage(usage, this.#secrets);
  }

  /** The operation succeeded, or its stream was left. */
  succeeded({ status, requestId, usage, usageIsFinal, complete = true }: Partial<ResponseMeta> = {}, value?: unknown): void {
    this.#end({ kind: complete ? 'ok' : 'cancelled', error: undefined, status, requestId, usage, usageIsFinal, result: () => copyOf(value) });
  }

  /** The caller left the operation: the abort that follows is not an error. */
  left(): void {
    this.#left = true;
  }

  /** `seen` is the usage of a stream that sent it before it failed, or of a reply that is not an answer. */
  failed(error: unknown, seen?: SeenUsage): void {
    if (this.#left) return this.succeeded({ complete: false });
    const usage = frozenUsage(seen?.usage, this.#secrets);
    this.#end({ ...(quietly(() => failureOf(error)) ?? unreadable), usage, usageIsFinal: seen?.usageIsFinal, result: () => undefined });
  }

  #end(end: Pick<OperationOutcome, 'kind' | 'error' | 'status' | 'requestId' | 'usage' | 'usageIsFinal' | 'result'>): void {
    if (this.#ended) return;
    this.#ended = true;
    const { responseId, model, finishReasons } = this.#facts;
    // The service may echo a key anywhere.
    const clean = (text: string | undefined): string | undefined => text && cleanToken(text, this.#secrets);
    const durationMs = performance.now() - this.#started;
    const outcome = Object.freeze({
      ...end,
      attempts: this.#attempts,
      responseId: clean(responseId),
      model: clean(model),
      finishReasons: Object.freeze(finishReasons.map((reason) => cleanToken(reason, this.#secrets))),
      firstChunkMs: this.#firstChunkMs,
      droppedHeads: this.#droppedHeads,
      durationMs,
    });
    this.#each((hook, state) => hook.onEnd?.(this.meta, outcome, state));
    // Releases the states, because the caller may keep a stream long after its end.
    this.#states.length = 0;
  }

  #each(fire: (hook: Hook, state: unknown) => void): void {
    for (const [index, hook] of this.#hooks.entries()) quietly(() => fire(hook, this.#states[index]));
  }
}

/** The hooks of one attempt with their states. */
export class AttemptHooks {
  readonly #operation: OperationHooks;
  readonly #hooks: readonly Hook[];
  readonly #meta: RequestMeta;
  readonly #states: unknown[];
  readonly #started = performance.now();
  #headerMs = 0;
  #settled = false;

  constructor(operation: OperationHooks, hooks: readonly Hook[], meta: RequestMeta) {
    this.#operation = operation;
    this.#hooks = hooks;
    this.#meta = meta;
    this.#states = hooks.map((hook) => quietly(() => hook.onRequest?.(this.#meta)));
  }

  /** The attempt begins to wait for a socket. */
  queued(queue: Pick<GateState, 'limit' | 'inFlight' | 'waiting'>): void {
    const { model, service } = this.#meta;
    const state: GateState = Object.freeze({ gate: 'maxSockets', model: model || service, ...queue });
    for (const hook of this.#hooks) quietly(() => hook.onQueue?.(this.#meta, state));
  }

  /** The response header arrived. */
  header(): void {
    this.#headerMs = performance.now() - this.#started;
  }

  /** A reply ended, or was left. It ends the operation. */
  response(status: number, requestId: string | undefined, seen: SeenUsage, complete: boolean, value?: unknown): void {
    if (this.#settled) return;
    this.#settled = true;
    const durationMs = performance.now() - this.#started;
    const usage = this.#operation.replied(seen.usage, value);
    const { usageIsFinal } = seen;
    const meta: ResponseMeta = Object.freeze({
      ...this.#meta,
      status,
      requestId,
      headerMs: this.#headerMs,
      durationMs,
      usage,
      usageIsFinal,
      complete,
    });
    this.#each((hook, state) => hook.onResponse?.(meta, state));
    this.#states.length = 0;
    this.#operation.succeeded(meta, value);
  }

  error(error: ModelsvcError): void {
    if (this.#settled) return;
    this.#settled = true;
    const shown = copyOfError(error);
    this.#each((hook, state) => hook.onError?.(this.#meta, shown, state));
    this.#states.length = 0;
  }

  retry(error: ModelsvcError, delayMs: number | undefined, why: RetryReason, leftMs: number | undefined): void {
    const shown = copyOfError(error);
    this.#each((hook) => hook.onRetry?.(this.#meta, shown, delayMs, why, leftMs));
  }

  /** An error after the reply was handed over: it ends the operation. */
  fatal(error: ModelsvcError, seen?: SeenUsage): void {
    this.error(error);
    this.#operation.failed(error, seen);
  }

  headDropped(): void {
    this.#operation.headDropped();
  }

  chunk(item: unknown): void {
    const chunk = this.#operation.chunk(item);
    if (chunk) this.#each((hook, state) => hook.onChunk?.(this.#meta, chunk, state));
  }

  #each(fire: (hook: Hook, state: unknown) => void): void {
    for (const [index, hook] of this.#hooks.entries()) quietly(() => fire(hook, this.#states[index]));
  }
}
