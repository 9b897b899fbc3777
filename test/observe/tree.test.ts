import diagnostics from 'node:diagnostics_channel';
import * as api from '@opentelemetry/api';
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OtelOptions, otelHook } from '../../src/observe/index.ts';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { batchEngine } from '../support/batch-engine.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { sharedFake } from '../support/fake.ts';
import { telemetry, treeOf } from '../support/otel.ts';
import { configAt } from '../support/spec.ts';

const fake = await sharedFake();
const seen = telemetry();
const tracer = api.trace.getTracer('test');
const hello = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

/** Runs inside a span of the program. */
function within<T>(name: string, run: () => T): T {
  const span = tracer.startSpan(name);
  try {
    return api.context.with(api.trace.setSpan(api.context.active(), span), run);
  } finally {
    span.end();
  }
}

/** The work of an HTTP instrumentation, on both transports: a span for each request, in the context where the request is made. */
function instrumentHttp(): void {
  const channels = ['http.client.request.start', 'undici:request:create'];
  const made = (): void => tracer.startSpan('HTTP', { kind: SpanKind.CLIENT }).end();
  for (const channel of channels) diagnostics.subscribe(channel, made);
  onTestFinished(() => {
    for (const channel of channels) diagnostics.unsubscribe(channel, made);
  });
}

const weather = defineTool({
  name: 'weather',
  description: 'Weather of a city',
  input: { type: 'object', properties: { city: { type: 'string' } } },
  run: ({ city }: { city?: string }) => {
    within('inside the tool', () => {});
    if (city === 'Atlantis') throw new RangeError('a private message');
    return `sunny in ${city}`;
  },
});

onBothWays((driver, clientFor) => {
  test('the spans of an HTTP instrumentation are children of the call, for each attempt and for streams', async () => {
    instrumentHttp();
    const client = clientFor(fake, { hooks: [otelHook()], retryDelay: 0 });
    fake.answer(driver.operation, ...faults.serverErrors(1));
    await within('program', () => driver.create(client));
    // The context of a stream is from the place where it is made, not of its first read.
    const stream = within('maker', () => driver.stream(client));
    await within('reader', () => taken(stream));
    expect(treeOf(seen.spans())).toEqual(['program', '  chat glm-5.2', '    HTTP', '    HTTP', 'maker', '  chat glm-5.2', '    HTTP', 'reader']);
  });

  test('a tool loop is a tree, and its errors have no content', async () => {
    const call = (city: string) => ({ name: 'weather', arguments: JSON.stringify({ city }) });
    fake.answer(driver.operation, { turn: { toolCalls: [call('Rome'), call('Atlantis')] } }, { turn: { text: 'done' } });
    const client = clientFor(fake, { hooks: [otelHook()] });
    await within('program', async () => driver.service(client).runWithTools(undefined, driver.request('hi'), [weather] as never));
    expect(treeOf(seen.spans())).toEqual([
      'program',
      '  invoke_agent',
      '    chat glm-5.2',
      '    execute_tool weather',
      '      inside the tool',
      '    execute_tool weather',
      '      inside the tool',
      '    chat glm-5.2',
    ]);
    const [rome, atlantis] = seen.spans().filter(({ name }) => name.startsWith('execute_tool'));
    expect(rome?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'weather',
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': expect.stringMatching(/./),
      'gen_ai.tool.description': weather.description,
    });
    expect(atlantis).toMatchObject({ kind: SpanKind.INTERNAL, status: { code: SpanStatusCode.ERROR }, attributes: { 'error.type': 'RangeError' } });
    expect(JSON.stringify(seen.spans().map(({ attributes, status, events }) => [attributes, status, events]))).not.toContain('private');
    expect(seen.open()).toBe(0);
  });

  test('no trace header is sent, unless the caller adds it', async () => {
    const propagator: api.TextMapPropagator = {
      inject: (context, carrier, setter) => setter.set(carrier, 'traceparent', api.trace.getSpanContext(context)?.traceId ?? ''),
      extract: (context) => context,
      fields: () => ['traceparent'],
    };
    api.propagation.setGlobalPropagator(propagator);
    onTestFinished(() => api.propagation.disable());
    const client = clientFor(fake, { hooks: [otelHook({ attempts: true, content: 'span' })] });
    await within('program', () => driver.create(client));
    await within('program', () => {
      const headers: Record<string, string> = {};
      api.propagation.inject(api.context.active(), headers);
      return driver.create(client, { headers: headers } as never);
    });
    const [without, asked] = fake.requests;
    expect(Object.keys(without?.headers ?? {}).filter((name) => /trace|baggage|b3/.test(name))).toEqual([]);
    expect(asked?.headers['traceparent']).toMatch(/^[0-9a-f]{32}$/);
  });
});

