import { describe, expect } from 'vitest';
import {
  type Client,
  cachedShare,
  collect,
  collecting,
  defineTool,
  estimateCost,
  finishError,
  newClient,
  type ResponsesInputItem,
  type ResponsesReply,
  type ResponsesRequest,
  responseInfo,
  textDeltas,
  toolRun,
  usageMeter,
} from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { taken } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test as it } from '../support/fixture.ts';
import { openVendor } from '../support/vendor.ts';

const model = 'glm-5.2';
const hello = { model, input: 'Say hello.' };
const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });

const bodies = (requests: readonly { readonly body: unknown }[]): { input: ResponsesInputItem[]; previous_response_id?: string }[] =>
  requests.map(({ body }) => body as never);

describe('a response', () => {
  it('has text, reasoning and calls, which JSON does not contain', async ({ fake, client }) => {
    fake.answer('responses.create', {
      turn: { reasoning: 'so then', text: 'Hello.', toolCalls: [{ id: 'a', name: 'clock', arguments: { zone: 'UTC' } }] },
    });
    const response = await client.responses().createSimple(undefined, model, 'Say hello.');
    expect([response.text(), response.reasoning()]).toEqual(['Hello.', 'so then']);
    expect(response.toolCalls()).toMatchObject([{ call_id: 'a', name: 'clock', arguments: '{"zone":"UTC"}' }]);
    expect(Object.keys(response)).not.toContain('text');
    expect(responseInfo(response)).toMatchObject({ status: 200, attempts: 1 });
    expect(fake.requests[0]?.body).toEqual({ model, input: 'Say hello.', stream: true });
  });

  it('has its content as a list, also where the service sends one object', async ({ fake, client }) => {
    const output = [
      { type: 'reasoning', content: { type: 'reasoning_text', text: 'so then' } },
      { type: 'message', role: 'assistant', content: { type: 'output_text', text: 'Hello.' } },
    ];
    const whole = { id: 'resp_1', status: 'completed', output };
    fake.answer('responses.create', { body: whole }, { frames: [{ type: 'response.completed', response: whole }] });
    for (const response of [await client.responses().create(undefined, hello), await collect(client.responses().stream(undefined, hello))]) {
      expect([response.text(), response.reasoning()]).toEqual(['Hello.', 'so then']);
      expect(response.output[1]).toMatchObject({ content: [{ text: 'Hello.' }] });
    }
  });

  it('that is incomplete has its reason', async ({ fake, client }) => {
    fake.answer('responses.create', { turn: { reasoning: 'First I', finish: 'length' } });
    const response = await client.responses().create(undefined, hello);
    expect([response.status, response.text()]).toEqual(['incomplete', '']);
    expect(finishError(response)).toMatchObject({ reason: 'max_output_tokens', category: 'parameter', retryable: false });
  });

  it('counts its cached tokens once, in the meter and in the cost', async ({ fake }) => {
    const usage = { input_tokens: 1000, input_tokens_details: { cached_tokens: 400 }, output_tokens: 10, total_tokens: 1010 };
    fake.answer('responses.create', { body: { id: 'a', model, status: 'completed', output: [{}], usage } });
    const meter = usageMeter();
    await newClient(fake.configFor({ hooks: [meter] }))
      .responses()
      .create(undefined, hello);
    expect(meter.totals().byModel[model]).toMatchObject({ inputTokens: 1000, cachedInputTokens: 400, outputTokens: 10, totalTokens: 1010 });
    expect(estimateCost(model, usage)).toBeCloseTo((600 * 1.4 + 400 * 0.26 + 10 * 4.4) / 1_000_000, 9);
  });
});

describe('a stream', () => {
  it('ends with its last event, with or without [DONE]', async ({ fake, client }) => {
    fake.answer('responses.create', { example: 'text' }, { example: 'webSearch' }, { example: 'incomplete' });
    const streams = ['Hello, nice to meet you.', 'Sunny.', ''];
    for (const text of streams) {
      const stream = collecting(client.responses().stream(undefined, hello));
      let seen = '';
      for await (const piece of textDeltas(stream, { incomplete: 'return' })) seen += piece;
      expect(seen).toBe(text);
      expect((await stream.response()).text()).toBe(text);
    }
  });

  it.each(['failed', 'error'])('with the example %s is one ApiError with the word of the service', async (example) => {
    const { fake, client } = await openFake();
    fake.answer('responses.create', { example });
    const { error } = await taken(client.responses().stream(undefined, hello));
    const word = example === 'failed' ? 'context_length_exceeded' : 'server_error';
    expect(error).toMatchObject({ kind: 'api', code: word, attempts: 1, category: example === 'failed' ? 'parameter' : 'server' });
  });

  it('passes unknown events, and needs no sequence numbers', async ({ fake, client }) => {
    const frames = [{ type: 'response.news' }, { type: 'response.completed', response: { id: 'a', status: 'completed', output: [{}] } }];
    fake.answer('responses.create', { frames });
    expect((await taken(client.responses().stream(undefined, hello))).items).toEqual(frames);
  });
});

