// The recordings of the real service, beside the replies that the document has.
import { readdirSync, readFileSync } from 'node:fs';
import type { Operation } from '../../scripts/generate/document/operations.ts';
import { isObject, type Json, type JsonObject, resolve } from '../../scripts/generate/document/source.ts';
import { readExchanges } from '../../src/testing/index.ts';
import { openapi } from './openapi.ts';

interface Recording {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: JsonObject;
}

const folder = new URL('../recorded/', import.meta.url);
export const recordings = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name): Recording => {
    const [exchange] = readExchanges(readFileSync(new URL(name, folder), 'utf8'), name).exchanges;
    if (!exchange) throw new Error(`${name} is empty`);
    const { request, response } = exchange;
    return { method: request.method, path: request.path, status: response.status, body: response.body as JsonObject };
  });

/** The recorded success of an operation. A failure may come with HTTP 200. */
export function successOf({ method, path }: Operation): Recording | undefined {
  return recordings.find(
    ({ body, ...one }) => one.method === method && one.path.endsWith(path) && one.status === 200 && !('error' in body) && !('code' in body),
  );
}

export function follow(schema: Json | undefined): JsonObject {
  const target = isObject(schema) && typeof schema['$ref'] === 'string' ? { ...follow(resolve(openapi.value, schema['$ref'])), ...schema } : schema;
  return isObject(target) ? target : {};
}

export const jsonReply = ({ replies }: Operation): JsonObject =>
  follow(replies.find((one) => one.status === '200' && one.mediaType === 'application/json')?.schema);

/** Required fields of the reply of an operation that are neither recorded nor checked by the client, nor stated by `x-required-source`. */
export function unstatedFields(operation: Operation): string[] {
  const { required, 'x-required-source': stated } = jsonReply(operation);
  if (stated !== undefined) return [];
  const expected = Object.keys(operation.expected ?? {}).filter((field) => field !== 'content_filter');
  const known = new Set([...(expected.length === 1 ? expected : []), ...Object.keys(successOf(operation)?.body ?? {})]);
  return (Array.isArray(required) ? required : []).map(String).filter((field) => !known.has(field));
}
