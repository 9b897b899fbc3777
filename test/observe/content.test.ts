import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OtelLogRecord, type OtelOptions, otelHook } from '../../src/observe/index.ts';
import { fittingJson } from '../../src/observe/span-content.ts';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { faults, startFakeService } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { telemetry } from '../support/otel.ts';

const fake = await sharedFake();
const seen = telemetry();
const secret = 'a very private sentence';

/** The attributes with content of the last span, parsed. */
function contentOf(): Record<string, unknown> {
  const entries = Object.entries(seen.spans().at(-1)?.attributes ?? {}).filter(([name]) =>
    /messages|instructions|definitions|arguments|result/.test(name),
  );
  return Object.fromEntries(entries.map(([name, json]) => [name, JSON.parse(String(json)) as unknown]));
}

onBothWays((driver, clientFor) => {
  const asked = [{ role: 'user', parts: [{ type: 'text', content: 'hi' }] }];
  const answered = [
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', content: 'hm' },
        { type: 'text', content: secret },
      ],
    },
  ];
  const turn = { reasoning: 'hm', text: secret };

  test.each([{}, { content: 'none' }] as const)('with %j no content is recorded', async (options) => {
    fake.answer(driver.operation, { turn }, { turn }, faults.error(400, '1211', 'Unknown Model'));
    const client = clientFor(fake, { hooks: [otelHook({ ...options, attempts: true, legacyNames: true })], maxRetries: 0 });
    await driver.create(client);
    await taken(driver.stream(client));
    await driver.create(client).catch(() => {});
    const written = JSON.stringify(seen.spans().map(({ name, attributes, events, status }) => [name, attributes, events, status]));
    expect(written).not.toContain('private');
    expect(written).not.toContain('"hi"');
  });

  test('`span`: messages of a complete reply and of a stream are the same', async () => {
    fake.answer(driver.operation, { turn }, { turn });
    const client = clientFor(fake, { hooks: [otelHook({ content: 'span' })] });
    await driver.create(client);
    expect(contentOf()).toEqual({ 'gen_ai.input.messages': asked, 'gen_ai.output.messages': answered });
    await taken(driver.stream(client));
    expect(contentOf()).toEqual({ 'gen_ai.input.messages': asked, 'gen_ai.output.messages': answered });
  });

  test('`span`: a stream that is cut has what came, and `legacyNames` the reason inside', async () => {
    fake.answer(driver.operation, { ...faults.truncatedStream(), reply: { turn: { text: ['one ', 'two '] } } }, { turn: { text: 'ok' } });
    const client = clientFor(fake, { hooks: [otelHook({ content: 'span', legacyNames: true })], maxRetries: 0 });
    await taken(driver.stream(client));
    expect(JSON.stringify(contentOf()['gen_ai.output.messages'])).toContain('one');
    await driver.create(client);
    expect(contentOf()['gen_ai.output.messages']).toMatchObject([{ finish_reason: driver.stop }]);
  });

  test('`event`: one record with structured messages, in the context of the span; none on the span', async () => {
    const records: OtelLogRecord[] = [];
    fake.answer(driver.operation, { turn });
    await taken(driver.stream(clientFor(fake, { hooks: [otelHook({ content: 'event', logger: { emit: (record) => records.push(record) } })] })));
    expect(contentOf()).toEqual({});
    expect(records.map(({ eventName, severityNumber }) => [eventName, severityNumber])).toEqual([['gen_ai.client.inference.operation.details', 9]]);
    expect(records[0]?.attributes).toMatchObject({
      'gen_ai.input.messages': asked,
      'gen_ai.output.messages': answered,
      'gen_ai.operation.name': 'chat',
    });
    const { trace } = await import('@opentelemetry/api');
    expect(trace.getSpanContext(records[0]?.context as never)?.spanId).toBe(seen.spans()[0]?.spanContext().spanId);
  });

  test('a failure is an event with severity WARN if there is a logger, without content', async () => {
    const records: OtelLogRecord[] = [];
    fake.answer(driver.operation, faults.error(400, '1211', 'Unknown Model'));
    await driver
      .create(clientFor(fake, { hooks: [otelHook({ logger: { emit: (record) => records.push(record) } })], maxRetries: 0 }))
      .catch(() => {});
    expect(records).toMatchObject([
      { eventName: 'gen_ai.client.operation.exception', severityNumber: 13, attributes: { 'exception.type': 'ApiError' } },
    ]);
  });

  test('each attribute has at most `maxContentBytes`', async () => {
    fake.answer(driver.operation, { turn: { text: '好'.repeat(5000) } });
    await driver.create(clientFor(fake, { hooks: [otelHook({ content: 'span', maxContentBytes: 300 })] }));
    const json = String(seen.spans()[0]?.attributes['gen_ai.output.messages']);
    expect(Buffer.byteLength(json)).toBeLessThanOrEqual(300);
    expect(JSON.parse(json)).toMatchObject([{ role: 'assistant', parts: [{ content: expect.stringMatching(/^好+… \(5000 characters\)$/) }] }]);
  });
});

