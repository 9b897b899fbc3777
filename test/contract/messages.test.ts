import { describe, expect, it } from 'vitest';
import { type AnthropicMessageRequest, type AnthropicStreamEvent, anthropicTextMessage, newClient } from '../../src/overlay/index.ts';
import type { AnthropicMessageResponse } from '../../src/types/index.ts';
import { localServer } from '../support/local-server.ts';
import { accepted, collect, configAt, exchangeOf, failureOf, mockClient, preferring } from '../support/spec.ts';
import { meaningOf, payloads, replyExamples, requestExamples } from '../support/spec-examples.ts';
import { violations } from '../support/spec-schemas.ts';

const hello: AnthropicMessageRequest = { model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };

function anthropic(): ReturnType<ReturnType<typeof mockClient>['anthropic']> {
  return mockClient().anthropic();
}

describe('requests that the mock accepts', () => {
  it('refuses what breaks the spec, so that accepting means something', async () => {
    const { response } = await mockClient()
      .bindings('messages')
      // A wrong request on purpose: the bindings do not validate.
      .POST('/v1/messages', { body: { model: 'glm-4.7', messages: [] } as never });
    expect(response.status).toBe(400);
    expect(response.headers.get('sl-violations')).toContain('max_tokens');
  });

  it.each(requestExamples('anthropic.create'))('anthropic.stream: %s', async (_name, example) => {
    const { stream: _, ...request } = example as AnthropicMessageRequest & { stream?: boolean };
    const stream = anthropic().stream(undefined, request);
    const { items, error } = await collect(stream);
    expect(error).toBeUndefined();
    expect(items.at(-1)?.type).toBe('message_stop');
    expect(exchangeOf(stream)).toEqual(accepted);
  });

  it('with fields and a model that the spec does not know', async () => {
    const request = { ...hello, model: 'glm-99-preview', future_field: { deep: [1] } };
    expect(exchangeOf(await anthropic().create(undefined, request))).toEqual(accepted);
  });
});

describe('replies', () => {
  it.each(replyExamples('anthropic.create'))('text() and thinking() of %s', async (name, value) => {
    const reply = await anthropic().create(preferring(name), hello);
    const { content, reasoning_content } = value as AnthropicMessageResponse;
    expect(reply.text()).toBe(content.map((block) => (block.type === 'text' ? block.text : '')).join(''));
    expect(reply.thinking()).toBe(content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('') || (reasoning_content ?? ''));
  });

  it('text() leaves the reasoning out, and thinking() finds it in either form', async () => {
    const blocks = await anthropic().create(preferring('thinking'), hello);
    expect(blocks.thinking()).toBe('91 is 7 times 13, so it has divisors besides 1 and itself.');
    expect(blocks.text()).not.toContain('divisors');
    const field = await anthropic().create(preferring('reasoningContent'), hello);
    expect([field.text(), field.thinking()]).toEqual(['No, 91 is 7 × 13.', '91 is 7 times 13.']);
  });

  it.each(replyExamples('anthropic.create', 'text/event-stream'))(
    'anthropic.stream: %s gives every event in order, each one to the spec',
    async (name, text) => {
      const expected = payloads(text as string) as { type: string; error?: { type: string }; request_id?: string }[];
      const failure = expected.find((one) => one.type === 'error');
      const { items, error } = await collect(anthropic().stream(preferring(name), hello));
      expect(items).toEqual(expected.filter((one) => one !== failure).map((data) => ({ type: data.type, data })));
      for (const event of items) expect(violations('anthropic.create', '200', 'text/event-stream', event.data)).toEqual([]);
      if (!failure) return expect(error).toBeUndefined();
      const code = failure.error?.type as string;
      const [category, retryable] = meaningOf[code] ?? [];
      expect(error).toMatchObject({ name: 'ApiError', operation: 'anthropic.stream', surface: 'messages', code, category, retryable });
    },
  );

  it('streams text and thinking that a person can read', async () => {
    const { items } = await collect(anthropic().stream(preferring('thinking'), hello));
    const deltas = items.flatMap((event) => (event.type === 'content_block_delta' ? [event.data.delta] : []));
    expect(deltas.map((delta) => (delta.type === 'text_delta' ? delta.text : '')).join('')).toBe('No, 91 is 7 × 13.');
    expect(deltas.map((delta) => (delta.type === 'thinking_delta' ? delta.thinking : '')).join('')).toBe('91 is 7 times 13, so it is not prime.');
  });

  it('createStream hands the events of stream to the callback, and an Error given back ends it', async () => {
    const events: AnthropicStreamEvent[] = [];
    await anthropic().createStream(preferring('toolUse'), hello, (event) => {
      events.push(event);
    });
    expect(events).toEqual((await collect(anthropic().stream(preferring('toolUse'), hello))).items);
    const stop = new Error('enough');
    expect(await failureOf(() => anthropic().createStream(undefined, hello, () => stop))).toBe(stop);
  });
});

describe('declared failures', () => {
  it('carry the request id of the header, or else of the body', async () => {
    const body = { type: 'error', error: { type: '1211', message: 'Unknown Model' }, request_id: 'from-body' };
    const server = await localServer(
      { status: 400, headers: { 'x-log-id': '', 'request-id': 'from-header' }, body },
      { status: 400, headers: { 'x-log-id': '' }, body },
    );
    const client = newClient(configAt(server.url));
    expect(await failureOf(() => client.anthropic().create(undefined, hello))).toMatchObject({ requestId: 'from-header' });
    expect(await failureOf(() => client.anthropic().create(undefined, hello))).toMatchObject({ requestId: 'from-body' });
  });
});

describe('bindings of the surface', () => {
  it('send key and version by themselves, and give the failed reply as error', async () => {
    const bindings = mockClient().bindings('messages');
    const body = { model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };
    const { data, response } = await bindings.POST('/v1/messages', { body });
    expect(data).toEqual(replyExamples('anthropic.create')[0]?.[1]);
    expect(response.headers.get('sl-violations')).toBeNull();
    const failed = await bindings.POST('/v1/messages', { body, headers: { prefer: 'code=401, example=wrongKey' } });
    expect(failed.error).toMatchObject({ type: 'error', error: { type: '401' } });
  });
});
