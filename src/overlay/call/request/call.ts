/** One call: from a route, a context and a request to a reply, with retries and cancellation. */

import type { Route, Surface } from '../../../generated/routes.ts';
import { grantedOf, type OnGranted, type Ticket, ticketOf } from '../../concurrency/notes.ts';
import { type CallContext, type Context, contextFields, isSignal, signalsOf, toContext } from '../../context.ts';
import { secretsOf } from '../../errors/clean.ts';
import { wellFormed } from '../../errors/cut.ts';
import { fieldsOf, isObject, textOf } from '../../errors/json-value.ts';
import { checkFields } from '../../errors/known-fields.ts';
import { Problem, validationError } from '../../errors/problem.ts';
import type { EffortInfo } from '../../hooks/hook.ts';
import type { OperationHooks } from '../../hooks/operation-hooks.ts';
import type { UploadBody } from '../../transport/transport.ts';
import { check, checkBody } from '../../validation/validation.ts';
import type { RefusedReply } from '../attempt/failure.ts';
import type { Endpoint, EndpointName } from '../settings/endpoints.ts';
import { durationField, retriesField } from '../settings/fields.ts';
import { baseHeaders, checkedHeaders, type ReplyForm } from '../settings/headers.ts';
import type { Settings } from '../settings/settings.ts';
import { urlOf } from './call-url.ts';
import { throwIfAborted } from './cancellation.ts';
import { startOperation } from './operation.ts';

/** Input of an operation. */
export interface CallInput {
  readonly body?: unknown;
  /** Path and query parameters by name. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly upload?: UploadBody;
  /** Request an event stream. */
  readonly stream?: boolean;
  /** The translation of the request's `effort`. */
  readonly effort?: EffortInfo | undefined;
  /** Root to use instead of the surface's own: detection probes two roots. */
  readonly endpoint?: EndpointName;
  /** URL of a file to read in place of the route's, on any host. */
  readonly link?: Link;
}

/** A link of a result. Its query may be a signature, which is a credential. */
export interface Link {
  readonly url: URL;
  /** Why a URL may not be opened, for the link and each of its redirects. */
  readonly refusal: (url: URL) => string | undefined;
}

/** How a call waits at its gate. */
export interface QueueFacts {
  /** Model of the request; service if it has none. */
  readonly model: string;
  readonly priority: number;
  readonly queueTimeoutMs: number;
  readonly ticket: Ticket;
  readonly onGranted: OnGranted | undefined;
}

/** When and how often to retry a call. */
export interface RetryPolicy {
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  /** True if the service may still process, and bill, an attempt that got no reply. */
  readonly bills: boolean;
}

/** One operation, validated and ready to send. */
export interface Call {
  readonly operation: string;
  readonly route: RouteFacts;
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys and header values, to redact from the service's text. The keys of a function are added as they are used. */
  readonly secrets: string[];
  readonly body: string | UploadBody | undefined;
  /** How to read the reply. */
  readonly reply: ReplyForm;
  readonly link?: Link | undefined;
  /** Keep the bytes of the body, if it is JSON. */
  readonly keepResponse?: boolean | undefined;
  readonly service: string;
  readonly model: string;
  readonly effort?: EffortInfo | undefined;
  /** The problem of a misspelled field that is sent. */
  readonly misspelled?: string | undefined;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly signals: readonly AbortSignal[];
  /** Gets the refused reply that ends the call, for the raw bindings. */
  readonly onRefused?: ((reply: RefusedReply) => void) | undefined;
  readonly hooks: OperationHooks | undefined;
  /** Undefined if the call does not wait for a place: there is no `Config.concurrency`, or it only reads. */
  readonly queue: QueueFacts | undefined;
}

export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly surface: Surface;
  readonly failedStatus?: string | undefined;
  readonly answerStatus?: readonly string[] | undefined;
  readonly expected?: Route['expected'];
  readonly isAudio?: boolean;
  readonly emptyReply?: boolean;
}

/** The route of a request. A response in the background is asked for without its answer. */
export function routeFor(route: RouteFacts, body: unknown): RouteFacts {
  return route.answerStatus && fieldsOf(body)['background'] === true ? { ...route, answerStatus: undefined } : route;
}

