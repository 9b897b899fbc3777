import { describe, expect, it } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { localServer } from '../support/local-server.ts';
import { ofKind } from '../support/of-kind.ts';
import { configAt, failureOf, testKey } from '../support/spec.ts';

describe('limits that are refused before anything is sent', () => {
  const client = newClient({ apiKey: testKey, maxRetries: 0, httpClient: () => Promise.reject(new Error('sent')) });
  const long = 'x'.repeat(4097);
  const _user = [{ role: 'user', content: 'hi' }];
  const cases: [string, () => Promise<object>][] = [
    [
      'embeddings.create: input must have at most 64 entries',
      () => client.embeddings().create(undefined, { model: 'embedding-3', input: Array(65).fill('x') }),
    ],
    [
      'embeddings.create: dimensions must be at most 2048',
      () => client.embeddings().create(undefined, { model: 'embedding-3', input: 'hi', dimensions: 4096 }),
    ],
    [
      'embeddings.create: dimensions must be one of 1024',
      () => client.embeddings().create(undefined, { model: 'embedding-2', input: 'hi', dimensions: 512 }),
    ],
    [
      'moderations.create: input must have at most 2000 characters',
      () => client.moderations().create(undefined, { model: 'moderation', input: 'x'.repeat(2001) }),
    ],
    ['moderations.create: input.type is required', () => client.moderations().create(undefined, { model: 'moderation', input: { text: 'hi' } })],
    ['rerank.create: documents must not be empty', () => client.rerank().create(undefined, { model: 'rerank', query: 'q', documents: [] })],
    [
      'rerank.create: documents must have at most 128 entries',
      () => client.rerank().create(undefined, { model: 'rerank', query: 'q', documents: Array(129).fill('x') }),
    ],
    [
      'rerank.create: documents[1] must have at most 4096 characters',
      () => client.rerank().create(undefined, { model: 'rerank', query: 'q', documents: ['x', long] }),
    ],
    [
      'rerank.create: query must have at most 4096 characters',
      () => client.rerank().create(undefined, { model: 'rerank', query: long, documents: ['x'] }),
    ],
    [
      'rerank.create: top_n must be at least 0',
      () => client.rerank().create(undefined, { model: 'rerank', query: 'q', documents: ['x'], top_n: -1 }),
    ],
    [
      'tools.webSearch: search_query must have at most 70 characters',
      () => client.tools().webSearch(undefined, { search_query: 'x'.repeat(71), search_engine: 'search_pro' }),
    ],
    [
      'tools.webSearch: count must be at most 50',
      () => client.tools().webSearch(undefined, { search_query: 'x', search_engine: 'search_pro', count: 51 }),
    ],
    [
      'tools.webSearch: count must be one of 10, 20, 30, 40, 50',
      () => client.tools().webSearch(undefined, { search_query: 'x', search_engine: 'search_pro_sogou', count: 11 }),
    ],
    ['tools.tokenize: messages must not be empty', () => client.tools().tokenize(undefined, { model: 'glm-4.6', messages: [] })],
  ];

  it.each(cases)('%s', async (message, call) => {
    const error = await failureOf(call);
    expect(error).toSatisfy(ofKind('validation'));
    expect((error as Error).message).toBe(message);
  });

  it('embeddings.create: no texts at all', async () => {
    const error = await failureOf(() => client.embeddings().create(undefined, { model: 'embedding-3', input: [] }));
    expect(error).toMatchObject({ kind: 'validation', path: 'input' });
  });

  it('lets a model through that the spec does not know, with the loosest limits', async () => {
    const server = await localServer({ body: { object: 'list', data: Array.from({ length: 65 }, (_, index) => ({ index, embedding: [1] })) } });
    const request = { model: 'embedding-9', input: Array(65).fill('x'), dimensions: 3 };
    await newClient(configAt(server.url)).embeddings().create(undefined, request);
    expect(server.requests[0]?.body).toEqual(request);
  });
});

describe('what goes out', () => {
  it('says search_intent false when the caller leaves it out, and keeps what the caller says', async () => {
    const server = await localServer({ body: { id: '1', search_result: [] } });
    const tools = newClient(configAt(server.url)).tools();
    const request = { search_query: 'tides', search_engine: 'search_pro' };
    await tools.webSearch(undefined, request);
    await tools.webSearch(undefined, { ...request, search_intent: true });
    expect(server.requests.map(({ body }) => body)).toEqual([
      { ...request, search_intent: false },
      { ...request, search_intent: true },
    ]);
    expect(request).not.toHaveProperty('search_intent');
  });

  it('counts pictures as chat would send them', async () => {
    const server = await localServer({ body: { id: '1', usage: {} } });
    const message = { role: 'user', content: 'What is this?', images: ['https://example.com/a.png'] };
    await newClient(configAt(server.url))
      .tools()
      .tokenize(undefined, { model: 'glm-4.6v', messages: [message] });
    expect(server.requests[0]?.body).toEqual({
      model: 'glm-4.6v',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          ],
        },
      ],
    });
  });
});
