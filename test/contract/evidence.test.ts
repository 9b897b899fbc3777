import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Operation, readOperations } from '../../scripts/generate/operations.ts';
import { isObject, type Json, type JsonObject, loadYaml, resolve } from '../../scripts/generate/source.ts';
import { readExchanges } from '../../src/testing/index.ts';

const source = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));
const operations = readOperations(source);

interface Recording {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly body: JsonObject;
}

const folder = new URL('../recorded/', import.meta.url);
const recordings = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name): Recording => {
    const [exchange] = readExchanges(readFileSync(new URL(name, folder), 'utf8'), name).exchanges;
    if (!exchange) throw new Error(`${name} is empty`);
    const { request, response } = exchange;
    return { method: request.method, path: request.path, status: response.status, body: response.body as JsonObject };
  });

/** The recorded success of an operation. A failure may come with HTTP 200. */
function successOf({ method, path }: Operation): Recording | undefined {
  return recordings.find(
    ({ body, ...one }) => one.method === method && one.path.endsWith(path) && one.status === 200 && !('error' in body) && !('code' in body),
  );
}

function follow(schema: Json | undefined): JsonObject {
  const target = isObject(schema) && typeof schema['$ref'] === 'string' ? { ...follow(resolve(source.value, schema['$ref'])), ...schema } : schema;
  return isObject(target) ? target : {};
}

/** The fields of a schema, with the path of each. */
function fieldsOf(schema: Json | undefined, at = ''): [path: string, field: JsonObject][] {
  const { properties, items } = follow(schema);
  const own = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, child]): [string, JsonObject][] => {
    const field = follow(child);
    const path = at === '' ? name : `${at}.${name}`;
    return [[path, field], ...(field['x-evidence'] === undefined ? fieldsOf(field, path) : [])];
  });
  return [...own, ...(items === undefined ? [] : fieldsOf(items, `${at}[]`))];
}

function holds(value: unknown, path: readonly string[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  const name = step.replace('[]', '');
  const child = isObject(value) ? (value as JsonObject)[name] : undefined;
  if (child === undefined) return false;
  return step.endsWith('[]') && Array.isArray(child) ? child.some((item) => holds(item, rest)) : holds(child, rest);
}

const jsonReply = ({ replies }: Operation): JsonObject =>
  follow(replies.find((one) => one.status === '200' && one.mediaType === 'application/json')?.schema);

describe('the word recorded', () => {
  it.each(operations.filter((one) => one.evidence === 'recorded').map((one) => [one.id, one] as const))(
    'is true of %s and of each field that bears no other word',
    (_id, operation) => {
      const success = successOf(operation);
      expect(success).toBeDefined();
      const unmarked = fieldsOf(jsonReply(operation)).filter(([, field]) => (field['x-evidence'] ?? 'recorded') === 'recorded');
      expect(unmarked.map(([path]) => path).filter((path) => !holds(success?.body, path.split('.')))).toEqual([]);
    },
  );

  it.each(operations.filter((one) => one.evidence !== 'recorded').map((one) => [one.id, one] as const))(
    'is not missing from %s',
    (_id, operation) => {
      expect(successOf(operation)).toBeUndefined();
    },
  );

  it('on a field of a reply means that a recording has it', () => {
    const marked = operations.flatMap((one) =>
      fieldsOf(jsonReply(one))
        .filter(([, field]) => field['x-evidence'] === 'recorded')
        .map(([path]) => [one, path] as const),
    );
    expect(marked.length).toBeGreaterThan(4);
    const seen = (one: Operation, path: string): boolean =>
      recordings.some(({ method, path: asked, body }) => method === one.method && asked.endsWith(one.path) && holds(body, path.split('.')));
    // The job's result has the schema of the synchronous call, whose failure was recorded.
    expect(marked.filter(([one, path]) => one.id !== 'fileParser.result' && !seen(one, path)).map(([one, path]) => `${one.id} ${path}`)).toEqual([]);
  });
});

/** Required fields of replies by where they are stated: marked as required in the vendor's description, or in the public protocol. */
const stated: Readonly<Record<string, readonly string[]>> = {
  // Not marked; every public capture of an answer has one.
  ChatResponse: ['id'],
  LayoutResponse: ['id', 'created', 'model'],
  HandwritingResponse: ['task_id', 'message', 'status', 'words_result_num'],
  RerankResponse: ['id', 'results', 'usage'],
  TokenizeResponse: ['id', 'usage'],
  // Not marked; every public capture of a response has one.
  ResponsesResponse: ['id', 'output'],
  AnthropicMessageResponse: ['id', 'type', 'role', 'model', 'content', 'usage'],
  // Every batch has one where it is created, which the client checks; retrieving it again cannot change that.
  Batch: ['id'],
};

describe('a required field of a reply', () => {
  it.each(operations.map((one) => [one.id, one] as const))('of %s is recorded, stated as required, or checked by the client', (_id, operation) => {
    const { schema } = operation.replies.find((one) => one.status === '200') ?? {};
    const name = String(schema?.['$ref'] ?? '').replace('#/components/schemas/', '');
    const { required } = jsonReply(operation);
    const expected = Object.keys(operation.expected ?? {});
    const success = successOf(operation);
    const known = new Set([...(stated[name] ?? []), ...(expected.length === 1 ? expected : []), ...Object.keys(success?.body ?? {})]);
    expect((Array.isArray(required) ? required : []).filter((field) => !known.has(String(field)))).toEqual([]);
  });
});
