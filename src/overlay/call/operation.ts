// Reports operations to the hooks: single calls, and operations that consist of several calls.
import { type CallContext, type Context, fieldsOfContext } from '../context.ts';
import type { OperationKind, OperationMeta } from '../hooks/hook.ts';
import { OperationHooks, type Started } from '../hooks/operation-hooks.ts';
import { isFields, isObject } from '../json/json-value.ts';
import type { Settings } from './settings/settings.ts';

/** Key of the parent operation in the context of its calls. A symbol, so that copies of the context keep it. */
const operationKey = Symbol('operation');

type OperationContext = Context & { readonly [operationKey]?: OperationHooks | undefined };

/** The context for the calls that an operation consists of. */
export function contextWithin(hooks: OperationHooks | undefined, ctx: CallContext): CallContext {
  // An invalid context is passed on: the call that uses it throws the error.
  if (!hooks || !isFields(ctx ?? {})) return ctx;
  return Object.freeze({ ...fieldsOfContext(ctx), [operationKey]: hooks }) as OperationContext;
}

export function parentOf(ctx: CallContext): OperationMeta | undefined {
  return isObject(ctx) ? (ctx as OperationContext)[operationKey]?.meta : undefined;
}

type Facts = Partial<Omit<Started, 'parent'>> & Pick<Started, 'kind' | 'operation'>;

/** Calls the hooks' `onStart`. Undefined, at no cost, if there are no hooks. */
export function startOperation(settings: Pick<Settings, 'hooks' | 'secrets'>, ctx: CallContext, facts: Facts): OperationHooks | undefined {
  if (settings.hooks.length === 0) return undefined;
  return new OperationHooks(settings.hooks, {
    route: '',
    surface: undefined,
    method: '',
    endpoint: '',
    origin: '',
    service: '',
    model: '',
    stream: false,
    effort: undefined,
    misspelled: undefined,
    toolCallId: undefined,
    secrets: settings.secrets,
    request: nothing,
    ...facts,
    parent: parentOf(ctx),
  });
}

/** Performs an operation that consists of several calls. */
export async function perform<T>(
  settings: Settings,
  kind: OperationKind,
  operation: string,
  ctx: CallContext,
  work: (ctx: CallContext) => Promise<T>,
): Promise<T> {
  const hooks = startOperation(settings, ctx, { kind, operation });
  if (!hooks) return work(ctx);
  try {
    const result = await work(contextWithin(hooks, ctx));
    hooks.succeeded();
    return result;
  } catch (error) {
    hooks.failed(error);
    throw error;
  }
}

function nothing(): undefined {
  return undefined;
}

/** Ends the operation if `owner` is garbage-collected before it starts. */
export function watchDropped(owner: object, hooks: OperationHooks | undefined): void {
  if (hooks) whenDropped(owner, hooks, () => hooks.succeeded({ complete: false }));
}

export function unwatchDropped(hooks: OperationHooks | undefined): void {
  if (hooks) forgetDropped(hooks);
}

// Cleans up after dropped objects: those garbage-collected before the caller left them or read them to the end.

const registry = typeof FinalizationRegistry === 'undefined' ? undefined : new FinalizationRegistry<() => void>((onDropped) => onDropped());

/**
 * Call `onDropped`, which must not refer to `owner`, if `owner` is garbage-collected before `forgetDropped(token)`. Forget whatever ends: an error
 * refers to the objects of its stack until that is read, so that an ended reply may lead to `owner`, which would never be collected.
 */
export function whenDropped(owner: object, token: object, onDropped: () => void): void {
  registry?.register(owner, onDropped, token);
}

export function forgetDropped(token: object): void {
  registry?.unregister(token);
}
