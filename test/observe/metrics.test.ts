import { describe, expect, test } from 'vitest';
import { otelHook } from '../../src/observe/index.ts';
import { defineTool, newClient, newFunctionTool } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { type Point, telemetry } from '../support/otel.ts';

const fake = await sharedFake();
const seen = telemetry();
const hello = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const agentSeconds = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const tokens = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const calls = [1, 2, 4, 8, 16, 32, 64, 128];

/** Unit and buckets of each metric that was recorded. */
function shapes(points: readonly Point[]): Record<string, [unit: string, boundaries: readonly number[] | undefined]> {
  return Object.fromEntries(points.map(({ name, unit, boundaries }) => [name, [unit, boundaries]]));
}

function sums(points: readonly Point[]): Record<string, number> {
  return Object.fromEntries(points.filter(({ unit }) => unit !== 's').map(({ name, sum }) => [name, sum]));
}

const streamed = {
  'gen_ai.client.inference.duration': ['s', seconds],
  'gen_ai.client.inference.time_to_first_chunk': ['s', seconds],
  'gen_ai.client.inference.time_per_output_chunk': ['s', seconds],
  'gen_ai.client.inference.operation.input_tokens': ['{token}', tokens],
  'gen_ai.client.inference.operation.output_tokens': ['{token}', tokens],
  'gen_ai.client.inference.usage.input_tokens': ['{token}', undefined],
  'gen_ai.client.inference.usage.output_tokens': ['{token}', undefined],
};

const cached = {
  chat: {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 60 },
    completion_tokens_details: { reasoning_tokens: 5 },
  },
  messages: { input_tokens: 30, output_tokens: 20, cache_read_input_tokens: 60, cache_creation_input_tokens: 10 },
  responses: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 60 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  },
};

onBothWays((driver, clientFor) => {
  test('names, units and buckets of a stream, one sample for each chunk after the first', async () => {
    fake.answer(driver.operation, { turn: { text: ['a', 'b', 'c'], usage: { input: 3, output: 4 } } });
    const { items } = await taken(driver.stream(clientFor(fake, { hooks: [otelHook()] })));
    const points = await seen.points();
    expect(shapes(points)).toEqual(streamed);
    expect(points.find(({ name }) => name.endsWith('time_per_output_chunk'))?.count).toBe(items.length - 1);
    expect(points.find(({ name }) => name.endsWith('inference.duration'))).toMatchObject({
      count: 1,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'z_ai',
        'gen_ai.request.model': 'glm-5.2',
        'gen_ai.response.model': 'glm-5.2',
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(fake.url).port),
      },
    });
    expect(points.find(({ name }) => name.endsWith('usage.input_tokens'))?.attributes['gen_ai.token.modality']).toBe('unknown');
    expect(sums(points)).toMatchObject({
      'gen_ai.client.inference.usage.input_tokens': 3,
      'gen_ai.client.inference.usage.output_tokens': 4,
    });
  });

  test('input tokens include cached tokens, on the span and in the metrics', async () => {
    const body = { ...named[driver.surface].whole('glm-5.2'), usage: cached[driver.surface] };
    fake.answer(driver.operation, { body });
    await driver.create(clientFor(fake, { hooks: [otelHook({ legacyNames: true })] }));
    const own: [string, number][] =
      driver.surface === 'messages'
        ? [
            ['cache_write.input_tokens', 10],
            ['cache_creation.input_tokens', 10],
          ]
        : [['reasoning.output_tokens', 5]];
    const expected: [string, number][] = [['input_tokens', 100], ['output_tokens', 20], ['cache_read.input_tokens', 60], ...own];
    const attributes = Object.entries(seen.spans()[0]?.attributes ?? {}).filter(([name]) => name.startsWith('gen_ai.usage.'));
    expect(Object.fromEntries(attributes)).toEqual(Object.fromEntries(expected.map(([name, count]) => [`gen_ai.usage.${name}`, count])));
    expect(sums(await seen.points())).toMatchObject(
      Object.fromEntries(
        expected.filter(([name]) => !name.startsWith('cache_creation')).map(([name, count]) => [`gen_ai.client.inference.usage.${name}`, count]),
      ),
    );
  });

  test('a failed and a canceled call have a duration, and no token histogram', async () => {
    const client = clientFor(fake, { hooks: [otelHook()], maxRetries: 0 });
    fake.answer(driver.operation, faults.error(400, '1211', 'Unknown Model'));
    await driver.create(client).catch(() => {});
    fake.answer(driver.operation, { turn: { text: ['a', 'b', 'c'] } });
    for await (const _item of driver.stream(client)) break;
    const points = await seen.points();
    const durations = points.filter(({ name }) => name === 'gen_ai.client.inference.duration');
    expect(durations.map(({ attributes }) => attributes['error.type']).sort()).toEqual(['1211', undefined]);
    expect(points.filter(({ name }) => name.includes('operation.')).map(({ name }) => name)).toEqual([]);
    expect(sums(points)).toEqual({ 'gen_ai.client.inference.usage.input_tokens': 0, 'gen_ai.client.inference.usage.output_tokens': 0 });
  });

  test('`legacyNames` adds the names of 1.41', async () => {
    fake.answer(driver.operation, { turn: { text: ['a', 'b'], usage: { input: 3, output: 4 } } });
    await taken(driver.stream(clientFor(fake, { hooks: [otelHook({ legacyNames: true })] })));
    const points = await seen.points();
    expect(shapes(points)).toEqual({
      ...streamed,
      'gen_ai.client.operation.duration': ['s', seconds],
      'gen_ai.client.operation.time_to_first_chunk': ['s', seconds],
      'gen_ai.client.operation.time_per_output_chunk': ['s', seconds],
      'gen_ai.client.token.usage': ['{token}', tokens],
    });
    const usage = points.filter(({ name }) => name === 'gen_ai.client.token.usage');
    expect(usage.map(({ attributes, sum }) => [attributes['gen_ai.token.type'], sum])).toEqual([
      ['input', 3],
      ['output', 4],
    ]);
  });
});

