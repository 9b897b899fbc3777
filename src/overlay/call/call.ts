import type { Route, Surface } from '../../generated/routes.ts';
import { durationField, retriesField, type Settings } from '../config.ts';
import { type CallContext, type Context, isSignal, signalsOf, toContext } from '../context.ts';
import { secretsOf } from '../errors/clean.ts';
import { ConfigError, ValidationError } from '../errors/errors.ts';
import type { UploadBody } from '../transport/transport.ts';
import { check } from '../validation/validation.ts';
import { urlOf } from './call-url.ts';
import { throwIfAborted } from './cancellation.ts';
import type { Endpoint, EndpointName } from './endpoints.ts';
import { contextHeaders } from './headers.ts';
import { type CallPlan, planOf, type ReplyForm } from './plan.ts';
import type { RetryPolicy } from './retry.ts';

/** What an operation is called with. */
export interface CallInput {
  readonly body?: unknown;
  /** Path and query parameters by name. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly upload?: UploadBody;
  /** Ask for an event stream. */
  readonly stream?: boolean;
  /** Name in errors, where the method that the user called is not the route's own. */
  readonly operation?: string;
  /** Another root of the same surface: detection probes two. */
  readonly endpoint?: EndpointName;
}

/** One operation about to be performed: validated, labelled, nothing sent yet. */
export interface Call {
  readonly operation: string;
  readonly route: RouteFacts;
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys and the values of the context's headers, to redact from the service's words. */
  readonly secrets: readonly string[];
  readonly body: string | UploadBody | undefined;
  /** How the reply is to be read. */
  readonly reply: ReplyForm;
  readonly service: string;
  readonly model: string;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly signals: readonly AbortSignal[];
}

export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly surface: Surface;
  readonly failedStatus?: string | undefined;
  readonly promises?: Route['promises'];
}

/** Route, rules, request and context as a Call; throws before anything is sent, with nothing half-done. */
export function buildCall(route: Route, input: CallInput, ctx: CallContext, settings: Settings): Call {
  const operation = input.operation ?? route.id;
  const context = contextOf(operation, ctx);
  const signals = signalsOf(context);
  throwIfAborted(signals, operation);
  if (route.request !== undefined) checkBody(operation, route, input.body);
  const parameters = checkedParameters(operation, route, input.parameters);
  const plan = planOf(route, input.stream ? 'stream' : route.reply, settings, input.endpoint);
  const body = input.body as { readonly model?: unknown } | undefined;
  return {
    operation,
    route,
    endpoint: plan.endpoint,
    url: parameters ? urlOf(plan.endpoint.root, route, parameters) : plan.url,
    headers: headersOf(operation, plan, context, input.upload),
    secrets: context.headers ? secretsOf(settings, context.headers) : plan.secrets,
    body: input.upload ?? (route.request === 'json' ? jsonText(operation, input.body) : undefined),
    reply: plan.reply,
    service: context.service ?? (route.stamped ? route.service : ''),
    model: context.model ?? (route.stamped && typeof body?.model === 'string' ? body.model : ''),
    timeoutMs: timeoutOf(operation, context) ?? plan.timeoutMs,
    retry: retryOf(operation, context, plan.retry),
    signals,
  };
}

function headersOf(operation: string, plan: CallPlan, context: Context, upload: UploadBody | undefined): Readonly<Record<string, string>> {
  if (!context.headers && !upload) return plan.headers;
  const headers: Record<string, string> = { ...plan.headers, ...contextHeaders(operation, context.headers ?? {}) };
  // What the body is nobody knows better than its writer.
  const contentType = upload?.contentType ?? plan.headers['content-type'];
  if (contentType !== undefined) headers['content-type'] = contentType;
  return headers;
}

/** The parameters that are given; undefined when there are none. */
function checkedParameters(operation: string, route: Route, given: CallInput['parameters']): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined && route.rules?.parameters === undefined) return undefined;
  const parameters = withoutUndefined(given ?? {});
  check(operation, route.rules?.parameters, parameters);
  checkPath(operation, route, parameters);
  return Object.keys(parameters).length > 0 ? parameters : undefined;
}

/** What JSON cannot say is the caller's mistake, told without the engine's text, which would quote the request. */
export function jsonText(operation: string, body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new ValidationError(operation, '', 'cannot be written as JSON: it holds a cycle or a bigint, or is nested too deep');
  }
}

/** The context in any of its forms; a request in its place is the commonest slip. */
function contextOf(operation: string, ctx: CallContext): Context {
  if (ctx === undefined || ctx === null) return toContext(ctx);
  const wrong = (path: string, problem: string): ValidationError => new ValidationError(operation, path, problem);
  if (typeof ctx !== 'object' || Array.isArray(ctx)) throw wrong('ctx', 'must be a Context, an AbortSignal or undefined');
  if ('messages' in ctx || 'apiKey' in ctx) throw wrong('ctx', 'comes first: pass undefined or a Context, then the request');
  const context = toContext(ctx);
  const { signal, headers, service = '', model = '' } = context;
  if (signal !== undefined && ![signal].flat().every(isSignal)) throw wrong('ctx.signal', 'must be an AbortSignal or an array of them');
  // A Headers or Map has no fields of its own: its content would be lost in silence.
  if (headers !== undefined && (typeof headers !== 'object' || headers === null || Symbol.iterator in headers))
    throw wrong('ctx.headers', 'must be a plain object of names and values');
  if (typeof service !== 'string') throw wrong('ctx.service', 'must be a string');
  if (typeof model !== 'string') throw wrong('ctx.model', 'must be a string');
  return context;
}

function checkBody(operation: string, route: Route, body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new ValidationError(operation, '', 'must be an object');
  check(operation, route.rules?.body, body);
}

/** An id becomes one path segment or an error, never another URL: `..` would climb, a blank one would list. */
function checkPath(operation: string, route: Route, parameters: Readonly<Record<string, unknown>>): void {
  for (const name of route.pathParameters) {
    const value = parameters[name];
    if (typeof value !== 'string' || value.trim() === '') throw new ValidationError(operation, name, 'must not be blank');
    if (value === '.' || value === '..') throw new ValidationError(operation, name, 'must not be a dot segment');
    if (!isWellFormed(value)) throw new ValidationError(operation, name, 'must be well-formed text');
  }
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

function withoutUndefined(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}

function timeoutOf(operation: string, { timeout }: Context): number | undefined {
  return timeout === undefined ? undefined : asked(operation, () => durationField('ctx.timeout', timeout));
}

function retryOf(operation: string, { maxRetries }: Context, plan: RetryPolicy): RetryPolicy {
  if (maxRetries === undefined) return plan;
  return { ...plan, maxRetries: asked(operation, () => retriesField('ctx.maxRetries', maxRetries)) ?? plan.maxRetries };
}

/** A limit of one call is checked like one of the client, but the operation tells the mistake. */
function asked<T>(operation: string, field: () => T): T {
  try {
    return field();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [path = 'ctx', ...rest] = error.message.split(' ');
    throw new ValidationError(operation, path, rest.join(' '));
  }
}
