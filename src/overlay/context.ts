/**
 * What a call carries besides its request: how to cancel it, and limits of its own. Every service method takes one as
 * its first argument; an `AbortSignal` alone will do, and `undefined` means none.
 *
 * A context is plain data and never changes: the `with…` functions give back a new one.
 */
export interface Context {
  /** Aborts the call at any stage: before it is sent, while it waits, backs off, reads or streams. */
  readonly signal?: AbortSignal | readonly AbortSignal[];
  /** Milliseconds; takes the place of `Config.timeout` for this call. */
  readonly timeout?: number;
  /** Takes the place of `Config.maxRetries` for this call; 0 and -1 mean none. */
  readonly maxRetries?: number;
  /** Extra headers for this call. `authorization` cannot be replaced. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Service name that hooks see. */
  readonly service?: string;
  /** Model name that hooks see. */
  readonly model?: string;
}

/** What a service method takes as its first argument. */
export type CallContext = Context | AbortSignal | undefined | null;

/** A context from any of its forms. */
export function toContext(ctx: CallContext): Context {
  if (ctx === undefined || ctx === null) return none;
  if (isSignal(ctx)) return { signal: ctx };
  // A controller has the shape of a Context, but its `signal` is not its own field and would be lost in a copy.
  return typeof ctx === 'object' && 'abort' in ctx && isSignal(ctx.signal) ? { signal: ctx.signal } : ctx;
}

/** The context as it is now: a caller may go on changing a plain object. One that is wrong stays so, and is refused when it is used. */
export function copyContext(ctx: CallContext): CallContext {
  if (typeof ctx !== 'object' || ctx === null || isSignal(ctx)) return ctx;
  const context = toContext(ctx);
  const { headers } = context;
  const isPlain = typeof headers === 'object' && headers !== null && !(Symbol.iterator in headers);
  return isPlain ? { ...context, headers: { ...headers } } : { ...context };
}

const none: Context = Object.freeze({});

// Not instanceof: polyfills and other realms have signals of their own.
export function isSignal(value: unknown): value is AbortSignal {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value;
}

/** The signals a context carries. */
export function signalsOf(ctx: Context): readonly AbortSignal[] {
  if (ctx.signal === undefined) return noSignals;
  if (isSignal(ctx.signal)) return [ctx.signal];
  // What is no signal is told by the call, which knows its operation.
  return Array.isArray(ctx.signal) ? ctx.signal.filter(isSignal) : noSignals;
}

const noSignals: readonly AbortSignal[] = Object.freeze([]);

/** Also cancel the call when `signal` aborts. */
export function withSignal(ctx: CallContext, signal: AbortSignal): Context {
  const context = toContext(ctx);
  return Object.freeze({ ...context, signal: [...signalsOf(context), signal] });
}

/** Name the service for hooks; needed only where it is not stamped automatically. */
export function withService(ctx: CallContext, service: string): Context {
  return Object.freeze({ ...toContext(ctx), service });
}

/** Name the model for hooks; needed only where it is not stamped automatically. */
export function withModel(ctx: CallContext, model: string): Context {
  return Object.freeze({ ...toContext(ctx), model });
}

/** Use `timeout` milliseconds in place of `Config.timeout`. For a bound on the whole call use `withSignal(ctx, AbortSignal.timeout(ms))`. */
export function withTimeout(ctx: CallContext, timeout: number): Context {
  return Object.freeze({ ...toContext(ctx), timeout });
}

/** Use `maxRetries` in place of `Config.maxRetries`; 0 and -1 mean none. */
export function withMaxRetries(ctx: CallContext, maxRetries: number): Context {
  return Object.freeze({ ...toContext(ctx), maxRetries });
}

/** Send these headers too; later ones win over earlier ones of the same name. */
export function withHeaders(ctx: CallContext, headers: Readonly<Record<string, string>>): Context {
  const context = toContext(ctx);
  const merged: Record<string, string> = {};
  for (const source of [context.headers ?? {}, headers]) for (const [name, value] of Object.entries(source)) merged[name.toLowerCase()] = value;
  return Object.freeze({ ...context, headers: merged });
}