test('a streamed tool loop that is left ends all its spans', async () => {
  const client = newClient(fake.configFor({ hooks: [otelHook()] }));
  fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather', arguments: '{"city":"Rome"}' }] } }, { turn: { text: ['a', 'b', 'c'] } });
  const stream = client.chat().streamWithTools(undefined, hello, [weather] as never);
  for await (const chunk of stream) if (chunk.choices?.[0]?.delta.content) break;
  expect(seen.open()).toBe(0);
  expect(seen.spans().map(({ name }) => name)).toEqual(['chat glm-5.2', 'inside the tool', 'execute_tool weather', 'chat glm-5.2', 'invoke_agent']);
});

test('waiting for a job is a span, and its polls have no usage', async () => {
  const usage = { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 };
  fake.answer('client.getAsyncResult', { body: { task_status: 'PROCESSING' } }, { body: { task_status: 'SUCCESS', choices: [{}], usage } });
  await newClient(fake.configFor({ hooks: [otelHook()] })).waitForResult(undefined, 'task-1', { interval: 100 });
  expect(treeOf(seen.spans())).toEqual(['waitForResult', '  fetch_response', '  fetch_response']);
  expect(JSON.stringify(seen.spans().map(({ attributes }) => attributes))).not.toContain('usage');
  expect((await seen.points()).map(({ name }) => name)).toEqual(['gen_ai.client.operation.duration']);
});

test('a batch is a span that contains the requests it consists of', async () => {
  instrumentHttp();
  const engine = await batchEngine({ states: ['in_progress', 'completed'] });
  const client = newClient(configAt(engine.url, { hooks: [otelHook()] }));
  await client.batch().run(undefined, [{ body: hello }], { interval: 1 });
  expect(treeOf(seen.spans())).toEqual(['batch.run', ...engine.asked.map(() => '  HTTP')]);
});