/** A reply that names its model, and the events of its stream. */
const named = {
  chat: {
    whole: (model: string) => ({ id: 'a', model, choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'ok' } }] }),
    events: (model: string) => [{ id: 'a', model, choices: [{ index: 0, finish_reason: 'stop', delta: { content: 'ok' } }] }, '[DONE]'],
  },
  messages: {
    whole: (model: string) => ({
      id: 'a',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'ok' }],
      stop_reason: 'end_turn',
    }),
    events: (model: string) => [
      { type: 'message_start', message: { id: 'a', type: 'message', role: 'assistant', model, content: [{}] } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
  },
  responses: {
    whole: (model: string) => ({ id: 'a', object: 'response', model, status: 'completed', output: [{}] }),
    events: (model: string) => [
      { type: 'response.created', response: { id: 'a', model, output: [{}] } },
      { type: 'response.completed', response: { id: 'a', model, status: 'completed', output: [{}] } },
    ],
  },
};
const sse = (events: readonly unknown[]) => ({
  headers: { 'content-type': 'text/event-stream' },
  body: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
});

onBothWays((driver, clientFor) => {
  const attribute = async (name: string): Promise<string[]> =>
    [...new Set((await seen.points()).map(({ attributes }) => String(attributes[name])))].sort();
  const invented = Array.from({ length: 10 }, (_, index) => `invented-${index}`);

  test('a code that the service invents makes no series: the status is used instead, and the span has the code', async () => {
    const client = clientFor(fake, { hooks: [otelHook({ legacyNames: true })], maxRetries: 0 });
    for (const code of invented) {
      fake.answer(driver.operation, faults.error(422, code, 'no'), faults.embeddedFailure(undefined, code, 'no'));
      for (let call = 0; call < 2; call++) await driver.create(client).catch(() => undefined);
    }
    fake.answer(driver.operation, faults.error(400, '1211', 'no'), faults.error(529, 'overloaded_error', 'busy'), faults.resetBeforeHeaders());
    for (let call = 0; call < 3; call++) await driver.create(client).catch(() => undefined);
    expect(await attribute('error.type')).toEqual(['1211', '422', 'api', 'connection', 'overloaded_error', 'undefined']);
    expect(seen.spans().filter(({ attributes }) => invented.includes(String(attributes['error.type'])))).toHaveLength(2 * invented.length);
  });

  test("a model that the service invents makes no series: only the requested one and the catalogue's do", async () => {
    const client = clientFor(fake, { hooks: [otelHook({ legacyNames: true })] });
    for (const model of ['glm-5.2', 'glm-5-turbo', ...invented]) {
      fake.answer(driver.operation, { body: named[driver.surface].whole(model) }, sse(named[driver.surface].events(model)));
      await driver.create(client);
      await taken(driver.stream(client));
    }
    expect(await attribute('gen_ai.response.model')).toEqual(['glm-5-turbo', 'glm-5.2', 'undefined']);
    expect(seen.spans().filter(({ attributes }) => attributes['gen_ai.response.model'] === 'invented-7')).toHaveLength(2);
  });
});