describe('a failure', () => {
  it('of the key comes with status 200, also instead of a stream', async ({ fake }) => {
    const client = newClient(fake.configFor({ apiKey: 'wrong-key' }));
    const expected = { kind: 'api', status: 200, code: '1000', category: 'auth', attempts: 1 };
    expect(await failure(client.responses().create(undefined, hello))).toMatchObject(expected);
    expect((await taken(client.responses().stream(undefined, hello))).error).toMatchObject(expected);
  });

  it.each([
    ['invalid_request', 'parameter', false],
    ['insufficient_quota', 'billing', false],
    ['usage_limit_reached', 'quota', false],
    ['usage_not_included', 'permission', false],
    ['rate_limit_exceeded', 'rate', true],
    ['slow_down', 'rate', true],
    ['server_error', 'server', true],
  ])('with the word %s has category %s', async (word, category, retryable) => {
    const { fake, client } = await openFake();
    // The status alone does not lead to a retry.
    fake.answer('responses.create', faults.error(429, word, 'No.'), { turn: { text: 'Hello.' } });
    const call = client.responses().create({ maxRetries: 0 }, hello);
    expect(await failure(call)).toMatchObject({ code: word, category, retryable, serviceMessage: 'No.' });
  });

  it('of an effort is refused as the service does', async ({ client }) => {
    const request = { model: 'glm-5.3', input: 'hi', reasoning: { effort: 'medium' } };
    expect(await failure(client.responses().create(undefined, request))).toMatchObject({ code: 'invalid_request', status: 400 });
    expect((await client.responses().create(undefined, { ...request, reasoning: { effort: 'high' } })).status).toBe('completed');
  });
});

describe('effort', () => {
  it('excludes the field that it is translated to, and no other', async () => {
    const { fake, clientOf } = await openVendor();
    const client = clientOf();
    const request = { model: 'glm-5.3', input: 'hi', effort: 'low' as const };
    const call = client.responses().create(undefined, { ...request, reasoning: { effort: 'high' } });
    expect(await failure(call)).toMatchObject({ kind: 'validation', path: 'effort', message: expect.stringContaining('reasoning.effort') });
    await client.responses().create(undefined, { ...request, reasoning: { summary: 'auto' } });
    expect(bodies(fake.requests)).toMatchObject([{ reasoning: { effort: 'low', summary: 'auto' } }]);
  });
});