describe('the span of an operation', () => {
  const create = async (options: OtelOptions) => {
    await newClient(fake.configFor({ hooks: [otelHook(options)] }))
      .chat()
      .create(undefined, hello);
  };

  test.each<[string, (client: ReturnType<typeof newClient>) => Promise<unknown>, string, object]>([
    [
      'images',
      (client) => client.images().generate(undefined, { model: 'glm-image', prompt: 'a cat' }),
      'generate_content glm-image',
      { 'gen_ai.output.type': 'image', 'gen_ai.request.model': 'glm-image' },
    ],
    [
      'embeddings',
      (client) => client.embeddings().create(undefined, { model: 'embedding-3', input: 'x', dimensions: 256 }),
      'embeddings embedding-3',
      { 'gen_ai.embeddings.dimension.count': 256 },
    ],
    ['raw bindings', (client) => client.bindings('chat').POST('/chat/completions', { body: hello as never }), 'chat glm-5.2', {}],
  ])('%s', async (_name, call, name, attributes) => {
    await call(newClient(fake.configFor({ hooks: [otelHook()] })));
    expect(seen.spans().map((span) => span.name)).toEqual([name]);
    expect(seen.spans()[0]?.attributes).toMatchObject(attributes);
    if (_name === 'embeddings')
      expect(Object.keys(seen.spans()[0]?.attributes ?? {}).filter((one) => one.startsWith('gen_ai.usage'))).toEqual(['gen_ai.usage.input_tokens']);
  });

  test('operations without a GenAI convention have none, and keep their context', async () => {
    instrumentHttp();
    const client = newClient(fake.configFor({ hooks: [otelHook()] }));
    await within('program', () => client.models().list(undefined));
    expect(treeOf(seen.spans())).toEqual(['program', '  HTTP']);
    expect(await seen.points()).toEqual([]);
  });

  test('has the parameters of the request and the facts of the reply', async () => {
    const messages = hello.messages;
    fake.answer('chat.create', { turn: { text: 'ok', reasoning: 'so', finish: 'length', usage: { input: 3, output: 4 } } });
    await newClient(fake.configFor({ hooks: [otelHook()], wholeReplies: true }))
      .chat()
      .create(undefined, {
        model: 'glm-5.2',
        messages,
        temperature: 0.5,
        top_p: 0.9,
        max_tokens: 100,
        stop: ['END'],
        reasoning_effort: 'high',
        response_format: { type: 'json_object' },
      });
    const [span] = seen.spans();
    expect(span?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'z_ai',
      'gen_ai.request.model': 'glm-5.2',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(fake.url).port),
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.request.reasoning.level': 'high',
      'gen_ai.output.type': 'json',
      'gen_ai.response.id': expect.stringMatching(/./),
      'gen_ai.response.model': 'glm-5.2',
      'gen_ai.response.finish_reasons': ['length'],
      'gen_ai.usage.input_tokens': 3,
      'gen_ai.usage.output_tokens': 4,
      'modelsvc.request_id': expect.stringMatching(/./),
    });
    expect(span?.instrumentationScope).toMatchObject({ name: 'modelsvc', schemaUrl: 'https://opentelemetry.io/schemas/gen-ai/1.42.0' });
  });

  test('has the parameters of a request on Responses, which have other names', async () => {
    fake.answer('responses.create', { turn: { text: 'ok', finish: 'length' } });
    const request = { model: 'glm-5.2', input: 'hi', instructions: 'Brief', max_output_tokens: 100, reasoning: { effort: 'high' }, stop: ['END'] };
    await newClient(fake.configFor({ hooks: [otelHook()] }))
      .responses()
      .create(undefined, { ...request, text: { format: { type: 'json_object' } } });
    expect(seen.spans()[0]?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.max_tokens': 100,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.request.reasoning.level': 'high',
      'gen_ai.output.type': 'json',
      'gen_ai.response.finish_reasons': ['max_output_tokens'],
    });
  });

  test('a stream has its flag and the time to its first chunk', async () => {
    await taken(
      newClient(fake.configFor({ hooks: [otelHook()] }))
        .chat()
        .stream(undefined, hello),
    );
    expect(seen.spans()[0]?.attributes).toMatchObject({ 'gen_ai.request.stream': true, 'gen_ai.response.time_to_first_chunk': expect.any(Number) });
  });

  test('`provider` replaces the name of the provider', async () => {
    await create({ provider: 'my_gateway' });
    expect(seen.spans()[0]?.attributes['gen_ai.provider.name']).toBe('my_gateway');
  });

  test('`enabled` that returns false, throws, or is asynchronous, records no content', async () => {
    await create({ enabled: () => false });
    await create({ enabled: () => Promise.reject(new Error('broken')) as never });
    await create({
      enabled: () => {
        throw new Error('broken');
      },
    });
    expect([seen.spans(), await seen.points()]).toEqual([[], []]);
    await create({ enabled: () => true });
    expect(seen.spans()).toHaveLength(1);
  });

  test('a given tracer and meter are used', async () => {
    const names: string[] = [];
    const own: api.Tracer = {
      startSpan: (name, options, context) => {
        names.push(name);
        return tracer.startSpan(name, options, context);
      },
      startActiveSpan: tracer.startActiveSpan.bind(tracer) as api.Tracer['startActiveSpan'],
    };
    await create({ tracer: own, meter: api.createNoopMeter() });
    expect([names, await seen.points()]).toEqual([['chat glm-5.2'], []]);
  });

  test('a span that throws does not reach the call', async () => {
    const broken = new Proxy({} as api.Span, {
      get: () => () => {
        throw new Error('broken');
      },
    });
    await create({ tracer: { startSpan: () => broken, startActiveSpan: (() => {}) as never } });
    expect(fake.requests).toHaveLength(1);
  });
});
