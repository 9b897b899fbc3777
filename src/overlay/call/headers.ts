import type { Surface } from '../../generated/routes.ts';
import type { Context } from '../context.ts';
import { Problem } from '../errors/problem.ts';
import type { Endpoint } from './endpoints.ts';
import { isHeaderValue } from './fields.ts';

/** How to read a reply. */
export type ReplyForm = 'json' | 'bytes' | 'stream' | 'raw';

/** Sent with every call on the message surface. */
const anthropicVersion = '2023-06-01';
const acceptOf = { json: 'application/json', bytes: '*/*', stream: 'text/event-stream, application/json;q=0.9', raw: '*/*' } as const;

/** Default headers of every call. A context may replace all of them except the credential. */
export function baseHeaders(surface: Surface, reply: ReplyForm, { key }: Endpoint, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = { accept: acceptOf[reply], 'accept-language': 'en-US,en', 'user-agent': userAgent };
  if (surface === 'messages') headers['anthropic-version'] = anthropicVersion;
  headers['authorization'] = `Bearer ${key}`;
  return headers;
}

/** Headers that only the transport may set: they frame or route the message, or change the connection. */
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

/** Headers of a context by lower-case name, without the credential, which cannot be replaced. `path` is their name in errors. */
export function contextHeaders(given: NonNullable<Context['headers']>, path: string = 'ctx.headers'): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || !isHeaderValue(value))
      throw new Problem(path, 'contains a name or value that is not valid in an HTTP header');
    if (transportHeaders.has(lower)) throw new Problem(`${path}.${lower}`, 'is set by the transport: remove it');
    if (lower !== 'authorization') headers[lower] = value;
  }
  return headers;
}