/** Build a Call from a route, a context and a request. Throws a ValidationError before any request is sent. */
export function buildCall(route: Route, ctx: CallContext, settings: Settings, given: () => CallInput, operation: string = route.id): Call {
  try {
    return checkedCall(route, ctx, settings, given, operation);
  } catch (cause) {
    const error = cause instanceof Problem ? validationError(operation, cause, secretsOf(settings)) : cause;
    const { id, surface, method, path: endpoint, stamped } = route;
    const facts = { kind: 'call', operation, route: id, surface, method, endpoint, service: stamped ? serviceOf(route) : '' } as const;
    startOperation(settings, ctx, facts)?.failed(error);
    throw error;
  }
}

function checkedCall(route: Route, ctx: CallContext, settings: Settings, given: () => CallInput, operation: string): Call {
  const context = contextOf(ctx, route);
  const signals = signalsOf(context);
  throwIfAborted(signals, operation);
  const { body, upload, parameters, stream, effort, endpoint: name = route.surface, link } = given();
  const endpoint = link ? linkEndpoint(link) : settings.endpoints[name];
  const misspelled = route.request && checkBody(route, body, endpoint.isVendor, settings.hooks.length > 0);
  const checked = checkedParameters(route, parameters, endpoint);
  const reply = stream ? 'stream' : route.reply;
  const { model } = (body ?? {}) as { readonly model?: unknown };
  const { maxRetries, timeout, headers, keepResponse } = context;
  const call: Call = {
    operation,
    route: routeFor(route, body),
    endpoint,
    url: link ? link.url.href : checked ? urlOf(endpoint.root, route, checked) : endpoint.root + route.path,
    headers: headersOf(route, link ? linkHeaders(settings) : baseHeaders(route.surface, reply, endpoint, settings), headers, upload),
    secrets:
      headers || link || typeof endpoint.key === 'function' ? secretsOf(settings, { ...headers, link: link?.url.search ?? '' }) : settings.secrets,
    body: upload ?? (route.request === 'json' ? jsonText(body) : undefined),
    reply,
    link,
    keepResponse,
    service: context.service ?? (route.stamped ? serviceOf(route) : ''),
    model: context.model ?? (route.stamped && typeof model === 'string' ? model : ''),
    effort,
    misspelled,
    timeoutMs: durationField('ctx.timeout', timeout) ?? settings.timeoutMs,
    retry: {
      maxRetries: retriesField('ctx.maxRetries', maxRetries) ?? settings.maxRetries,
      baseDelayMs: settings.retryDelayMs,
      bills: route.bills,
    },
    signals,
    queue: queueFacts(context, settings, route.method, textOf(model) || context.model || serviceOf(route)),
    hooks: undefined,
  };
  return withHooks(call, settings, ctx, route.id);
}

/** The host of a link gets no key. Errors and hooks name its origin alone. */
function linkEndpoint({ url: { origin } }: Link): Endpoint {
  return { root: origin, origin, key: '', isVendor: false };
}

/** `Config.headers` are for the service, so the host of a link does not get them. */
function linkHeaders({ userAgent }: Settings): Record<string, string> {
  return { accept: '*/*', 'user-agent': userAgent };
}

/** The service of a route, for instance `chat` for `chat.create`. */
export function serviceOf({ id }: Pick<Route, 'id'>): string {
  return id.slice(0, id.indexOf('.'));
}

/** The call with its hooks. Calls their `onStart`, so the call must be sent next. */
export function withHooks(call: Call, settings: Settings, ctx: CallContext, id: string): Call {
  if (settings.hooks.length === 0) return call;
  const { operation, route, endpoint, service, model, effort, misspelled, secrets, reply, body } = call;
  const hooks = startOperation(settings, ctx, {
    kind: 'call',
    operation,
    route: id,
    surface: route.surface,
    method: route.method,
    endpoint: route.path,
    origin: endpoint.origin,
    service,
    model,
    effort,
    misspelled,
    stream: reply === 'stream',
    secrets,
    request: () => (typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined),
  });
  return { ...call, hooks };
}

