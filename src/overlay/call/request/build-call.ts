/** The calls of the services: from a route, a context and a request. */

import type { Route } from '../../../generated/routes.ts';
import { type CallContext, type Context, contextFields, fieldsOfContext, signalsOf, toContext } from '../../context.ts';
import type { EffortInfo } from '../../hooks/hook.ts';
import { wellFormed } from '../../json/cut.ts';
import { fieldsOf } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import { secretsOf } from '../../secrets/clean.ts';
import type { UploadBody } from '../../transport/transport.ts';
import { checkBody } from '../../validation/validation.ts';
import { throwIfAborted } from '../cancellation.ts';
import type { Endpoint, EndpointName } from '../settings/endpoints.ts';
import { baseHeaders, checkedHeaders, jsonTypeOf, replyFormOf } from '../settings/headers.ts';
import type { Settings } from '../settings/settings.ts';
import { type Call, callOf, type Link, refusedCall } from './call.ts';
import { checkedParameters, urlOf } from './parameters.ts';
import type { Note } from './service-words.ts';

/** Input of an operation. */
export interface CallInput {
  readonly body?: unknown;
  /** Path and query parameters by name. */
  readonly parameters?: object | undefined;
  readonly upload?: UploadBody;
  /** Request an event stream; `collected` if its answer is returned whole. */
  readonly stream?: boolean | 'collected';
  /** The translation of the request's `effort`. */
  readonly effort?: EffortInfo | undefined;
  readonly notes?: readonly Note[] | undefined;
  /** Root to use instead of the surface's own: detection probes two roots. */
  readonly endpoint?: EndpointName;
  /** URL of a file to read instead of the route's, on any host. */
  readonly link?: Link;
}

/** Build a Call from a route, a context and a request. Throws a ValidationError before any request is sent. */
export function buildCall(route: Route, ctx: CallContext, settings: Settings, given: () => CallInput, operation: string = route.id): Call {
  try {
    return checkedCall(route, ctx, settings, given, operation);
  } catch (cause) {
    throw refusedCall(cause, { operation, route, signals: [] }, settings, ctx);
  }
}

function checkedCall(route: Route, ctx: CallContext, settings: Settings, given: () => CallInput, operation: string): Call {
  const context = contextOf(ctx, route);
  const signals = signalsOf(context);
  throwIfAborted(signals, operation);
  const { body, upload, parameters, stream, effort, notes, endpoint: name = route.surface, link } = given();
  const endpoint = link ? linkEndpoint(link) : settings.endpoints[name];
  const misspelled = route.request && checkBody(route, body, endpoint.isVendor, settings.hooks.length > 0);
  const checked = checkedParameters(route, parameters, endpoint.isVendor);
  const reply = stream === 'collected' ? stream : stream ? 'stream' : route.reply;
  const { headers } = context;
  const sent = headersOf(route, link ? linkHeaders(settings) : baseHeaders(route.surface, reply, endpoint, settings), headers, upload);
  const request = {
    operation,
    route,
    signals,
    endpoint,
    url: link ? link.url.href : checked ? urlOf(endpoint.root, route, checked, sent) : endpoint.root + route.path,
    headers: sent,
    secrets:
      headers || link || typeof endpoint.key === 'function' ? secretsOf(settings, { ...headers, link: link?.url.search ?? '' }) : settings.secrets,
    body: upload ?? (jsonTypeOf(route) && jsonText(body)),
    reply: replyFormOf(reply),
    link,
    effort,
    misspelled,
  };
  return callOf(request, { context, notes, fields: body }, settings);
}

/** The host of a link gets no key. Errors and hooks name its origin alone. */
function linkEndpoint({ url: { origin } }: Link): Endpoint {
  return { root: origin, origin, key: '', isVendor: false };
}

/** `Config.headers` are for the service, so the host of a link does not get them. */
function linkHeaders({ userAgent }: Settings): Record<string, string> {
  return { accept: '*/*', 'user-agent': userAgent };
}

function headersOf(route: Route, base: Record<string, string>, own: Context['headers'], upload: UploadBody | undefined): Record<string, string> {
  if (own !== undefined) Object.assign(base, checkedHeaders(own, 'ctx.headers'));
  // Set last: a content type of the context would lack the boundary of the upload.
  const type = upload?.contentType ?? jsonTypeOf(route);
  if (type) base['content-type'] = type;
  return base;
}

/** Serialize as JSON. The engine's own error is dropped, because it would quote the request. */
export function jsonText(body: unknown): string {
  try {
    return wellFormed(JSON.stringify(body));
  } catch {
    throw new Problem('', 'cannot be written as JSON: it holds a cycle or a bigint, or is nested too deep');
  }
}

/** Validate a context of any form. A common mistake is to pass the request instead. */
function contextOf(ctx: CallContext, route: Route): Context {
  if (!ctx) return fieldsOfContext(ctx);
  const requestFields = { apiKey: 1, ...route.rules?.body?.properties, ...route.rules?.parameters?.properties };
  if (Object.keys(fieldsOf(ctx)).some((name) => Object.hasOwn(requestFields, name) && !Object.hasOwn(contextFields, name)))
    throw new Problem('ctx', 'comes first: pass a Context and then the request, or the request alone');
  return toContext(ctx);
}
