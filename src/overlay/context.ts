import { validated } from './errors/problem.ts';
import { type Fields, fieldsOf, isFields, isObject } from './json/json-value.ts';
import { checkFields, type KnownFields } from './json/known-fields.ts';
import { Problem } from './json/problem.ts';

/**
 * Options of one call: how to cancel it, and its own limits and headers. Pass a Context or an AbortSignal as the first argument of a service
 * method, or leave it out.
 *
 * A context is plain data: `{ ...ctx, timeout: 90_000 }` is a copy with another timeout.
 */
export interface Context {
  /** Aborts the call at any stage: before sending, while waiting, and during backoff, reading and streaming. */
  readonly signal?: AbortSignal | readonly AbortSignal[] | undefined;
  /** Milliseconds; replaces `Config.timeout` for this call. */
  readonly timeout?: number | undefined;
  /** Replaces `Config.maxRetries` for this call. 0 and -1 disable retries, also by `Config.retryFor`. */
  readonly maxRetries?: number | undefined;
  /** Milliseconds; replaces `Config.retryFor` for this call. */
  readonly retryFor?: number | undefined;
  /** Extra headers for this call, by the rule of `Config.headers`: a credential throws a ValidationError. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Service name passed to hooks. */
  readonly service?: string | undefined;
  /** Model name passed to hooks. */
  readonly model?: string | undefined;
  /** Order in which calls wait for a place: those with a higher number first. Default: 0. */
  readonly priority?: number | undefined;
  /** Milliseconds; replaces `queueTimeout` of `Config.concurrency` for this call. 0 disables it. With `maxRetries: 0`, the call is sent once, after its wait. */
  readonly queueTimeout?: number | undefined;
  /** Replaces `Config.wholeReplies` for this call. */
  readonly wholeReplies?: boolean | undefined;
  /** Keep the bytes of a JSON reply: `responseInfo(result).bytes`. They stay in memory as long as the result. Default: false. */
  readonly rawBody?: boolean | undefined;
}

/** Every field of a Context. */
export const contextFields: KnownFields<Context> = {
  signal: 1,
  timeout: 1,
  maxRetries: 1,
  retryFor: 1,
  headers: 1,
  service: 1,
  model: 1,
  priority: 1,
  queueTimeout: 1,
  rawBody: 1,
  wholeReplies: 1,
};

/**
 * The member by which the compiler recognizes an AbortSignal. It is optional and deprecated, so that editors list it after the fields of a
 * Context.
 */
export interface AbortSignalLike {
  /**
   * Not an option of a call.
   *
   * @deprecated Pass the AbortSignal itself, or as `signal`.
   */
  readonly throwIfAborted?: () => void;
}

/** First argument of a service method, which may be left out: the options of one call, or a signal that aborts it. */
export type CallContext = Context | AbortSignalLike | undefined | null;

/** The arguments of a method: the context may be left out. */
export type Called<Rest extends readonly unknown[]> = Rest | readonly [ctx: CallContext, ...rest: Rest];

/**
 * The arguments of a method with the context first: undefined if it was left out. A lone context stays one, so that the error is about the
 * request, which is missing.
 */
export function contextFirst<Rest extends readonly unknown[]>(given: Called<Rest>, isLeftOut: boolean): readonly [CallContext, ...Rest] {
  const isContext = !isLeftOut || (given.length === 1 && isOnlyContext(given[0]));
  return (isContext ? given : [undefined, ...given]) as readonly [CallContext, ...Rest];
}

/** True for a signal, and for fields of a context alone. `model` is a field of requests too. */
function isOnlyContext(value: unknown): boolean {
  if (isSignal(value)) return true;
  const names = Object.keys(fieldsOf(value));
  return names.every((name) => Object.hasOwn(contextFields, name)) && names.some((name) => name !== 'model');
}

/** True for `{ model }`, which may be a context or a request. */
export function isModelAlone(value: unknown): boolean {
  return Object.keys(fieldsOf(value)).join() === 'model';
}