/** How a call waits at its gate; undefined if it does not wait. Throws for invalid fields of the context either way. */
export function queueFacts(context: Context, { gates }: Settings, method: string, model: string): QueueFacts | undefined {
  const { priority = 0 } = context;
  if (!Number.isFinite(priority)) throw new Problem('ctx.priority', 'must be a finite number');
  const queueTimeoutMs = durationField('ctx.queueTimeout', context.queueTimeout);
  if (!gates || method === 'GET') return undefined;
  return {
    model,
    priority,
    queueTimeoutMs: queueTimeoutMs ?? gates.options.queueTimeoutMs,
    ticket: ticketOf(context),
    onGranted: grantedOf(context),
  };
}

function headersOf(
  route: Route,
  base: Record<string, string>,
  own: Context['headers'],
  upload: UploadBody | undefined,
): Readonly<Record<string, string>> {
  if (own !== undefined) Object.assign(base, checkedHeaders(own, 'ctx.headers'));
  // Set last: a content type of the context would lack the boundary of the upload.
  if (upload) base['content-type'] = upload.contentType;
  else if (route.request === 'json') base['content-type'] = 'application/json';
  return base;
}

/** The given parameters; undefined if there are none. */
function checkedParameters(route: Route, given: CallInput['parameters'], { isVendor }: Endpoint): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined && route.rules?.parameters === undefined) return undefined;
  const parameters = withoutUndefined(given ?? {});
  for (const [name, value] of Object.entries(parameters)) checkFlat(name, value);
  check(route.rules?.parameters, parameters, isVendor);
  checkPath(route, parameters);
  return Object.keys(parameters).length > 0 ? parameters : undefined;
}

/** Refuse a value that a URL cannot have. */
function checkFlat(name: string, value: unknown): void {
  const parts: readonly unknown[] = isObject(value) ? Object.values(value) : [value];
  if (parts.some((part) => isObject(part) || typeof part === 'function' || typeof part === 'symbol'))
    throw new Problem(name, 'must be text, a number, true or false');
}

/** Serialize as JSON. The engine's own error is dropped, because it would quote the request. */
export function jsonText(body: unknown): string {
  try {
    return wellFormed(JSON.stringify(body));
  } catch {
    throw new Problem('', 'cannot be written as JSON: it holds a cycle or a bigint, or is nested too deep');
  }
}

/** Validate a context of any form. A common mistake is to pass the request in its place. */
function contextOf(ctx: CallContext, route: Route): Context {
  if (ctx === undefined || ctx === null) return toContext(ctx);
  if (typeof ctx !== 'object' || Array.isArray(ctx)) throw new Problem('ctx', 'must be a Context, an AbortSignal or undefined, and comes first');
  const requestFields = { apiKey: 1, ...route.rules?.body?.properties, ...route.rules?.parameters?.properties };
  if (Object.keys(ctx).some((name) => Object.hasOwn(requestFields, name) && !Object.hasOwn(contextFields, name)))
    throw new Problem('ctx', 'comes first: pass undefined or a Context, then the request');
  const context = toContext(ctx);
  checkFields(context, contextFields, 'ctx');
  const { signal, service = '', model = '', keepResponse = false } = context;
  if (signal !== undefined && ![signal].flat().every(isSignal)) throw new Problem('ctx.signal', 'must be an AbortSignal or an array of them');
  if (typeof service !== 'string') throw new Problem('ctx.service', 'must be a string');
  if (typeof model !== 'string') throw new Problem('ctx.model', 'must be a string');
  if (typeof keepResponse !== 'boolean') throw new Problem('ctx.keepResponse', 'must be true or false');
  return context;
}

/** Check that an id is one path segment: `..` would reach another URL, and a blank id would reach the list. */
function checkPath(route: Route, parameters: Readonly<Record<string, unknown>>): void {
  for (const name of route.pathParameters) {
    const value = parameters[name];
    if (typeof value !== 'string' || value.trim() === '') throw new Problem(name, 'must not be blank');
    if (value === '.' || value === '..') throw new Problem(name, 'must not be "." or ".."');
    if (!isWellFormed(value)) throw new Problem(name, 'must be well-formed text');
  }
}

function isWellFormed(text: string): boolean {
  return !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);
}

function withoutUndefined(parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined));
}
