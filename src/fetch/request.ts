import { abortable } from '../overlay/call/operations/bindings.ts';
import { keyField } from '../overlay/call/settings/fields.ts';
import { checkedHeaders } from '../overlay/call/settings/headers.ts';
import { validationError } from '../overlay/errors/problem.ts';
import { Problem } from '../overlay/json/problem.ts';

/** A request as a client handed it to fetch. */
export interface Asked {
  /** Undefined if it is not an absolute URL. */
  readonly url: URL | undefined;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  /** The body: as text if its type is JSON, otherwise unchanged. */
  body(): Promise<unknown>;
}

/** Read the arguments of fetch. A Request object supplies the parts that `init` does not set. */
export function askedOf(input: RequestInfo | URL, given?: RequestInit | null): Asked {
  const init = given ?? {};
  const request = typeof input === 'object' && (input as unknown) !== null && 'url' in input ? input : undefined;
  const address = request ? request.url : String(input);
  const headers = headersOf(init.headers ?? request?.headers);
  const isJson = /^application\/json\b/i.test(headers.get('content-type') ?? '');
  const signal = (init.signal === undefined ? request?.signal : init.signal) ?? undefined;
  return {
    url: URL.canParse(address) ? new URL(address) : undefined,
    method: (init.method ?? request?.method ?? 'GET').toUpperCase(),
    headers,
    signal,
    async body() {
      const body: unknown = init.body ?? request?.body;
      if (typeof body === 'string' || body === undefined || body === null) return body ?? undefined;
      // Read as bytes: the stream of a Request cannot be sent again.
      const whole = abortable(body as BodyInit, signal);
      if (isJson) return new Response(whole).text();
      return init.body ? whole : new Response(whole).arrayBuffer();
    },
  };
}

/** The platform's own error would quote the key. */
function headersOf(given: HeadersInit | undefined): Headers {
  try {
    return new Headers(given);
  } catch {
    throw validationError('serviceFetch', new Problem('headers', 'contain a name or value that is not valid in an HTTP header'));
  }
}

/** Headers of the client that are not sent on: credentials and headers that this package sets itself, and telemetry for another vendor. */
const ownHeaders = /^(authorization|x-api-key|anthropic-version|anthropic-dangerous-direct-browser-access|accept|accept-encoding|x-stainless-.*)$/;
/** Headers that the transport writes. */
const transportHeaders = /^(connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;
/** Headers whose values are ordinary words, and are not redacted. */
const plainHeaders = /^(content-type|user-agent|anthropic-beta)$/;

/** The headers of the client that are sent on. `secrets` are those whose values must not appear in errors. */
export function passedHeaders(headers: Headers): { readonly passed: Record<string, string>; readonly secrets: Record<string, string> } {
  const passed: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const [name, value] of headers) {
    if (ownHeaders.test(name) || transportHeaders.test(name) || value === '') continue;
    passed[name] = value;
    if (!plainHeaders.test(name)) secrets[name] = value;
  }
  return { passed: checkedHeaders(passed, 'headers'), secrets };
}

/** The key of the client, from either header. Two different keys are refused: one of them may belong to another vendor. */
export function keyOf(headers: Headers): string {
  const bearer = headers.get('authorization')?.replace(/^bearer\s+/i, '');
  const apiKey = headers.get('x-api-key') ?? undefined;
  if (bearer && apiKey && bearer !== apiKey)
    throw new Problem(
      'headers',
      'contain two different keys, in authorization and x-api-key: set only one of apiKey and authToken of the client, and null for the other',
    );
  const key = keyField('headers.authorization', bearer || apiKey);
  if (key === undefined) throw new Problem('headers', 'contain no API key: set apiKey of the client');
  return key;
}