describe('other operations', () => {
  test('a tool that the model invents, and the name of an error of a tool, make no series', async () => {
    class WeatherError extends Error {}
    const tools = [newFunctionTool('weather', '', { type: 'object' })];
    const client = newClient(fake.configFor({ hooks: [otelHook()] }));
    for (let index = 0; index < 8; index++) {
      fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather' }, { name: `weather_${index}` }] } }, { turn: { text: 'done' } });
      await client.chat().runWithTools(undefined, { ...hello, tools }, () => {
        throw Object.assign(new WeatherError('no'), { name: `Weather${index}Error` });
      });
    }
    const runs = (await seen.points()).filter(({ name }) => name === 'gen_ai.execute_tool.duration');
    expect(runs.map(({ attributes, count }) => [attributes['gen_ai.tool.name'], attributes['error.type'], count])).toEqual([
      ['weather', 'WeatherError', 8],
      ['_OTHER', 'WeatherError', 8],
    ]);
    expect(seen.spans().map(({ name }) => name)).toContain('execute_tool weather_7');
  });

  test('a tool loop: durations, and the numbers of calls and tools', async () => {
    const weather = defineTool({ name: 'weather', description: '', input: { type: 'object' }, run: () => 'sunny' });
    const turn = { toolCalls: [{ name: 'weather' }, { name: 'weather' }] };
    fake.answer('chat.create', { turn }, { turn: { text: 'done' } });
    await newClient(fake.configFor({ hooks: [otelHook()] }))
      .chat()
      .runWithTools(undefined, hello, [weather] as never);
    const points = (await seen.points()).filter(({ name }) => !name.startsWith('gen_ai.client'));
    expect(shapes(points)).toEqual({
      'gen_ai.execute_tool.duration': ['s', seconds],
      'gen_ai.invoke_agent.duration': ['s', agentSeconds],
      'gen_ai.invoke_agent.inference_calls': ['{inference_call}', calls],
      'gen_ai.invoke_agent.tool_calls': ['{tool_call}', calls],
    });
    expect(sums(points)).toEqual({ 'gen_ai.invoke_agent.inference_calls': 2, 'gen_ai.invoke_agent.tool_calls': 2 });
    expect(points.find(({ name }) => name.startsWith('gen_ai.execute_tool'))).toMatchObject({
      count: 2,
      attributes: { 'gen_ai.tool.name': 'weather', 'gen_ai.tool.type': 'function' },
    });
  });

  test('embeddings', async () => {
    const usage = { prompt_tokens: 7, total_tokens: 7 };
    fake.answer('embeddings.create', { body: { model: 'embedding-3', data: [{ index: 0, embedding: [1] }], usage } });
    await newClient(fake.configFor({ hooks: [otelHook()] }))
      .embeddings()
      .create(undefined, { model: 'embedding-3', input: 'x' });
    const points = await seen.points();
    expect(shapes(points)).toEqual({
      'gen_ai.client.embeddings.duration': ['s', seconds],
      'gen_ai.client.embeddings.operation.input_tokens': ['{token}', tokens],
    });
    expect(sums(points)).toEqual({ 'gen_ai.client.embeddings.operation.input_tokens': 7 });
  });
});
