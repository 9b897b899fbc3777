// Every operation and every example of the spec against the mock, over both transports.
import { afterAll, describe, expect, inject, test } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import { type CallContext, type Client, type Config, isApiError, newClient, RegionChina, RegionGlobal } from '../../src/overlay/index.ts';
import { mendMessages } from '../../src/overlay/surfaces/chat/reply.ts';
import { configFor } from '../../src/testing/index.ts';
import { altered } from '../support/altered.ts';
import { everyOperation } from '../support/every-operation.ts';
import { accepted, exchangeOf, failureOf, mockRequestId, preferring, testKey } from '../support/spec.ts';
import { errorExamples, meaningOf, replyExamples, requestExamples, toldBy } from '../support/spec-examples.ts';
import { violations } from '../support/spec-schemas.ts';

const covered = new Set<string>();
afterAll(() => {
  console.log(`operations covered against the mock: ${covered.size} of ${allRoutes.length} in the spec`);
});

const mock = (config: Partial<Config>): Client =>
  newClient(configFor(inject('mockUrl'), { apiKey: testKey, maxRetries: 0, wholeReplies: true, ...config }));

describe.each([RegionGlobal, RegionChina])('region %s', (region) => {
  test.each(Object.entries(everyOperation))('%s: the request is one that the spec allows, and its reply is read', async (id, { perform }) => {
    await expect(perform(mock({ region }))).resolves.toBeDefined();
    covered.add(id);
  });
});

test('every operation of the spec is among them', () => {
  expect([...covered].sort()).toEqual(allRoutes.map((route) => route.id).sort());
});

type Fields = Readonly<Record<string, unknown>>;

/** The request of an example. An example has a file as text, a caller has bytes. Without `stream`, the reply is complete. */
function requestOf(example: Fields, own: Fields): Fields {
  const { stream: _, ...request } = example;
  return own['file'] instanceof Uint8Array && typeof request['file'] === 'string'
    ? { ...request, file: new TextEncoder().encode(request['file']) }
    : request;
}

/** As many texts as the reply has vectors: the mock answers each request with the same example. */
function fitting(request: Fields, { data = [1] }: { readonly data?: readonly unknown[] }): Fields {
  return { ...request, input: data.map(() => 'x') };
}

/** Examples of a reply with status 200 that a caller gets as an error. A job that failed is a result. */
function isFailure(id: string, name: string): boolean {
  return ['failed', 'missingFileType'].includes(name) && !['client.getAsyncResult', 'batch.retrieve'].includes(id);
}

/** The result that a caller gets of a reply: text parts joined, the data out of the envelope of the monitor. */
function resultOf(id: string, example: unknown): unknown {
  const reply = structuredClone(example) as { choices?: unknown; data?: unknown };
  if (id.startsWith('chat.')) mendMessages(reply.choices);
  if (id === 'quota.getLimit') return { ...(reply.data as object), limits: (reply.data as { limits?: unknown }).limits ?? [] };
  return /^(quota|account)\./.test(id) ? reply.data : reply;
}

const transports: [string, Partial<Config>][] = [
  ['node', {}],
  ['fetch', { httpClient: (url, init) => fetch(url, init) }],
];

describe.each(transports)('over %s', (_transport, config) => {
  describe.each(allRoutes)('$id', ({ id, surface, reply }) => {
    const requests = requestExamples(id) as [string, Fields][];
    const [, ordinary] = requests.find(([, request]) => request['stream'] !== true) ?? [];

    /** The call of the table, with a context and a request of the spec. */
    function perform(ctx: CallContext, example = ordinary, answer: unknown = undefined): Promise<unknown> {
      const client = altered(mock(config), ([, own, ...rest]) => {
        const request = example ? requestOf(example, own as Fields) : own;
        if (id === 'rerank.create' && answer)
          return [ctx, { ...(request as Fields), top_n: (answer as { results: unknown[] }).results.length }, ...rest];
        return [ctx, id === 'embeddings.create' ? fitting(request as Fields, answer ?? {}) : request, ...rest];
      });
      return everyOperation[id]?.perform(client) as Promise<unknown>;
    }

    test.each(requests)('sends a request that the mock accepts: %s', async (_name, request) => {
      expect(exchangeOf((await perform(undefined, request)) as object)).toEqual(accepted);
    });

    const replies = reply === 'bytes' ? [] : replyExamples(id);
    test.each(replies.filter(([name]) => !isFailure(id, name)))('gives the reply as it came: %s', async (name, example) => {
      const result = (await perform(preferring(name), ordinary, example)) as object;
      expect(exchangeOf(result)).toEqual(accepted);
      const expected = resultOf(id, example);
      // The list of models has the rows of the catalogue too.
      if (id === 'models.list') return expect(result).toMatchObject(expected as object);
      expect(result).toEqual(expected);
      expect(Object.keys(result)).toEqual(Object.keys(expected as object));
      const plain: unknown = JSON.parse(JSON.stringify(result));
      expect(plain).toEqual(expected);
      if (!/^(quota|account)\./.test(id)) expect(violations(id, '200', 'application/json', plain)).toEqual([]);
    });

    test.each(replies.filter(([name]) => isFailure(id, name)))('throws a failure that comes with status 200: %s', async (name, example) => {
      const error = await failureOf(() => perform(preferring(name)));
      expect(error).toSatisfy(isApiError);
      const { code, message } = toldBy(example);
      expect(error).toMatchObject({ operation: id, status: 200, serviceMessage: message, ...(code && { code }) });
    });

    test.each(errorExamples(id))('throws the typed error: $declared $example', async ({ example, declared, status, code, message, value }) => {
      const error = await failureOf(() => perform(preferring(example, String(status))));
      expect(error).toSatisfy(isApiError);
      const operation = id.replace(/^client\./, '');
      const [category, retryable] = meaningOf[code] ?? [];
      expect(error).toMatchObject({
        ...{ operation, surface, status, code, category, retryable },
        ...{ serviceMessage: message, requestId: mockRequestId, attempts: 1 },
      });
      expect((error as Error).message).toContain(`${operation}: ${message} (status ${status}, code ${code}`);
      expect((error as Error).message).not.toContain(testKey);
      expect(violations(id, declared, 'application/json', value)).toEqual([]);
    });
  });
});
