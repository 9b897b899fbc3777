// Which recorded requests equal a request: by method, host, path with its query, and body.
import { canonical, type ExchangeRequest, isJsonObject, type Json } from './form.ts';

/** Fields at the top of a JSON body, and parameters of a query, that do not count: they differ from call to call and select no answer. */
export const ignoredByDefault: readonly string[] = ['request_id', 'user_id', 'user', 'metadata', 'safety_identifier', 'prompt_cache_key'];

/** The parts of a request that count, as one JSON value. */
export function counted({ method, host, path, body, text, base64, parts }: ExchangeRequest, ignored: ReadonlySet<string>): Json {
  const [place = '', query = ''] = splitOnce(path);
  const pairs = query.split('&').filter((pair) => pair !== '' && !ignored.has(pair.split('=')[0] ?? ''));
  const kept = isJsonObject(body) ? Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.has(name))) : body;
  const form = parts?.map((part) => Object.fromEntries(Object.entries(part).filter((entry): entry is [string, string] => entry[1] !== undefined)));
  return {
    method,
    host,
    path: place,
    ...(pairs.length > 0 && { query: pairs.sort() }),
    ...(kept !== undefined && { body: kept }),
    ...(text !== undefined && { text }),
    ...(base64 !== undefined && { base64 }),
    ...(form && { parts: form.filter((part) => !ignored.has(String(part['name']))) }),
  };
}

/** Equal for requests that count as equal. */
export function keyOf(request: ExchangeRequest, ignored: ReadonlySet<string>): string {
  return canonical(counted(request, ignored));
}

function splitOnce(path: string): [string, string] {
  const at = path.indexOf('?');
  return at < 0 ? [path, ''] : [path.slice(0, at), path.slice(at + 1)];
}
