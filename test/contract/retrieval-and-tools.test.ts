import { describe, expect, it } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { localServer } from '../support/local-server.ts';
import { configAt } from '../support/spec.ts';

describe('what goes out', () => {
  it('lets a model through that the spec does not know, with the loosest limits', async () => {
    const server = await localServer({ body: { object: 'list', data: Array.from({ length: 65 }, (_, index) => ({ index, embedding: [1] })) } });
    const request = { model: 'embedding-9', input: Array(65).fill('x'), dimensions: 3 };
    await newClient(configAt(server.url)).embeddings().create(undefined, request);
    expect(server.requests[0]?.body).toEqual(request);
  });

  it("sends search_intent false when the caller leaves it out, and keeps the caller's value", async () => {
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
