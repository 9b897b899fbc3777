// A request that violates the spec: the mock answers with place and rule, and the error of the client has both.
import { describe, expect, inject } from 'vitest';
import { isApiError } from '../../src/overlay/index.ts';
import { test } from '../support/fixture.ts';
import { failureOf } from '../support/spec.ts';

const user = { role: 'user' as const, content: 'hi' };

describe('a violation', () => {
  // The client takes null for an absent field, and the spec does not.
  test.for([
    ['chat', 'temperature', (c) => c.chat().create(undefined, { model: 'glm-5.3', messages: [user], temperature: null })],
    [
      'chat stream',
      'temperature',
      (c) =>
        c
          .chat()
          .stream(undefined, { model: 'glm-5.3', messages: [user], temperature: null })
          .next(),
    ],
    ['messages', 'temperature', (c) => c.anthropic().create(undefined, { model: 'glm-5.3', max_tokens: 9, messages: [user], temperature: null })],
    ['responses', 'tools', (c) => c.responses().create(undefined, { model: 'glm-5.3', input: 'hi', tools: null })],
    ['embeddings', 'dimensions', (c) => c.embeddings().create(undefined, { model: 'embedding-3', input: 'hi', dimensions: null })],
  ] satisfies [string, string, (client: import('../../src/overlay/index.ts').Client) => Promise<unknown>][])(
    'in a body of %s is named in the error',
    async ([, field, call], { mocked }) => {
      const error = await failureOf(() => call(mocked.with({ maxRetries: 0 })));
      expect(isApiError(error) && error.category).toBe('parameter');
      expect(String(error)).toContain('"location":["request","body"');
      expect(String(error)).toContain(field);
      expect(String(error)).not.toContain('Unknown Model');
    },
  );

  test('in a query and a header is named in the header of the reply', async ({ mocked }) => {
    const query = await mocked.bindings('chat').GET('/batches', { params: { query: { limit: 'many' as never } } });
    expect([query.response.status, query.response.headers.get('sl-violations')]).toEqual([400, expect.stringContaining('limit')]);
    // The client adds the header always.
    const header = await fetch(`${inject('mockUrl')}/v1/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'glm-5.3', max_tokens: 9, messages: [user] }),
    });
    expect([header.status, header.headers.get('sl-violations')]).toEqual([400, expect.stringContaining('anthropic-version')]);
    expect(await header.json()).toMatchObject({ error: { type: '1210' } });
  });
});

describe('promises of the guide about the mock', () => {
  const post = (accept: string, stream: boolean, content: string): Promise<Response> =>
    fetch(`${inject('mockUrl')}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json', accept },
      body: JSON.stringify({ model: 'glm-5.3', stream, messages: [{ role: 'user', content }] }),
    });

  test('it chooses a stream by Accept, not by the field stream', async () => {
    const kindOf = async (accept: string, stream: boolean) => (await post(accept, stream, 'hi')).headers.get('content-type');
    expect(await kindOf('application/json', true)).toBe('application/json');
    expect(await kindOf('text/event-stream', false)).toBe('text/event-stream');
  });

  test('a body ends at 10 MB', async () => {
    expect((await post('*/*', false, 'x'.repeat(9e6))).status).toBe(200);
    expect((await post('*/*', false, 'x'.repeat(11e6))).status).toBe(413);
  });
});
