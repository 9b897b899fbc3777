import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import {
  type Client,
  type Config,
  FinishReasonToolCalls,
  finishError,
  isAbortError,
  isConfigError,
  isValidationError,
  type Message,
  newClient,
  newFunctionTool,
  sanitizeToolSchemas,
} from '../../src/overlay/index.ts';
import { type FakeService, faults, startFakeService } from '../../src/testing/index.ts';
import { everyOperation } from '../support/every-operation.ts';
import { collect, failureOf } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [{ role: 'user' as const, content: 'hi' }] };

function expectNothingSent(fake: FakeService): void {
  expect(fake.requests).toEqual([]);
  expect(fake.sockets).toBe(0);
}

async function startFake(): Promise<FakeService> {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  return fake;
}

/** A client that calls its services with other values than its caller gave; accessors take none and stay as they are. */
function altered(client: Client, alter: (values: unknown[]) => unknown[]): Client {
  const wrap = (owner: object): object =>
    new Proxy(owner, {
      get: (_, name) => {
        const value: unknown = Reflect.get(owner, name);
        if (typeof value !== 'function') return value;
        return (...values: unknown[]) => (values.length === 0 ? wrap(value.call(owner)) : value.apply(owner, alter(values)));
      },
    });
  return wrap(client) as Client;
}

describe('1.3 and 4.1 accessors', () => {
  const services: Readonly<Record<string, readonly string[]>> = {
    chat: ['create', 'createAsync', 'createStream', 'stream', 'createSimple', 'runWithTools', 'runWithToolsLimit'],
    models: ['list', 'get', 'getTextModels', 'getVisionModels', 'getFreeModels', 'refreshCache'],
    images: ['generate', 'generateAsync'],
    videos: ['generate'],
    audio: ['transcribe', 'speech'],
    voice: ['clone', 'delete', 'list'],
    layout: ['parse', 'handwritingOCR'],
    fileParser: ['create', 'sync', 'result'],
    files: ['upload', 'list', 'delete', 'content'],
    batch: ['create', 'retrieve', 'list', 'cancel'],
    agents: ['invoke', 'asyncResult'],
    anthropic: ['create', 'createStream', 'stream'],
    embeddings: ['create'],
    moderations: ['create'],
    rerank: ['create'],
    tools: ['webSearch', 'webReader', 'tokenize'],
    usage: [],
    quota: [],
    detection: [],
    account: [],
  };
  const client = newClient({ apiKey: 'any' }) as unknown as Record<string, () => Record<string, unknown>>;

  it.each(Object.entries(services))('%s() has its operations, and is one object', (accessor, operations) => {
    const service = client[accessor]?.();
    for (const operation of operations) expect(service?.[operation]).toBeTypeOf('function');
    expect(client[accessor]?.()).toBe(service);
  });

  it('the client itself polls', () => {
    expect([client['getAsyncResult'], client['waitForResult']].map((one) => typeof one)).toEqual(['function', 'function']);
  });
});