describe('the form of content', () => {
  const record = async (request: object, options: OtelOptions = { content: 'span' }) => {
    await newClient(fake.configFor({ hooks: [otelHook(options)] }))
      .chat()
      .create(undefined, { model: 'glm-5.2', ...request } as never);
    return contentOf();
  };

  test('chat: tool calls, tool results, images and tool definitions', async () => {
    const content = await record({
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
      ],
      tools: [{ type: 'function', function: { name: 'f', description: 'F.', parameters: { type: 'object' } } }],
    });
    expect(content['gen_ai.input.messages']).toEqual([
      { role: 'system', parts: [{ type: 'text', content: 'be brief' }] },
      {
        role: 'user',
        parts: [
          { type: 'text', content: 'look' },
          { type: 'blob', modality: 'image', mime_type: 'image/png', content: '' },
        ],
      },
      { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'f', arguments: { a: 1 } }] },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'done' }] },
    ]);
    expect(content['gen_ai.tool.definitions']).toEqual([{ type: 'function', name: 'f', description: 'F.', parameters: { type: 'object' } }]);
  });

  test('messages: system instructions, tool blocks, images by address', async () => {
    await newClient(fake.configFor({ hooks: [otelHook({ content: 'span' })] }))
      .anthropic()
      .create(undefined, {
        model: 'glm-5.2',
        max_tokens: 9,
        system: 'be brief',
        messages: [
          { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' } }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'done' }] },
        ],
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
      });
    expect(contentOf()).toMatchObject({
      'gen_ai.system_instructions': [{ type: 'text', content: 'be brief' }],
      'gen_ai.input.messages': [
        { role: 'user', parts: [{ type: 'uri', modality: 'image', uri: 'https://example.com/cat.png' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 't1', name: 'f', arguments: { a: 1 } }] },
        { role: 'user', parts: [{ type: 'tool_call_response', id: 't1', response: 'done' }] },
      ],
      'gen_ai.tool.definitions': [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
    });
  });

  test('a key of the client is redacted, and other texts keep their white space', async () => {
    const code = 'if (a)\n    b();\t// [key]  of a map';
    const { apiKey } = fake.configFor();
    const content = await record({
      messages: [
        { role: 'user', content: code },
        { role: 'user', content: `my [key] is ${apiKey}` },
      ],
    });
    expect(content['gen_ai.input.messages']).toEqual([
      { role: 'user', parts: [{ type: 'text', content: code }] },
      { role: 'user', parts: [{ type: 'text', content: 'my [key] is [key]' }] },
    ]);
  });

  test('tools: arguments and result', async () => {
    const weather = defineTool({ name: 'weather', description: '', input: { type: 'object' }, run: () => ({ sky: 'clear' }) });
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather', arguments: { city: 'Rome' } }] } }, { turn: { text: 'done' } });
    await newClient(fake.configFor({ hooks: [otelHook({ content: 'span' })] }))
      .chat()
      .runWithTools(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] }, [weather] as never);
    const tool = seen.spans().find(({ name }) => name === 'execute_tool weather');
    expect(JSON.parse(String(tool?.attributes['gen_ai.tool.call.arguments']))).toEqual({ city: 'Rome' });
    expect(JSON.parse(String(tool?.attributes['gen_ai.tool.call.result']))).toEqual({ sky: 'clear' });
  });
});

