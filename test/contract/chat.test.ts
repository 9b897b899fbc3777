import { describe, expect } from 'vitest';
import {
  type ChatChunk,
  type ChatRequest,
  isModelsvcError,
  newClient,
  newFunctionTool,
  newJSONSchemaFormat,
  newWebSearchTool,
  responseInfo,
} from '../../src/overlay/index.ts';
import { test as it } from '../support/fixture.ts';
import { localServer } from '../support/local-server.ts';
import { accepted, collect, configAt, exchangeOf, failureOf, mockClient, preferring, testKey, withoutRetries } from '../support/spec.ts';
import { meaningOf, payloads, replyExamples, requestExamples } from '../support/spec-examples.ts';
import { violations } from '../support/spec-schemas.ts';

const hello: ChatRequest = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const taskId = '20260711073209851e7f8c12c44579';

function chat(): ReturnType<ReturnType<typeof mockClient>['chat']> {
  return mockClient().chat();
}

describe('requests that the mock accepts', () => {
  it('refuses what breaks the spec, so that accepting means something', async ({ mocked }) => {
    const { response } = await mocked
      .bindings('chat')
      // A wrong request on purpose: the bindings do not validate.
      .POST('/chat/completions', { body: { model: 'glm-4.6', messages: 'hi' as never } });
    expect(response.status).toBe(400);
    expect(response.headers.get('sl-violations')).toContain('messages');
  });

  it('refuses null of an optional field, which the client takes for an absent one', async () => {
    const reply = await chat()
      .create(withoutRetries(undefined), { ...hello, temperature: null })
      .catch((error: unknown) => error);
    expect(reply).toMatchObject({ status: 400, surface: 'chat' });
  });

  it.each(requestExamples('chat.create'))('chat.stream: %s', async (_name, example) => {
    const { stream: _, ...request } = example as ChatRequest & { stream?: boolean };
    const stream = chat().stream(undefined, request);
    const { items, error } = await collect(stream);
    expect(error).toBeUndefined();
    expect(items.length).toBeGreaterThan(0);
    expect(exchangeOf(stream)).toEqual(accepted);
  });

  it('chat.createSimple', async () => {
    expect(exchangeOf(await chat().createSimple(undefined, 'glm-4.6', 'hi'))).toEqual(accepted);
  });

  const facade: [string, ChatRequest][] = [
    [
      'images',
      {
        model: 'glm-4.6v',
        messages: [{ role: 'user', content: 'What is this?', images: ['https://example.com/a.png', 'data:image/png;base64,iVBORw0KGgo='] }],
      },
    ],
    ['stream_tool_call', { ...hello, stream_tool_call: true, tools: [newFunctionTool('now', 'The time.')] }],
    ['a web search tool', { ...hello, tools: [newWebSearchTool('weather in Paris', 'weather in Lyon')] }],
    ['a schema for the answer', { ...hello, response_format: newJSONSchemaFormat('city', { type: 'object', properties: {} }, true) }],
    ['fields that the spec does not know', { ...hello, future_field: { deep: [1] } } as ChatRequest],
    ['a model that the spec does not know', { ...hello, model: 'glm-99-preview' }],
  ];
  it.each(facade)('with %s', async (_name, request) => {
    expect(exchangeOf(await chat().create(undefined, request))).toEqual(accepted);
    const stream = chat().stream(undefined, request);
    await collect(stream);
    expect(exchangeOf(stream)).toEqual(accepted);
  });
});

describe('replies', () => {
  it.each(replyExamples('chat.create', 'text/event-stream'))(
    'chat.stream: %s gives every chunk in order, each one to the spec',
    async (name, text) => {
      const expected = payloads(text as string);
      const failure = expected.find((one) => 'error' in (one as object)) as { error: { code: string } } | undefined;
      const { items, error } = await collect(chat().stream(preferring(name), hello));
      expect(items).toEqual(expected.filter((one) => one !== failure));
      for (const chunk of items) expect(violations('chat.create', '200', 'text/event-stream', chunk)).toEqual([]);
      if (!failure) return expect(error).toBeUndefined();
      const [category, retryable] = meaningOf[failure.error.code] ?? [];
      expect(error).toMatchObject({ name: 'ApiError', operation: 'chat.stream', surface: 'chat', code: failure.error.code, category, retryable });
    },
  );

  it('streams text that a person can read', async () => {
    const { items } = await collect(chat().stream(preferring('text'), hello));
    const text = items.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join('');
    expect(text).toBe('Rain taps on the glass,\nthe kettle begins to sing,\nnobody is late.');
  });

  it('createStream hands the chunks of stream to the callback', async () => {
    const chunks: ChatChunk[] = [];
    await chat().createStream(preferring('toolCalls'), hello, (chunk) => {
      chunks.push(chunk);
    });
    expect(chunks).toEqual((await collect(chat().stream(preferring('toolCalls'), hello))).items);
  });

  it.each([
    [
      'throws',
      (stop: Error): unknown => {
        throw stop;
      },
    ],
    ['rejects', (stop: Error): unknown => Promise.reject(stop)],
    ['gives an Error back', (stop: Error): unknown => stop],
  ] as const)('a createStream callback that %s ends the stream, and the call rejects with that same value', async (_how, end) => {
    const stop = new Error('enough');
    let seen = 0;
    const error = await failureOf(() =>
      chat().createStream(undefined, hello, () => {
        seen++;
        return end(stop);
      }),
    );
    expect(error).toBe(stop);
    expect(seen).toBe(1);
  });
});

