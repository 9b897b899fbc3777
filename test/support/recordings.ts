// The recordings of the real service, in addition to the replies that the document has.
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

/** Where the required fields of a reply are stated, if no recording has them. */
const stated: Readonly<Record<string, string>> = {
  'chat.create': 'every public capture of an answer has an id',
  'anthropic.create': 'marked as required',
  'responses.create': 'every public capture of a response has id and output',
  'responses.get': 'as of responses.create',
  'audio.transcribe': 'the client takes text from choices, if the reply has those in its place',
  'layout.parse': 'marked as required',
  'layout.handwritingOCR': 'marked as required',
  'batch.create': 'every batch has an id where it is created, which the client checks; retrieving it again cannot change that',
  'batch.retrieve': 'as of batch.create',
  'batch.cancel': 'as of batch.create',
  'rerank.create': 'marked as required',
  'tools.tokenize': 'marked as required',
};

/** Required fields of the reply of an operation that are neither recorded nor checked by the client, nor `stated`. */
export function unstatedFields(operation: Operation): string[] {
  if (stated[operation.id] !== undefined) return [];
  const { required } = jsonReply(operation);
  const expected = Object.keys(operation.expected ?? {}).filter((field) => field !== 'content_filter');
  const known = new Set([...(expected.length === 1 ? expected : []), ...Object.keys(successOf(operation)?.body ?? {})]);
  return (Array.isArray(required) ? required : []).map(String).filter((field) => !known.has(field));
}