onBothWays((driver, clientFor) => {
  const apiKey = 'KEY-ID-4711.KEY-"SECRET"-4711';
  const header = 'HEADER-"MARKER"-4711';
  /** A secret as the name of a field, as its value, and in text that is itself JSON. */
  const leaky = (secret: string): Record<string, unknown> => ({ [secret]: { [`a ${secret}`]: [secret, { [secret]: 1 }] } });
  const given = { ...leaky(apiKey), ...leaky(header) };
  const text = JSON.stringify(given);

  test.each(['span', 'event'] as const)('`%s`: no key and no header is in a span, an event or a metric, as a name or as a value', async (content) => {
    const own = await startFakeService({ keys: [apiKey], validate: false });
    onTestFinished(() => own.close());
    const events: OtelLogRecord[] = [];
    const hooks = [otelHook({ content, attempts: true, legacyNames: true, logger: { emit: (record) => void events.push(record) } })];
    const client = clientFor(own, { apiKey, hooks, maxRetries: 0 });
    const ctx = { headers: { 'x-extra': header } };
    const call = { id: apiKey, name: apiKey, arguments: text };
    const request: Record<string, unknown> = {
      model: apiKey,
      max_tokens: 9,
      stop: [apiKey],
      stop_sequences: [header],
      agent_id: apiKey,
      system: text,
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: [{ type: 'tool_use', id: apiKey, name: apiKey, input: given }], tool_calls: [{ id: apiKey, function: call }] },
        { role: 'tool', tool_call_id: apiKey, content: text },
      ],
      input: [
        { role: 'user', content: text },
        { type: 'function_call', call_id: apiKey, name: apiKey, arguments: text },
        { type: 'function_call_output', call_id: apiKey, output: text },
      ],
      tools: [{ name: 'a', input_schema: given, type: 'function', function: { name: 'a', parameters: given } }],
    };
    const runner = driver.service(client);
    own.answer(driver.operation, { turn: { toolCalls: [{ id: apiKey, name: apiKey, arguments: text }] } }, { turn: { text } });
    await runner.runWithTools(ctx, request as never, (() => JSON.stringify({ [apiKey]: given })) as never);
    own.answer(driver.operation, { turn: { text: [text] } }, faults.error(400, apiKey, text));
    await taken(runner.stream(ctx, request as never));
    await runner.create(ctx, request as never).catch(() => undefined);
    const spans = seen.spans().map(({ name, attributes, events: own, status }) => [name, attributes, own, status]);
    const written = JSON.stringify([spans, events.map(({ attributes }) => attributes), await seen.points()]);
    expect(['[key]', 'KEY-ID-4711', 'SECRET', 'MARKER'].filter((word) => written.includes(word))).toEqual(['[key]']);
  });
});

test('fitted JSON is JSON and never above its limit; a value that fits is unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.integer({ min: 64, max: 2000 }), (value, limit) => {
      const json = fittingJson(value, limit);
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(limit);
      const parsed: unknown = JSON.parse(json);
      const whole = JSON.stringify(value);
      if (Buffer.byteLength(whole) <= limit) expect(parsed).toEqual(JSON.parse(whole));
    }),
  );
});

test('of too many messages the last ones are kept', () => {
  const messages = Array.from({ length: 1000 }, (_, index) => ({ role: 'user', index }));
  const kept = JSON.parse(fittingJson(messages, 500)) as typeof messages;
  expect(kept.length).toBeGreaterThan(5);
  expect(kept.at(-1)?.index).toBe(999);
});
