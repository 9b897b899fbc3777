/** One call: the facts that its maker hands over, and all that follows from them. */

import type { Route, ServiceRoot } from '../../../generated/routes.ts';
import { grantedOf, type OnGranted, type Ticket, ticketOf } from '../../concurrency/notes.ts';
import type { CallContext, Context } from '../../context.ts';
import { AbortError } from '../../errors/errors.ts';
import { validationError } from '../../errors/problem.ts';
import type { EffortInfo } from '../../hooks/hook.ts';
import type { OperationHooks, Started } from '../../hooks/operation-hooks.ts';
import { fieldsOf, textOf } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import { secretsOf } from '../../secrets/clean.ts';
import type { UploadBody } from '../../transport/transport.ts';
import { abortedAmong, type Cancellation } from '../cancellation.ts';
import { startOperation } from '../operation.ts';
import { type Endpoint, refuseCrossing } from '../settings/endpoints.ts';
import { durationField } from '../settings/fields.ts';
import type { ReplyForm } from '../settings/headers.ts';
import { limitsOf, type RetryLimits } from '../settings/patience.ts';
import type { Settings } from '../settings/settings.ts';
import type { Note } from './service-words.ts';

/** The operation that a call performs. A path outside the spec has no `id`, and its `path` is empty. */
export interface RouteFacts
  extends Partial<Pick<Route, 'id' | 'bills' | 'charges' | 'performs' | 'stamped' | 'failedStatus' | 'expected' | 'isAudio' | 'emptyReply'>> {
  readonly method: string;
  readonly path: string;
  readonly surface: ServiceRoot;
  readonly answerStatus?: readonly string[] | undefined;
}

/** A link of a result. Its query may be a signature, which is a credential. */
export interface Link {
  readonly url: URL;
  /** Why a URL may not be opened, for the link and each of its redirects. */
  readonly refusal: (url: URL) => string | undefined;
}

/** The text of a refused status, for the raw bindings, which return it instead of throwing. */
export interface RefusedReply {
  readonly text: string;
  readonly status: number;
  readonly headers: Headers;
}

/** The operation and the caller's signals: all that is known of a call before its input is checked. */
export interface CallOrigin {
  /** Its name in errors. */
  readonly operation: string;
  readonly route: RouteFacts;
  readonly signals: readonly AbortSignal[];
}

/** Gets the Cancellation that stops a call. */
export type OnCallStart = (cancellation: Cancellation) => void;

/** A request, checked and ready to send, as its maker hands it over. */
export interface CallRequest extends CallOrigin {
  readonly endpoint: Endpoint;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Keys and header values, to redact from the service's text. The keys of a function are added as they are used. */
  readonly secrets: string[];
  readonly body: string | UploadBody | undefined;
  /** How to read the reply. */
  readonly reply: ReplyForm;
  /** Gets the refused reply that ends the call, for the raw bindings. */
  readonly onRefused?: ((reply: RefusedReply) => void) | undefined;
  readonly link?: Link | undefined;
  readonly effort?: EffortInfo | undefined;
  /** The problem of a misspelled field that is sent. */
  readonly misspelled?: string | undefined;
}

/** Facts of a call beyond its request. */
export interface CallFacts {
  readonly context?: Context;
  /** Facts for the hooks. */
  readonly notes?: readonly Note[] | undefined;
  /** The body as an object, if it is one. */
  readonly fields: unknown;
}

/** How a call waits at its gate. */
export interface QueueFacts {
  /** Model of the request; service if it has none. */
  readonly model: string;
  readonly priority: number;
  /** Total of all waits; 0 means no limit. Undefined: the rest of `retryFor`, or until no call was answered for a minute. */
  readonly queueTimeoutMs: number | undefined;
  /** True for a call that is sent once, whatever the learned limit is. */
  readonly ignoresLimit: boolean;
  /** True if the call has its own retries, and no share of the gate's. */
  readonly hasOwnRetries: boolean;
  readonly ticket: Ticket;
  readonly onGranted: OnGranted | undefined;
}

/** When and how often to retry a call. */
export interface RetryPolicy extends RetryLimits {
  readonly baseDelayMs: number;
  /** True if the service may still process, and bill, an attempt that got no reply. */
  readonly bills: boolean;
  readonly performs: Route['performs'];
}

/** One operation, validated and ready to send. */
export interface Call extends CallRequest {
  /** Keep the bytes of the body, if it is JSON. */
  readonly rawBody: boolean | undefined;
  readonly service: string;
  readonly model: string;
  /** Model of the request, as it is sent: it decides the price. Empty if it has none. */
  readonly asked: string;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** False for a free operation. */
  readonly charges: boolean;
  readonly hooks: OperationHooks | undefined;
  /** Undefined if the call does not wait for a place: with `concurrency: false`, or if it only reads. */
  readonly queue: QueueFacts | undefined;
}

/**
 * The one maker of a Call. Throws a Problem for an invalid field of the context. Calls `onStart` of the hooks, so the call must be sent next.
 */
