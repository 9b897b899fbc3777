// One request of a client, from the arguments of fetch to a Response.
import type { Surface } from '../generated/routes.ts';
import { rawBody } from '../overlay/call/operations/bindings.ts';
import { type Call, queueFacts, routeFor, serviceOf, withHooks } from '../overlay/call/request/call.ts';
import { startOperation } from '../overlay/call/request/operation.ts';
import { baseHeaders } from '../overlay/call/settings/headers.ts';
import type { Settings } from '../overlay/call/settings/settings.ts';
import { secretsOf } from '../overlay/errors/clean.ts';
import { AbortError } from '../overlay/errors/errors.ts';
import { isAbortError, isModelsvcError } from '../overlay/errors/guards.ts';
import { Problem, validated } from '../overlay/errors/problem.ts';
import { sanitizeToolSchemas, type ToolWithSchema } from '../overlay/tool-schema/index.ts';
import { misspelled } from '../overlay/validation/misspelled.ts';
import { type Asked, askedOf, fieldsIn, keyOf, passedHeaders } from './request.ts';
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
  let surface: Surface = 'chat';
  let bills = false;
  let signal: AbortSignal | undefined;
  try {
    const asked = askedOf(input, init);
    signal = asked.signal;
    // The openai client fetches `data:,` before an upload, to examine the FormData of the platform.
    if (asked.url && /^(data|blob):$/.test(asked.url.protocol)) return await globalThis.fetch(asked.url.href, { signal: signal ?? null });
    if (asked.headers.has('anthropic-version')) surface = 'messages';
    const { call, fields } = await callOf(adapter, asked, surface);
    bills = call.retry.bills;
    return await respond(call, adapter.settings, fields);
  } catch (error) {
    if (isAbortError(error)) throw shownTo({ signals: signal ? [signal] : [] }, error);
    if (!isModelsvcError(error)) throw error;
    return failedResponse(error, { surface, bills, steersClient: adapter.steersClient });
  }
}

interface Built {
  readonly call: Call;
  /** The JSON body of the client. */
  readonly fields: Readonly<Record<string, unknown>>;
}

async function callOf({ settings, origins, toolSchemas }: Adapter, asked: Asked, surface: Surface): Promise<Built> {
  const { method, signal } = asked;
  const given = asked.url && surface === 'messages' ? withMessagesPath(asked.url) : asked.url;
  const route = given && routeOf(method, given);
  const operation = route?.id ?? `${method} (a path outside the spec)`;
  const facts = { kind: 'call', operation, route: route?.id ?? '', surface: route?.surface ?? surface, method, endpoint: route?.path ?? '' } as const;
  try {
    const { url, key, passed, secrets } = validated(operation, () => ({
      url: allowed(given, origins),
      key: keyOf(asked.headers),
      ...passedHeaders(asked.headers),
    }));
    const text = await asked.body();
    const { body, contentType } = await rawBody(text);
    const fields = (route?.request === 'json' && fieldsIn(body)) || {};
    const streams = route?.streams === true && (fields['stream'] === true || (text instanceof FormData && text.get('stream') === 'true'));
    const endpoint = { root: rootIn(url, route), origin: url.origin, key, isVendor: serviceOrigins.has(url.origin) };
    const reply = streams ? 'stream' : (route?.reply ?? 'raw');
    const { model } = fields;
    const call: Call = {
      operation,
      route: route ? routeFor(route, fields) : { method, path: '', surface },
      endpoint,
      url: url.href,
      headers: {
        ...baseHeaders(facts.surface, reply, endpoint, settings),
        ...passed,
        ...(contentType !== undefined && { 'content-type': contentType }),
      },
      secrets: secretsOf({ apiKey: key }, secrets),
      body: toolSchemas ? (withTools(fields) ?? body) : body,
      reply,
      service: route?.stamped ? serviceOf(route) : '',
      model: route?.stamped && typeof model === 'string' ? model : '',
      misspelled: route && settings.hooks.length > 0 ? misspelled(route, fields)?.message : undefined,
      timeoutMs: settings.timeoutMs,
      retry: { maxRetries: settings.maxRetries, baseDelayMs: settings.retryDelayMs, bills: route?.bills ?? method !== 'GET' },
      signals: signal ? [signal] : [],
      hooks: undefined,
      queue: queueFacts({}, settings, method, typeof model === 'string' ? model : route ? serviceOf(route) : ''),
    };
    return { call: withHooks(call, settings, undefined, facts.route), fields };
  } catch (cause) {
    const error = signal?.aborted ? new AbortError(operation, signal.reason) : cause;
    startOperation(settings, undefined, facts)?.failed(error);
    throw error;
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

/** The body with tool schemas that the service accepts; undefined if no schema needs a change. */
function withTools(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { tools } = fields;
  if (!Array.isArray(tools)) return undefined;
  const sanitized = sanitizeToolSchemas(tools as readonly ToolWithSchema[]);
  return sanitized === tools ? undefined : JSON.stringify({ ...fields, tools: sanitized });
}
