import { createFinalURL, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import type { Route, Surface } from '../generated/routes.ts';
import { Cancellation } from './cancellation.ts';
import { durationField, isHeaderValue, retriesField, type Settings } from './config.ts';
import { type CallContext, type Context, isSignal, signalsOf, toContext } from './context.ts';
import { type Endpoint, type EndpointName, endpointOf } from './endpoints.ts';
import { ConfigError, ValidationError } from './errors.ts';
import type { RetryPolicy } from './retry.ts';
import type { UploadBody } from './transport/transport.ts';
import { check } from './validation.ts';

/** What an operation is called with. */
export interface CallInput {
  readonly body?: unknown;
  /** Path and query parameters by name. */
  readonly parameters?: Readonly<Record<string, unknown>>;
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
  readonly body: string | UploadBody | undefined;
  /** How the reply is to be read. */
  readonly reply: 'json' | 'bytes' | 'stream' | 'raw';
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
}

/** Route, request and context as a Call; throws before anything is sent, with nothing half-done. */
export function buildCall(route: Route, input: CallInput, ctx: CallContext, settings: Settings): Call {
  const operation = input.operation ?? route.id;
  const context = contextOf(operation, ctx);
  const signals = signalsOf(context);
  if (signals.some((signal) => signal.aborted)) new Cancellation(signals, operation).throwIfAborted();
  const parameters = withoutUndefined(input.parameters ?? {});
  if (route.request !== undefined) checkBody(operation, route, input.body);
  check(operation, route.validateParameters, parameters);
  checkPath(operation, route, parameters);
  const reply = input.stream ? 'stream' : route.reply;
  const endpoint = endpointOf(input.endpoint ?? route.surface, settings);
  const body = input.body as { readonly model?: unknown } | undefined;
  const model = context.model ?? (route.stamped && typeof body?.model === 'string' ? body.model : '');
  return {
    operation,
    route,
    endpoint,
    url: urlOf(endpoint.root, route, parameters),
    headers: { ...headersOf(operation, route.surface, endpoint, reply, context, settings), ...contentType(route, input) },
    body: input.upload ?? (route.request === 'json' ? jsonText(operation, input.body) : undefined),
    reply,
    service: context.service ?? (route.stamped ? route.service : ''),
    model,
    ...limitsOf(operation, context, settings, route.bills && reply !== 'stream'),
    signals,
  };
}

const querySerializer = createQuerySerializer();

/** Path and query, serialized as the typed bindings do it. */
function urlOf(root: string, route: Route, parameters: Readonly<Record<string, unknown>>): string {
  if (Object.keys(parameters).length === 0) return root + route.path;
  const path: Record<string, unknown> = {};
  const query: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters)) (route.pathParameters.includes(name) ? path : query)[name] = value;
  return createFinalURL(route.path, { baseUrl: root, params: { path, query }, querySerializer, pathSerializer: defaultPathSerializer });
}

function contentType(route: Route, input: CallInput): Record<string, string> {
  if (input.upload) return { 'content-type': input.upload.contentType };
  return route.request === 'json' ? { 'content-type': 'application/json' } : {};
}

/** A cycle or a bigint is the caller's mistake, told without the SyntaxError-like text that would quote the request. */
function jsonText(operation: string, body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch {
    throw new ValidationError(operation, '', 'cannot be written as JSON: it holds a cycle or a bigint');
  }
}

/** The context in any of its forms; a request in its place is the commonest slip. */
function contextOf(operation: string, ctx: CallContext): Context {
  const wrong = (path: string, problem: string): ValidationError => new ValidationError(operation, path, problem);
  if (ctx === undefined || ctx === null) return toContext(ctx);
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
  check(operation, route.validateBody, body);
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

/** Sent with every call on the message surface. */
const anthropicVersion = '2023-06-01';
const acceptOf = { json: 'application/json', bytes: '*/*', stream: 'text/event-stream, application/json;q=0.9', raw: '*/*' } as const;

export function headersOf(
  operation: string,
  surface: Surface,
  endpoint: Endpoint,
  reply: Call['reply'],
  context: Context,
  settings: Settings,
): Record<string, string> {
  const headers: Record<string, string> = { accept: acceptOf[reply], 'accept-language': 'en-US,en', 'user-agent': settings.userAgent };
  if (surface === 'messages') headers['anthropic-version'] = anthropicVersion;
  for (const [name, value] of Object.entries(context.headers ?? {})) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || !isHeaderValue(value))
      throw new ValidationError(operation, 'ctx.headers', 'has a name or value that cannot stand in a header');
    if (lower !== 'authorization') headers[lower] = value;
  }
  headers['authorization'] = `Bearer ${endpoint.key}`;
  return headers;
}

export function limitsOf(operation: string, context: Context, settings: Settings, bills: boolean): Pick<Call, 'timeoutMs' | 'retry'> {
  try {
    return {
      timeoutMs: durationField('ctx.timeout', context.timeout) ?? settings.timeoutMs,
      retry: { maxRetries: retriesField('ctx.maxRetries', context.maxRetries) ?? settings.maxRetries, baseDelayMs: settings.retryDelayMs, bills },
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [path = 'ctx', ...rest] = error.message.split(' ');
    throw new ValidationError(operation, path, rest.join(' '));
  }
}
