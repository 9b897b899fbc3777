/** Checks of single fields of a Config or Context. Messages never quote the value, which may be the key. */
import type { Config } from '../../config.ts';
import { vendorHosts } from '../../errors/advice.ts';
import { Problem } from '../../json/problem.ts';

const day = 24 * 60 * 60 * 1000;

/** A key, or the user's function that returns it. */
export type Key = Config['apiKey'];

export function keyOrSource(name: string, value: unknown): Key | undefined {
  return typeof value === 'function' ? (value as () => string) : keyField(name, value);
}

export function keyField(name: string, value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new Problem(name, 'must be a string');
  if (/^["'`]|["'`]$/.test(value)) throw new Problem(name, 'has a quotation mark at its begin or end: leave it out');
  if (/^bearer\s/i.test(value)) throw new Problem(name, 'begins with Bearer: leave that word out');
  if (!/^[\x21-\x7e]+$/.test(value)) throw new Problem(name, 'contains white space, a line break or a non-ASCII character: copy it again');
  return value;
}

/** True for a name that a header may have. */
export function isHeaderName(name: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

/** True for text that is valid in a header: ASCII, because transports encode other characters differently, some by method. */
export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && /^[\t\x20-\x7e]+$/.test(value);
}

/** Check an absolute http(s) root and remove its trailing slash, and the final dot of a host of the vendor. */
export function rootField(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !URL.canParse(value)) throw new Problem(name, 'must be an absolute URL, such as https://gateway.example/v1');
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Problem(name, 'must start with https:// or http://');
  if (url.username !== '' || url.password !== '') throw new Problem(name, 'must not hold credentials', undefined, 'the key goes in apiKey');
  if (url.search !== '' || url.hash !== '') throw new Problem(name, 'must not have a query or a fragment');
  const hostname = url.hostname.replace(/\.$/, '');
  // The same host, which the rules about keys and hosts know without the dot.
  if (vendorHosts.includes(hostname)) url.hostname = hostname;
  if (/^(www\.)?(z\.ai|bigmodel\.cn)$/.test(hostname))
    throw new Problem(name, "is the vendor's web site; the API is at api.z.ai or open.bigmodel.cn");
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

export function durationField(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  // Timers overflow beyond 24.8 days and would fire immediately.
  if (typeof value !== 'number' || !(value >= 0 && value <= 20 * day))
    throw new Problem(name, 'must be a duration from 0 to 20 days', undefined, 'pass a number of milliseconds');
  return value;
}

export function retriesField(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < -1) throw new Problem(name, 'must be an integer; 0 and -1 disable retries');
  return Math.max(value, 0);
}

export function countField(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Problem(name, 'must be an integer of at least 0; 0 disables the limit');
  return value as number;
}
