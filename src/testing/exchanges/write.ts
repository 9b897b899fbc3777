import { validated } from '../../overlay/errors/problem.ts';
import { checkFile } from './check.ts';
import {
  canonical,
  type ExchangeBody,
  type ExchangeFile,
  type ExchangePart,
  type ExchangeRequest,
  type ExchangeResponse,
  formatName,
  formatVersion,
  type Json,
  type RecordedExchange,
} from './form.ts';

/**
 * The text of a file: sorted by host, path, method and request, with all names in one order, so that equal exchanges give equal bytes.
 *
 * Throws a ValidationError for content that `readExchanges` would refuse, such as a text that looks like a key.
 */
export function writeExchanges(file: ExchangeFile): string {
  return validated('writeExchanges', () => {
    const { confirm } = checkFile(file);
    const exchanges = sortExchanges(file.exchanges).map(({ request, response }) => ({
      request: requestJson(request),
      response: responseJson(response),
    }));
    return `${JSON.stringify({ format: formatName, version: formatVersion, ...(confirm && { confirm }), exchanges }, undefined, 2)}\n`;
  });
}

/** Equal requests keep their order. */
function sortExchanges(exchanges: readonly RecordedExchange[]): RecordedExchange[] {
  return exchanges
    .map((exchange): [string[], RecordedExchange] => {
      const { host, path, method } = exchange.request;
      return [[host, path, method, canonical(requestJson(exchange.request))], exchange];
    })
    .sort(([a], [b]) => compared(a, b))
    .map(([, exchange]) => exchange);
}

/** Not by language: the order is the same on each machine. */
function compared(a: readonly string[], b: readonly string[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** A request with its names in order. */
export function requestJson({ method, host, path, headers, parts, ...body }: ExchangeRequest): Json {
  return withoutUndefined({ method, host, path, headers: { ...headers }, ...bodyJson(body), parts: parts?.map(partJson) });
}

export function responseJson({ status, headers, frames, count, end, ...body }: ExchangeResponse): Json {
  return withoutUndefined({
    status,
    headers: { ...headers },
    ...bodyJson(body),
    frames: frames?.map(({ after, event, data, raw, base64 }) => withoutUndefined({ after, event, data, raw, base64 })),
    count: frames && (count ?? frames.length),
    end: end ?? (frames && 'closed'),
  });
}

function bodyJson({ body, text, base64 }: ExchangeBody): Record<string, Json | undefined> {
  return { body, text, base64 };
}

function partJson({ name, data, filename, type, length, sha256 }: ExchangePart): Json {
  return withoutUndefined({ name, data, filename, type, length, sha256 });
}

function withoutUndefined(fields: Readonly<Record<string, Json | undefined>>): Json {
  return Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}