describe('declared failures', () => {
  it('a stream that is answered with a failure throws the same error', async () => {
    const { items, error } = await collect(chat().stream(withoutRetries(preferring('insufficientBalance', '429')), hello));
    expect(items).toEqual([]);
    expect(error).toMatchObject({ name: 'ApiError', operation: 'chat.stream', status: 429, code: '1113', category: 'billing', retryable: false });
  });

  it.each([
    ['x-log-id', 'log-1'],
    ['x-request-id', 'req-1'],
  ])('carry the request id of the header %s', async (header, id) => {
    const server = await localServer({
      status: 400,
      headers: { 'x-log-id': '', [header]: id },
      body: { error: { code: '1211', message: 'Unknown Model' } },
    });
    const error = await failureOf(() => newClient(configAt(server.url)).chat().create(undefined, hello));
    expect(error).toMatchObject({ code: '1211', requestId: id });
    expect((error as Error).message).toContain(`request ${id}`);
  });
});

describe('waitForResult', () => {
  const running = { id: taskId, task_status: 'PROCESSING' };
  const done = {
    id: taskId,
    task_status: 'SUCCESS',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }],
  };

  it('polls the task by its id until it is done', async () => {
    const server = await localServer({ body: { id: taskId, task_status: 'PROCESSING' } }, { body: running }, { body: running }, { body: done });
    const client = newClient(configAt(server.url));
    const task = await client.chat().createAsync(undefined, hello);
    const states: unknown[] = [];
    const result = await client.waitForResult(undefined, task.id as string, { interval: 100, onState: (state) => states.push(state.task_status) });
    expect(result).toEqual(done);
    expect(states).toEqual(['PROCESSING', 'PROCESSING']);
    expect(server.requests.map((one) => `${one.method} ${one.path}`)).toEqual([
      'POST /async/chat/completions',
      ...Array(3).fill(`GET /async-result/${taskId}`),
    ]);
    expect(responseInfo(result)?.status).toBe(200);
  });

  it.each(['chat', 'image', 'video'])('gives the finished %s of the mock', async (name) => {
    const result = await mockClient().waitForResult(preferring(name), taskId, 100);
    expect(result).toEqual(replyExamples('client.getAsyncResult').find(([one]) => one === name)?.[1]);
  });

  it('throws a TaskError for a task that failed, which getAsyncResult gives as a result', async ({ mocked }) => {
    const result = await mocked.getAsyncResult(preferring('failed'), taskId);
    expect(result.task_status).toBe('FAIL');
    const error = await failureOf(() => mocked.waitForResult(preferring('failed'), taskId, 100));
    expect(isModelsvcError(error, 'task')).toBe(true);
    expect(error).toMatchObject({ operation: 'waitForResult', id: taskId, status: 'FAIL', result });
  });
});

describe('bindings of the surface', () => {
  it('take middleware before and after the first call, and let it go again', async ({ mocked }) => {
    const bindings = mocked.bindings('chat');
    const seen: string[] = [];
    const watcher = (name: string): { onRequest: () => void } => ({ onRequest: () => void seen.push(name) });
    const [early, never, late] = [watcher('early'), watcher('never'), watcher('late')];
    bindings.use(early, never);
    bindings.eject(never);
    await bindings.GET('/models');
    bindings.use(late);
    bindings.eject(early);
    await bindings.GET('/models');
    expect(seen).toEqual(['early', 'late']);
  });

  it('give data through the same key, and the failed reply as error', async ({ mocked }) => {
    const bindings = mocked.bindings('chat');
    const { data, error, response } = await bindings.POST('/chat/completions', {
      body: { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] },
    });
    expect(error).toBeUndefined();
    expect(data).toEqual(replyExamples('chat.create')[0]?.[1]);
    expect(response.headers.get('sl-violations')).toBeNull();
    const failed = await bindings.GET('/async-result/{id}', {
      params: { path: { id: taskId } },
      headers: { prefer: 'code=400, example=unknownModel' },
    });
    expect(failed.data).toBeUndefined();
    expect(failed.error).toEqual({ error: { code: '1211', message: 'Unknown Model, please check the model code.' } });
    expect(failed.response.status).toBe(400);
  });

  it('are retried and watched like any call', async () => {
    const server = await localServer({ status: 503, body: { error: { code: '500', message: 'busy' } } }, { body: { id: '1', choices: [] } });
    const seen: unknown[] = [];
    const client = newClient(configAt(server.url, { retryDelay: 1, hooks: [{ onRequest: (meta) => void seen.push(meta) }] }));
    const { data } = await client.bindings('chat').POST('/chat/completions', { body: { model: 'm', messages: [{ role: 'user', content: 'hi' }] } });
    expect(data).toEqual({ id: '1', choices: [] });
    expect(server.requests.map((one) => one.headers.authorization)).toEqual(Array(2).fill(`Bearer ${testKey}`));
    expect(seen).toMatchObject([
      { method: 'POST', endpoint: '/chat/completions', attempt: 0 },
      { method: 'POST', endpoint: '/chat/completions', attempt: 1 },
    ]);
  });
});
