import type { Route } from '../../generated/routes.ts';
import type { Settings } from '../config.ts';
import { secretsOf } from '../errors/clean.ts';
import { type Endpoint, type EndpointName, endpointOf } from './endpoints.ts';
import { baseHeaders } from './headers.ts';
import { type RetryPolicy, retryPolicy } from './retry.ts';

/** How a reply is to be read. */
export type ReplyForm = 'json' | 'bytes' | 'stream' | 'raw';

/** What all calls of one operation on one client have in common. */
export interface CallPlan {
  readonly endpoint: Endpoint;
  /** Without parameters. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** To redact from the service's words, for a call without headers of its own. */
  readonly secrets: readonly string[];
  readonly reply: ReplyForm;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
}

/** Worked out at the first call: URLs, keys and headers are the same for all that follow. */
const plans = new WeakMap<Settings, Map<Route, Partial<Record<ReplyForm, CallPlan>>>>();

export function planOf(route: Route, reply: ReplyForm, settings: Settings, endpoint: EndpointName = route.surface): CallPlan {
  // Another root than the route's own is detection's business: a handful of calls.
  if (endpoint !== route.surface) return newPlan(route, reply, settings, endpoint);
  let known = plans.get(settings);
  if (!known) plans.set(settings, (known = new Map()));
  let forms = known.get(route);
  if (!forms) known.set(route, (forms = {}));
  forms[reply] ??= newPlan(route, reply, settings, endpoint);
  return forms[reply];
}

function newPlan(route: Route, reply: ReplyForm, settings: Settings, name: EndpointName): CallPlan {
  const endpoint = endpointOf(name, settings);
  const headers = baseHeaders(route.surface, reply, endpoint, settings);
  if (route.request === 'json') headers['content-type'] = 'application/json';
  return {
    endpoint,
    url: endpoint.root + route.path,
    headers: Object.freeze(headers),
    secrets: secretsOf(settings),
    reply,
    timeoutMs: settings.timeoutMs,
    retry: retryPolicy(settings, route.bills),
  };
}