/** Convert any form of the first argument to a Context. Throws a Problem for another value, also for a field that is not an option. */
export function toContext(ctx: CallContext): Context {
  const context = fieldsOfContext(ctx);
  if ((context as Fields)['fallback'] !== undefined) throw new Problem('ctx.fallback', 'is not an option: ask several models with firstModel');
  checkFields(context, contextFields, 'ctx');
  const { signal = [], service = '', model = '', rawBody = false } = context;
  if (![signal].flat().every(isSignal)) throw new Problem('ctx.signal', 'must be an AbortSignal or an array of them');
  if (typeof service !== 'string') throw new Problem('ctx.service', 'must be a string');
  if (typeof model !== 'string') throw new Problem('ctx.model', 'must be a string');
  if (typeof (context.wholeReplies ?? false) !== 'boolean') throw new Problem('ctx.wholeReplies', 'must be true or false');
  if (typeof rawBody !== 'boolean') throw new Problem('ctx.rawBody', 'must be true or false');
  return context;
}

/**
 * A context whose fields are not checked, because a name may be a key, and only a client can redact it: a copy keeps them, and the call rejects
 * them. A value without fields throws a Problem: a copy would lose it, and the call would be sent.
 */
export function fieldsOfContext(ctx: CallContext): Context {
  const context = (ctx ?? none) as Context;
  if (!isFields(context)) throw new Problem('ctx', 'must be a Context, an AbortSignal or undefined, and comes first');
  if (isSignal(context)) return { signal: context };
  // An AbortController looks like a Context, but its `signal` is inherited and would be lost in a copy.
  return 'abort' in context && isSignal(context.signal) ? { signal: context.signal } : context;
}

/** Copy a context, because the caller may change a plain object later. An invalid context is rejected when it is used. */
export function copyContext(ctx: CallContext): CallContext {
  if (!isFields(ctx) || isSignal(ctx)) return ctx;
  const context = fieldsOfContext(ctx);
  const { headers } = context;
  return { ...context, ...(isPlain(headers) && { headers: { ...headers } }) };
}

/** False for a Headers or a Map too: they have no own fields, so their content would be lost in a copy. */
export function isPlain(value: unknown): value is object {
  return isObject(value) && !(Symbol.iterator in value);
}

const none: Context = Object.freeze({});

// Not instanceof: polyfills and other realms have other AbortSignal classes.
export function isSignal(value: unknown): value is AbortSignal {
  return isObject(value) && 'aborted' in value && 'addEventListener' in value;
}

/** The signals of a context. */
export function signalsOf(ctx: Context): readonly AbortSignal[] {
  if (ctx.signal === undefined) return noSignals;
  if (isSignal(ctx.signal)) return [ctx.signal];
  // Invalid signals are dropped here; `toContext` rejects them with the name of the operation.
  return Array.isArray(ctx.signal) ? ctx.signal.filter(isSignal) : noSignals;
}

const noSignals: readonly AbortSignal[] = Object.freeze([]);

function named(name: string, ctx: CallContext): Context {
  return validated(name, () => fieldsOfContext(ctx));
}

function extended(name: string, ctx: CallContext, more: Context): Context {
  return Object.freeze({ ...named(name, ctx), ...more });
}

/** Also cancel the call when `signal` aborts. */
export function withSignal(ctx: CallContext, signal: AbortSignal): Context {
  const context = named('withSignal', ctx);
  return Object.freeze({ ...context, signal: [context.signal ?? [], signal].flat() });
}

/** Set the service name for hooks. Needed only where it is not set automatically. */
export function withService(ctx: CallContext, service: string): Context {
  return extended('withService', ctx, { service });
}

/** Set the model name for hooks. Needed only where it is not set automatically. */
export function withModel(ctx: CallContext, model: string): Context {
  return extended('withModel', ctx, { model });
}
