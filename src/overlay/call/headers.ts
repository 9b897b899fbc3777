import type { Surface } from '../../generated/routes.ts';
import type { Context } from '../context.ts';
import { Problem } from '../errors/problem.ts';
import type { Endpoint } from './endpoints.ts';
import { isHeaderValue } from './fields.ts';

/** How a reply is to be read. */
export type ReplyForm = 'json' | 'bytes' | 'stream' | 'raw';

/** Sent with every call on the message surface. */
const anthropicVersion = '2023-06-01';
const acceptOf = { json: 'application/json', bytes: '*/*', stream: 'text/event-stream, application/json;q=0.9', raw: '*/*' } as const;

/** The headers of every call. A context may replace all of them but the credential. */
export function baseHeaders(surface: Surface, reply: ReplyForm, { key }: Endpoint, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = { accept: acceptOf[reply], 'accept-language': 'en-US,en', 'user-agent': userAgent };
  if (surface === 'messages') headers['anthropic-version'] = anthropicVersion;
  headers['authorization'] = `Bearer ${key}`;
  return headers;
}

/** Headers that frame or route the message, or change the connection: the transport alone may set them. */
const transportHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** A context's own headers by lower-case name, without the credential, which cannot be replaced. `path` is their place in errors. */
export function contextHeaders(given: NonNullable<Context['headers']>, path: string = 'ctx.headers'): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || !isHeaderValue(value))
      throw new Problem(path, 'has a name or value that cannot stand in a header');
    if (transportHeaders.has(lower)) throw new Problem(`${path}.${lower}`, 'frames or routes the message and is set by the transport: leave it out');
    if (lower !== 'authorization') headers[lower] = value;
  }
  return headers;
}