describe('the tool loop', () => {
  const calls = (id: string) => ({ turn: { reasoning: 'I need the time', toolCalls: [{ id, name: 'clock' }] } });

  it.each(['whole', 'streamed'])('%s sends every item again, reasoning included', async (how) => {
    const { fake, client } = await openFake();
    fake.answer('responses.create', calls('a'), calls('b'), { turn: { text: 'Noon.' } });
    const run =
      how === 'whole'
        ? await client.responses().runWithTools(undefined, hello, [clock])
        : client.responses().streamWithTools(undefined, hello, [clock]);
    if (how === 'streamed') expect((await taken(run as AsyncIterable<object>)).error).toBeUndefined();
    const [first, second, third] = bodies(fake.requests);
    expect(first?.input).toEqual([{ type: 'message', role: 'user', content: 'Say hello.' }]);
    expect(second?.input.map(({ type }) => type)).toEqual(['message', 'reasoning', 'function_call', 'function_call_output']);
    expect(second?.input.at(-1)).toEqual({ type: 'function_call_output', call_id: 'a', output: 'noon' });
    const rest = JSON.stringify(third?.input);
    expect(rest.startsWith(JSON.stringify(second?.input).slice(0, -1))).toBe(true);
    const told = toolRun(run as ResponsesReply);
    expect(told).toMatchObject({ modelCalls: 3 });
    expect(told?.response.text()).toBe('Noon.');
    expect(told?.transcript).toHaveLength(8);
  });

  it.for([false, true])('reads its history from the cache, stored or sent again; stored: %s', async (store, { fake, client }) => {
    for (let round = 0; round < 3; round++) fake.answer('responses.create', { turn: { toolCalls: [{ name: 'clock', arguments: {} }] } });
    fake.answer('responses.create', { turn: { text: 'Noon.' } });
    const request = { model, store, instructions: 'You know the time of every city. '.repeat(80), input: 'What time is it?' };
    const run = toolRun(await client.responses().runWithTools(undefined, request, [clock]));
    expect(Math.round(100 * (cachedShare(run?.usage) ?? 0))).toBeGreaterThan(70);
    expect(run?.modelCalls).toBe(4);
  });

  it('with store sends only the results, and the id of the response before', async ({ fake, client }) => {
    fake.answer('responses.create', calls('a'), { turn: { text: 'Noon.' } });
    await client.responses().runWithTools(undefined, { ...hello, store: true }, [clock]);
    const [first, second] = fake.requests;
    expect(bodies([second as never])[0]).toMatchObject({
      input: [{ type: 'function_call_output', call_id: 'a', output: 'noon' }],
      previous_response_id: `resp_${first?.requestId}`,
    });
  });
});

describe('bad input is refused before the network', () => {
  const create = (client: Client, request: object) => client.responses().create(undefined, request as ResponsesRequest);

  it.each([
    ['a misspelt role', { model, input: [{ role: 'assistent', content: 'a' }] }, 'input[0].role'],
    ['a misspelt type', { model, input: [{ type: 'function_cal', call_id: 'a', name: 'b', arguments: '{}' }] }, 'input[0].type'],
    ['a message without content', { model, input: [{ role: 'user' }] }, 'input[0].content'],
    ['a result without its call', { model, input: [{ type: 'function_call_output', output: 'a' }] }, 'input[0].call_id'],
    [
      'an image as an object',
      { model, input: [{ role: 'user', content: [{ type: 'input_image', image_url: { url: 'https://example.com/a.png' } }] }] },
      'input[0].content[0].image_url',
    ],
    ['stream: true', { ...hello, stream: true }, 'stream'],
    ['a function without a name', { ...hello, tools: [{ type: 'function' }] }, 'tools[0].name'],
    ['a format without a type', { ...hello, text: { format: {} } }, 'text.format.type'],
  ])('%s', async (_what, request, path) => {
    const { fake, client } = await openFake();
    expect(await failure(create(client, request))).toMatchObject({ kind: 'validation', operation: 'responses.create', path });
    expect(fake.requests).toHaveLength(0);
  });

  it.each(['', ' ', '.', '..'])('the id %j', async (id) => {
    const { fake, client } = await openFake();
    const calls = [client.responses().get(undefined, id), client.responses().inputItems(undefined, id), client.responses().delete(undefined, id)];
    for (const call of calls) expect(await failure(call)).toMatchObject({ kind: 'validation', path: 'response_id' });
    expect(fake.requests).toHaveLength(0);
  });
});

describe('stored responses', () => {
  it('one that failed is a result', async ({ fake, client }) => {
    const stored = {
      id: 'resp_1',
      object: 'response',
      status: 'failed',
      error: { code: 'server_error', message: 'Internal failure.' },
      output: [{}],
    };
    fake.answer('responses.get', { body: stored }, faults.error(404, 'invalid_request', 'No such response.'));
    expect(await client.responses().get(undefined, 'resp_1')).toMatchObject({ status: 'failed', error: { code: 'server_error' } });
    expect(await failure(client.responses().get(undefined, 'resp_1'))).toMatchObject({ kind: 'api', status: 404, code: 'invalid_request' });
  });

  it('input items and deletion', async ({ fake, client }) => {
    expect((await client.responses().inputItems(undefined, 'resp_20261009120000aaaaaaaaaaaaaaaa')).data).toHaveLength(1);
    fake.answer('responses.delete', { example: 'deleted' }, faults.emptyBody());
    expect(await client.responses().delete(undefined, 'resp_1')).toMatchObject({ deleted: true });
    expect(await client.responses().delete(undefined, 'resp_1')).toEqual({});
  });
});
