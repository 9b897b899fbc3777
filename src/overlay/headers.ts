import type { Surface } from '../generated/routes.ts';
import { isHeaderValue, type Settings } from './config.ts';
import type { Context } from './context.ts';
import type { Endpoint } from './endpoints.ts';
import { ValidationError } from './errors.ts';
import type { ReplyForm } from './plan.ts';

/** Sent with every call on the message surface. */
const anthropicVersion = '2023-06-01';
const acceptOf = { json: 'application/json', bytes: '*/*', stream: 'text/event-stream, application/json;q=0.9', raw: '*/*' } as const;

/** What every call sends. A context may replace all of it but the credential. */
export function baseHeaders(surface: Surface, reply: ReplyForm, { key }: Endpoint, { userAgent }: Settings): Record<string, string> {
  const headers: Record<string, string> = { accept: acceptOf[reply], 'accept-language': 'en-US,en', 'user-agent': userAgent };
  if (surface === 'messages') headers['anthropic-version'] = anthropicVersion;
  headers['authorization'] = `Bearer ${key}`;
  return headers;
}

/** A context's own headers by lower-case name. The credential is not among them: it cannot be replaced. */
export function contextHeaders(operation: string, given: NonNullable<Context['headers']>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(lower) || !isHeaderValue(value))
      throw new ValidationError(operation, 'ctx.headers', 'has a name or value that cannot stand in a header');
    if (lower !== 'authorization') headers[lower] = value;
  }
  return headers;
}