describe('1.4 the context of every operation', () => {
  it.each(Object.entries(everyOperation))('%s sends nothing when it is cancelled before', async (_id, { perform }) => {
    const fake = await startFake();
    const client = altered(newClient(fake.configFor()), ([, ...rest]) => [AbortSignal.abort(), ...rest]);
    expect(await failureOf(() => perform(client))).toSatisfy(isAbortError);
    expectNothingSent(fake);
  });

  it.each(Object.entries(everyOperation))('%s is torn down when it is cancelled while it waits', async (_id, { perform }) => {
    const fake = await startFake();
    const controller = new AbortController();
    fake.fallback('*', () => {
      // The request is there, and is never answered.
      setTimeout(() => controller.abort());
      return faults.silentBeforeHeaders();
    });
    const client = altered(newClient(fake.configFor()), ([, ...rest]) => [controller.signal, ...rest]);
    expect(await failureOf(() => perform(client))).toSatisfy(isAbortError);
    await fake.idle({ sockets: true });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('1.4 waiting', () => {
  it('waitForResult stops at once when it is cancelled between two polls', async () => {
    const fake = await startFake();
    fake.task({ states: ['PROCESSING', 'PROCESSING', 'SUCCESS'] });
    const client = newClient(fake.configFor());
    const { id } = await client.chat().createAsync(undefined, hello);
    const controller = new AbortController();
    const started = performance.now();
    const onProgress = (): void => void setTimeout(() => controller.abort(), 20);
    const error = await failureOf(() => client.waitForResult(controller.signal, id ?? '', { interval: 60_000, onProgress }));
    expect(error).toMatchObject({ name: 'AbortError', operation: 'waitForResult' });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(fake.requests).toHaveLength(2);
  });
});

describe('2.1 and 6.3 what every request has', () => {
  it.each(Object.entries(everyOperation))('%s has key, User-Agent and one pair of hook firings', async (_id, { surface, perform }) => {
    const fake = await startFake();
    const fired: string[] = [];
    const hook = {
      onRequest: () => void fired.push('request'),
      onResponse: () => void fired.push('response'),
      onError: () => void fired.push('error'),
    };
    const keys = { apiKey: 'main-key', chinaAPIKey: 'china-key' };
    const client = newClient(fake.configFor({ ...keys, userAgent: 'My Tool/1.0 (+https://example.com; x86)', hooks: [hook] }));
    // The fake refuses every key but its own.
    expect(await failureOf(() => perform(client))).toMatchObject({ name: 'ApiError', category: 'auth' });
    const [request, ...more] = fake.requests;
    expect(more).toEqual([]);
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${surface === 'china' ? 'china-key' : 'main-key'}`,
      'user-agent': 'My Tool/1.0 (+https://example.com; x86)',
    });
    expect(request?.headers).not.toHaveProperty('x-api-key');
    expect('anthropic-version' in (request?.headers ?? {})).toBe(surface === 'messages');
    expect(fired).toEqual(['request', 'error']);
  });
});

describe('1.5 required fields of every operation', () => {
  const withBody = allRoutes.filter((route) => route.request !== undefined).map((route) => route.id);

  it.each(withBody)('%s refuses a request without any, and sends nothing', async (id) => {
    const fake = await startFake();
    const client = altered(newClient(fake.configFor()), ([ctx, request, ...rest]) => [ctx, ...(request === undefined ? [] : [{}]), ...rest]);
    const error = await failureOf(() => everyOperation[id]?.perform(client));
    expect(error).toSatisfy(isValidationError);
    expect(error).toMatchObject({ operation: id });
    expect((error as Error).message).toMatch(/is required$|must not be (blank|empty)$|must be /);
    expectNothingSent(fake);
  });

  it.each(['chat', 'anthropic'] as const)('%s().createStream without a callback sends nothing', async (surface) => {
    const fake = await startFake();
    const client = newClient(fake.configFor());
    const call = (): Promise<void> =>
      surface === 'chat'
        ? client.chat().createStream(undefined, hello, undefined as never)
        : client.anthropic().createStream(undefined, message, {} as never);
    expect(await failureOf(call)).toMatchObject({ name: 'ValidationError', operation: `${surface}.createStream` });
    expectNothingSent(fake);
  });

  it.each([null, '5000', { onProgress: 5 }, { interval: '5000' }, Number.NaN])('waitForResult refuses %j in place of its interval', async (wait) => {
    const fake = await startFake();
    const error = await failureOf(() => newClient(fake.configFor()).waitForResult(undefined, 'task-1', wait as never));
    expect(error).toMatchObject({ name: 'ValidationError', operation: 'waitForResult' });
    expectNothingSent(fake);
  });
});

describe('2.1 configuration', () => {
  it.each([
    ['disableToolSchemaCompat', 'no'],
    ['disableToolSchemaCompat', 1],
    ['endpoints', null],
    ['endpoints', 'https://gateway.test'],
  ])('%s as %j is a ConfigError that names it', async (field, value) => {
    const error = await failureOf(() => newClient({ apiKey: 'any', [field]: value } as Config));
    expect(error).toSatisfy(isConfigError);
    expect((error as Error).message.startsWith(field)).toBe(true);
  });

  it('hooks as an empty list, or none, change nothing', async () => {
    const fake = await startFake();
    for (const hooks of [[], undefined]) {
      const config = hooks === undefined ? fake.configFor() : fake.configFor({ hooks });
      fake.chat.reply('hello').reply('hello');
      expect((await newClient(config).chat().create(undefined, hello)).choices[0]?.message.content).toBe('hello');
      expect((await collect(newClient(config).chat().stream(undefined, hello))).error).toBeUndefined();
    }
  });
});

describe('2.3 and 2.5 what comes back', () => {
  it('web_search stands beside the choices, each source with link, title and content', async () => {
    const fake = await startFake();
    const sources = [{ link: 'https://example.com/a', title: 'A', content: 'What A says.' }];
    fake.chat.reply({ text: 'See A.', webSearch: sources });
    expect((await newClient(fake.configFor()).chat().create(undefined, hello)).web_search).toMatchObject(sources);
  });

  it.each([
    ['chat', (c: Client) => c.chat().createAsync(undefined, hello)],
    ['image', (c: Client) => c.images().generateAsync(undefined, { model: 'glm-image', prompt: 'a' })],
    ['video', (c: Client) => c.videos().generate(undefined, { model: 'cogvideox-3', prompt: 'a' })],
  ] as const)('a %s job has an id, by which waitForResult gets its end', async (_kind, start) => {
    const fake = await startFake();
    const client = newClient(fake.configFor());
    const { id } = await start(client);
    expect(id).toBeTypeOf('string');
    const result = await client.waitForResult(undefined, id ?? '', 100);
    expect(result.task_status === undefined || result.task_status === 'SUCCESS').toBe(true);
    expect(fake.requests.filter((one) => one.method === 'GET').length).toBeGreaterThan(1);
  });
});

describe('4.3 chat behaviours', () => {
  it.each(['chat', 'anthropic'] as const)('cancelling stops a %s loop, even when all of the stream has come', async (surface) => {
    const fake = await startFake();
    const controller = new AbortController();
    const client = newClient(fake.configFor());
    const text = Array.from({ length: 50 }, (_, index) => `word-${index} `);
    fake.chat.reply({ text });
    fake.messages.reply({ text });
    const stream = surface === 'chat' ? client.chat().stream(controller.signal, hello) : client.anthropic().stream(controller.signal, message);
    let items = 0;
    const loop = async (): Promise<void> => {
      for await (const _ of stream as AsyncIterable<unknown>) {
        items++;
        await fake.idle();
        // What the fake has sent has also arrived.
        await new Promise((resolve) => setTimeout(resolve, 20));
        controller.abort(new Error('enough'));
      }
    };
    expect(await failureOf(loop)).toMatchObject({ name: 'AbortError', operation: `${surface}.stream`, cause: { message: 'enough' } });
    expect(items).toBe(1);
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it('tool calls in pieces come as they are sent with stream_tool_call', async () => {
    const fake = await startFake();
    fake.chat.toolCall('get_weather', { city: 'Paris', unit: 'celsius', days: 3 });
    const request = { ...hello, stream_tool_call: true, tools: [newFunctionTool('get_weather', 'Weather.')] };
    const { items, error } = await collect(newClient(fake.configFor()).chat().stream(undefined, request));
    expect(error).toBeUndefined();
    const pieces = items.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? []);
    expect(pieces.length).toBeGreaterThan(1);
    const text = pieces.map((piece) => piece.function?.arguments ?? '').join('');
    expect(JSON.parse(text)).toEqual({ city: 'Paris', unit: 'celsius', days: 3 });
  });

  it('functions can be called by hand: the calls, then tool messages, then create again', async () => {
    const fake = await startFake();
    const client = newClient(fake.configFor());
    fake.chat.toolCall('get_weather', { city: 'Paris' }).reply('It is sunny.');
    const tools = [newFunctionTool('get_weather', 'Weather.', { type: 'object', properties: { city: { type: 'string' } } })];
    const first = await client.chat().create(undefined, { ...hello, tools });
    const asked = first.choices[0];
    expect(asked?.finish_reason).toBe(FinishReasonToolCalls);
    const results = (asked?.message.tool_calls ?? []).map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: 'sunny' }));
    const messages = [...hello.messages, asked?.message as Message, ...results];
    const second = await client.chat().create(undefined, { ...hello, tools, messages });
    expect(second.choices[0]?.message.content).toBe('It is sunny.');
    expect(fake.requests[1]?.body).toMatchObject({ messages });
  });
});

describe('6.2 message events', () => {
  it('event types that nobody knows come through, with their payload', async () => {
    const fake = await startFake();
    const payloads = [
      { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } },
      { type: 'weather_report', sky: 'blue' },
      { type: 'message_stop' },
    ];
    fake.messages.stream(payloads);
    const { items, error } = await collect(newClient(fake.configFor()).anthropic().stream(undefined, message));
    expect(error).toBeUndefined();
    expect(items).toEqual(payloads.map((data) => ({ type: data.type, data })));
  });
});

describe('7.7 endings that are no content ending', () => {
  it.each([
    ['length', 'parameter', false],
    ['sensitive', 'content', false],
    ['model_context_window_exceeded', 'parameter', false],
    ['network_error', 'server', true],
    ['stop', undefined, undefined],
    ['tool_calls', undefined, undefined],
    ['something_new', undefined, undefined],
  ] as const)('finishError tells the ending %s from a natural one', async (finish, category, retryable) => {
    const fake = await startFake();
    fake.chat.reply({ text: 'half', finish });
    const reply = await newClient(fake.configFor()).chat().create(undefined, hello);
    expect(reply.choices[0]?.finish_reason).toBe(finish);
    const error = finishError(reply);
    if (category === undefined) expect(error).toBeUndefined();
    else expect(error).toMatchObject({ name: 'FinishError', reason: finish, category, retryable });
  });

  it.each(['max_tokens', 'refusal', 'end_turn', 'tool_use'])('finishError knows the stop reason %s of messages', async (finish) => {
    const fake = await startFake();
    fake.messages.reply({ text: 'half', finish });
    const reply = await newClient(fake.configFor()).anthropic().create(undefined, message);
    expect(reply.stop_reason).toBe(finish);
    expect(finishError(reply)?.reason).toBe(finish === 'max_tokens' || finish === 'refusal' ? finish : undefined);
  });
});

describe('4.5 tool schemas on the wire', () => {
  const nullable = { type: 'object', properties: { city: { description: 'Where.', anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  const plain = { type: 'object', properties: { city: { description: 'Where.', type: 'string' } } };
  const chatTools = [newFunctionTool('f', 'F.', nullable)];
  const messageTools = [{ name: 'f', input_schema: nullable }];
  const cases: [string, (client: Client) => Promise<unknown>][] = [
    ['chat.create', (c) => c.chat().create(undefined, { ...hello, tools: chatTools })],
    ['chat.createAsync', (c) => c.chat().createAsync(undefined, { ...hello, tools: chatTools })],
    ['chat.stream', (c) => collect(c.chat().stream(undefined, { ...hello, tools: chatTools }))],
    ['chat.createStream', (c) => c.chat().createStream(undefined, { ...hello, tools: chatTools }, () => undefined)],
    ['chat.runWithTools', (c) => c.chat().runWithTools(undefined, { ...hello, tools: chatTools }, () => 'done')],
    ['anthropic.create', (c) => c.anthropic().create(undefined, { ...message, tools: messageTools })],
    ['anthropic.stream', (c) => collect(c.anthropic().stream(undefined, { ...message, tools: messageTools }))],
    ['anthropic.createStream', (c) => c.anthropic().createStream(undefined, { ...message, tools: messageTools }, () => undefined)],
    ['anthropic.countTokens', (c) => c.anthropic().countTokens(undefined, { ...message, tools: messageTools })],
  ];
  const sent = (fake: FakeService): unknown => {
    const body = fake.requests[0]?.body as { tools: { function?: { parameters: unknown }; input_schema?: unknown }[] } | undefined;
    return body?.tools.map((tool) => tool.function?.parameters ?? tool.input_schema);
  };

  it.each(cases)('%s sends them in the accepted subset', async (_operation, call) => {
    const fake = await startFake();
    await call(newClient(fake.configFor()));
    expect(sent(fake)).toEqual([plain]);
    expect([chatTools[0]?.function?.parameters, messageTools[0]?.input_schema]).toEqual([nullable, nullable]);
  });

  it.each(cases.filter(([operation]) => operation !== 'chat.runWithTools'))(
    '%s sends them unmodified with disableToolSchemaCompat, which the service answers with 500',
    async (_operation, call) => {
      const fake = await startFake();
      const outcome = await call(newClient(fake.configFor({ disableToolSchemaCompat: true, maxRetries: 0 }))).catch((error: unknown) => ({ error }));
      expect(outcome).toMatchObject({ error: { name: 'ApiError', status: 500 } });
      expect(sent(fake)).toEqual([nullable]);
    },
  );

  it('sanitizeToolSchemas does the same on demand, and nothing to tools that are fine', () => {
    expect(sanitizeToolSchemas(chatTools)).toEqual([newFunctionTool('f', 'F.', plain)]);
    expect(sanitizeToolSchemas(messageTools)).toEqual([{ name: 'f', input_schema: plain }]);
    const fine = [newFunctionTool('f', 'F.', plain), newFunctionTool('g', 'G.')];
    expect(sanitizeToolSchemas(fine)).toBe(fine);
  });
});

describe('9.3 deprecated methods', () => {
  it.each(['chat', 'anthropic'])('createStream of %s, and no other, is marked in the types', (service) => {
    const file = new URL(`../../src/overlay/services/${service}.ts`, import.meta.url);
    const source = ts.createSourceFile(file.pathname, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const methods = source.statements.filter(ts.isClassDeclaration).flatMap((one) => one.members.filter(ts.isMethodDeclaration));
    const deprecated = methods.filter((method) => ts.getJSDocDeprecatedTag(method) !== undefined);
    expect(deprecated.map((method) => method.name.getText())).toEqual(['createStream']);
    for (const method of deprecated) expect(ts.getJSDocDeprecatedTag(method)?.comment).toMatch(/Use `stream`; removed in 1\.0/);
  });
});
