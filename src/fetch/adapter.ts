// One request of a client, from the arguments of fetch to a Response.
import type { ServiceRoot } from '../generated/routes.ts';
import { fieldsIn, rawBody } from '../overlay/call/operations/bindings.ts';
import { type Call, type CallOrigin, type CallRequest, callOf, refusedCall } from '../overlay/call/request/call.ts';
import { inServiceWords } from '../overlay/call/request/service-words.ts';
import { baseHeaders, jsonTypeOf, replyFormOf } from '../overlay/call/settings/headers.ts';
import type { Settings } from '../overlay/call/settings/settings.ts';
import { isModelsvcError } from '../overlay/errors/guards.ts';
import type { Fields } from '../overlay/json/json-value.ts';
import { Problem } from '../overlay/json/problem.ts';
import { secretsOf } from '../overlay/secrets/clean.ts';
import { sanitizeToolSchemas, type ToolWithSchema } from '../overlay/tool-schema/index.ts';
import { misspelled } from '../overlay/validation/misspelled.ts';
import { type Asked, askedOf, keyOf, passedHeaders } from './request.ts';
import { respond, shownTo } from './response.ts';
import { failedResponse } from './steer.ts';
import { rootIn, routeOf, serviceOrigins, withMessagesPath } from './target.ts';

/** The checked options of `serviceFetch`. */
export interface Adapter {
  readonly settings: Settings;
  /** Origins that requests may go to. */
  readonly origins: ReadonlySet<string>;
  readonly toolSchemas: boolean;
  /** True if the client decides about retries, by the status of a failure. */
  readonly steersClient: boolean;
}

/** Perform one request. Rejects only for an abort and for a failed connection. */
export async function adapt(adapter: Adapter, input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  let surface: ServiceRoot = 'chat';
  let bills = false;
  let signal: AbortSignal | undefined;
  try {
    const asked = askedOf(input, init);
    signal = asked.signal;
    // The openai client fetches `data:,` before an upload, to examine the FormData of the platform.
    if (asked.url && /^(data|blob):$/.test(asked.url.protocol)) return await globalThis.fetch(asked.url.href, { signal: signal ?? null });
    if (asked.headers.has('anthropic-version')) surface = 'messages';
    const { call, fields } = await builtCall(adapter, asked, surface);
    bills = call.retry.bills;
    return await respond(call, adapter.settings, fields);
  } catch (error) {
    if (isModelsvcError(error, 'abort')) throw shownTo({ signals: signal ? [signal] : [] }, error);
    if (!isModelsvcError(error)) throw error;
    return failedResponse(error, { surface, bills, steersClient: adapter.steersClient });
  }
}

interface Built {
  readonly call: Call;
  /** The fields of the client's body. */
  readonly fields: Fields;
}

async function builtCall({ settings, origins, toolSchemas }: Adapter, asked: Asked, given: ServiceRoot): Promise<Built> {
  const { method, signal } = asked;
  const target = asked.url && given === 'messages' ? withMessagesPath(asked.url) : asked.url;
  const route = target && routeOf(method, target);
  const surface = route?.surface ?? given;
  const origin: CallOrigin = {
    operation: route?.id ?? `${method} (a path outside the spec)`,
    route: route ?? { method, path: '', surface },
    signals: signal ? [signal] : [],
  };
  try {
    const url = allowed(target, origins);
    const key = keyOf(asked.headers);
    const { passed, secrets } = passedHeaders(asked.headers);
    const text = await asked.body();
    const { body, contentType } = await rawBody(text);
    const fields = fieldsIn(text);
    const json = route && jsonTypeOf(route) !== undefined ? fields : {};
    const streams = route?.streams === true && fields['stream'] === (text instanceof FormData ? 'true' : true);
    const endpoint = { root: rootIn(url, route), origin: url.origin, key, isVendor: settings.config.serviceRules ?? serviceOrigins.has(url.origin) };
    const limited = surface === 'chat' && endpoint.isVendor ? withLimit(json) : json;
    const { body: worded, notes } = inServiceWords(limited, surface, endpoint, settings);
    const sent = toolSchemas ? withTools(worded) : worded;
    const reply = replyFormOf(streams ? 'stream' : (route?.reply ?? 'raw'));
    const request: CallRequest = {
      ...origin,
      endpoint,
      url: url.href,
      headers: {
        ...baseHeaders(surface, reply, endpoint, settings),
        ...passed,
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      secrets: secretsOf({ apiKey: key }, secrets),
      body: sent === json ? body : JSON.stringify(sent),
      reply,
      misspelled: route && settings.hooks.length > 0 ? misspelled(route, json)?.message : undefined,
    };
    return { call: callOf(request, { notes, fields }, settings), fields };
  } catch (cause) {
    throw refusedCall(cause, origin, settings);
  }
}

/** The URL, if a key may be sent there: by HTTP, to an origin of the service or of the gateway. */
function allowed(url: URL | undefined, origins: ReadonlySet<string>): URL {
  if (!url) throw new Problem('the URL', 'is not absolute: set baseURL of the client');
  if (!/^https?:$/.test(url.protocol)) throw new Problem('the URL', 'is neither http nor https: set baseURL of the client');
  if (url.username !== '' || url.password !== '') throw new Problem('the URL', 'must not contain credentials');
  if (!origins.has(url.origin))
    throw new Problem(
      'the URL',
      `is on ${url.origin}, which is not a host of the service: set baseURL of the client, or of serviceFetch for a gateway`,
    );
  return url;
}

/** The limit of openai under the name of the service, which ignores the other. */
function withLimit(fields: Fields): Fields {
  const { max_completion_tokens: limit, ...own } = fields;
  return (limit ?? undefined) === undefined || (own['max_tokens'] ?? undefined) !== undefined ? fields : { ...own, max_tokens: limit };
}

/** The fields with tool schemas that the service accepts; the same object if no schema needs a change. */
function withTools(fields: Fields): Fields {
  const { tools } = fields;
  if (!Array.isArray(tools)) return fields;
  const sanitized = sanitizeToolSchemas(tools as readonly ToolWithSchema[]);
  return sanitized === tools ? fields : { ...fields, tools: sanitized };
}