export function callOf(given: CallRequest, facts: CallFacts, settings: Settings): Call {
  const { context = {}, fields } = facts;
  refuseCrossing(given.endpoint, given.operation);
  const route = routeFor(given.route, fields);
  const request = route === given.route ? given : { ...given, route };
  const asked = textOf(fieldsOf(fields)['model']);
  const service = context.service ?? stampOf(route);
  const model = context.model ?? (route.stamped ? asked : '');
  const timeoutMs = durationField('ctx.timeout', context.timeout) ?? settings.timeoutMs;
  const limits = limitsOf(context, settings.limits, 'ctx.');
  // Its maker made the request for this call. A copy of so many fields took ten times as long as all the rest.
  return Object.assign(request, {
    rawBody: context.rawBody,
    service,
    model,
    asked,
    timeoutMs,
    retry: {
      // One by one: the copy of an object whose field is then set again took 2.6 µs of the 42 of a call.
      maxRetries: limits.maxRetries,
      isBound: limits.isBound,
      // A creation makes a thing that stays, so it is not repeated for minutes.
      retryForMs: route.performs === 'creation' ? 0 : limits.retryForMs,
      baseDelayMs: settings.retryDelayMs,
      bills: route.bills ?? route.method !== 'GET',
      performs: route.performs,
    },
    charges: route.charges ?? route.method !== 'GET',
    queue: queueFacts(context, settings, limits, route.method, asked || context.model || serviceOf(route)),
    // Last, because the fields before it may throw.
    hooks: settings.hooks.length === 0 ? undefined : startCall(given, facts, settings, service, model),
  });
}

/** The error of a call that cannot be made: an abort if a signal has aborted, otherwise `cause`. The hooks see the call start and fail. */
export function refusedCall(cause: unknown, origin: CallOrigin, settings: Settings, ctx?: CallContext): unknown {
  const { operation, signals } = origin;
  const aborted = abortedAmong(signals);
  const error = aborted
    ? new AbortError(operation, aborted.reason)
    : cause instanceof Problem
      ? validationError(operation, cause, secretsOf(settings))
      : cause;
  startOperation(settings, ctx, startedOf(origin))?.failed(error);
  return error;
}

/** The service of a route, for instance `chat` for `chat.create`. Empty for a path outside the spec. */
export function serviceOf({ id = '' }: { readonly id?: string }): string {
  return id.split('.')[0] as string;
}

/** The service that hooks get without `withService`. */
function stampOf(route: RouteFacts): string {
  return route.stamped ? serviceOf(route) : '';
}

/** The route of a request. A response in the background is asked for without its answer. */
function routeFor(route: RouteFacts, fields: unknown): RouteFacts {
  return route.answerStatus && fieldsOf(fields)['background'] === true ? { ...route, answerStatus: undefined, performs: 'creation' } : route;
}

/** How a call waits at its gate; undefined if it does not wait. Throws for invalid fields of the context either way. */
function queueFacts(
  context: Context,
  { gates }: Settings,
  { maxRetries, retryForMs }: RetryLimits,
  method: string,
  model: string,
): QueueFacts | undefined {
  const { priority = 0 } = context;
  if (!Number.isFinite(priority)) throw new Problem('ctx.priority', 'must be a finite number');
  const queueTimeoutMs = durationField('ctx.queueTimeout', context.queueTimeout);
  if (!gates || method === 'GET') return undefined;
  const isUnlimited = gates.startOf(model) === undefined;
  return {
    model,
    priority,
    queueTimeoutMs: queueTimeoutMs ?? gates.options.queueTimeoutMs,
    // A call that names its wait is sent once, after it.
    ignoresLimit: maxRetries === 0 && retryForMs === 0 && queueTimeoutMs === undefined,
    hasOwnRetries: isUnlimited,
    ticket: ticketOf(context),
    // The limit of `mapCalls` is its own, where the client has none.
    onGranted: isUnlimited ? undefined : grantedOf(context),
  };
}

function startCall(
  request: CallRequest,
  { context, notes = [] }: CallFacts,
  settings: Settings,
  service: string,
  model: string,
): OperationHooks | undefined {
  const { endpoint, effort, misspelled, secrets, reply, body } = request;
  const hooks = startOperation(settings, context, {
    ...startedOf(request),
    origin: endpoint.origin,
    service,
    model,
    effort,
    misspelled,
    stream: reply === 'stream' || reply === 'collected',
    secrets,
    request: () => (typeof body === 'string' ? (JSON.parse(body) as unknown) : undefined),
  });
  hooks?.noted(notes, settings.told);
  return hooks;
}

function startedOf({ operation, route }: CallOrigin): Partial<Started> & Pick<Started, 'kind' | 'operation'> {
  const { id = '', surface, method, path } = route;
  return { kind: 'call', operation, route: id, surface, method, endpoint: path, service: stampOf(route) };
}
