import type { Route, ServiceRoot } from '../../../generated/routes.ts';
import { type Context, isPlain } from '../../context.ts';
import { Problem } from '../../json/problem.ts';
import type { Endpoint } from './endpoints.ts';
import { isHeaderName, isHeaderValue } from './fields.ts';

/** How to read a reply. */
export type ReplyForm = 'json' | 'bytes' | 'stream' | 'collected' | 'raw';

/** Sent with every call on the message surface. */
const anthropicVersion = '2023-06-01';
const acceptOf: Readonly<Record<string, string>> = {
  json: 'application/json',
  bytes: '*/*',
  stream: 'text/event-stream, application/json;q=0.9',
  // A stream, and JSON is as good: a recording of a complete reply answers it.
  collected: 'text/event-stream, application/json',
  raw: '*/*',
} satisfies Record<ReplyForm, string>;

/** Settings that become headers. */
interface OwnHeaders {
  readonly userAgent: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
}

/** Default headers of every call. A context may replace all of them except the credential. The credential of a key function is set by each attempt. */
export function baseHeaders(
  surface: ServiceRoot,
  reply: ReplyForm | Route['reply'],
  { key }: Endpoint,
  { userAgent, headers: own }: OwnHeaders,
): Record<string, string> {
  // JSON of a kind of its own goes by its media type.
  const headers: Record<string, string> = { accept: acceptOf[reply] ?? reply, 'accept-language': 'en-US,en', 'user-agent': userAgent };
  if (surface === 'messages') headers['anthropic-version'] = anthropicVersion;
  if (own) Object.assign(headers, own);
  if (typeof key === 'string') headers['authorization'] = bearer(key);
  return headers;
}

/** The content type of a JSON body; undefined for another body. */
export function jsonTypeOf({ request }: Pick<Route, 'request'>): string | undefined {
  return request === 'json' ? acceptOf[request] : request === 'multipart' ? undefined : request;
}

/** How a reply is read: JSON of any kind as JSON. */
export function replyFormOf(reply: ReplyForm | Route['reply']): ReplyForm {
  return reply in acceptOf ? (reply as ReplyForm) : 'json';
}

export function bearer(key: string): string {
  return `Bearer ${key}`;
}

/** Headers that only the transport may set: they frame or route the message, or change the connection. */
const transportHeaders = /^(connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/;

/** Credentials are accepted only in `apiKey`, which is bound to its origin and redacted. A cookie can be a credential too. */
const credentials = /^((proxy-)?authorization|(x-)?api-key|cookie)$/;

/** Headers of a Config, a context or a raw call, by lower-case name. `path` is their name in errors. */
export function checkedHeaders(given: NonNullable<Context['headers']>, path: string): Readonly<Record<string, string>> {
  if (!isPlain(given)) throw new Problem(path, 'must be a plain object of names and values');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (credentials.test(lower)) throw new Problem(`${path}.${lower}`, 'is a credential: the key goes in apiKey');
    if (!isHeaderName(lower) || !isHeaderValue(value)) throw new Problem(path, 'contains a name or value that is not valid in an HTTP header');
    if (transportHeaders.test(lower)) throw new Problem(`${path}.${lower}`, 'is set by the transport: remove it');
    headers[lower] = value;
  }
  return headers;
}
