import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  anthropicTextMessage,
  type ChatRequest,
  type Client,
  type Config,
  FinishReasonLength,
  FinishReasonModelContextWindowExceeded,
  FinishReasonNetworkError,
  FinishReasonSensitive,
  FinishReasonStop,
  FinishReasonToolCalls,
  isModelsvcError,
  newClient,
  newClientFromEnv,
  newFunctionTool,
  newJSONSchemaFormat,
  newRetrievalTool,
  newWebSearchTool,
  RegionChina,
  RegionGlobal,
  type Tool,
  ToolMaxFunctions,
  ToolMaxRounds,
  ToolTypeFunction,
  ToolTypeRetrieval,
  ToolTypeWebSearch,
  withModel,
  withService,
} from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import type { ResponseMeta } from '../../src/types/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { type CannedReply, type LocalServer, localServer } from '../support/local-server.ts';
import { collect, configAt, failureOf, testKey } from '../support/spec.ts';
import { schemaViolations } from '../support/spec-schemas.ts';

const user = { role: 'user', content: 'hi' };
const hello: ChatRequest = { model: 'glm-4.6', messages: [user] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };
const chatReply = { body: { id: '1', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hello' } }] } };
const messageReply = { body: { id: 'msg_1', type: 'message', role: 'assistant', model: 'glm-4.7', content: [], stop_reason: 'end_turn', usage: {} } };
const chunk = 'data: {"id":"1","choices":[{"index":0,"delta":{"content":"hello"}}]}\n\n';
const chatStream = { body: `${chunk}data: {"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n` };
const messageStream = {
  body: 'event: message_start\ndata: {"type":"message_start","message":{"content":[{"type":"text","text":"hi"}]}}\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
};

/** A client of a real server with these replies. */
async function clientOf(config: Partial<Config>, ...replies: CannedReply[]): Promise<{ client: Client; server: LocalServer }> {
  const server = await localServer(...replies);
  return { client: newClient(configAt(server.url, config)), server };
}

/** Each way to call the two surfaces, with a reply that satisfies it. */
const calls: [string, CannedReply, (client: Client, ctx?: Parameters<ReturnType<Client['chat']>['create']>[0]) => Promise<unknown>][] = [
  ['chat.create', chatReply, (client, ctx) => client.chat().create(ctx, hello)],
  ['chat.stream', chatStream, async (client, ctx) => collect(client.chat().stream(ctx, hello))],
  ['anthropic.create', messageReply, (client, ctx) => client.anthropic().create(ctx, message)],
  ['anthropic.stream', messageStream, async (client, ctx) => collect(client.anthropic().stream(ctx, message))],
];

/** The URL and headers of a call with a configuration that keeps the service's own roots. */
async function sentTo(config: Partial<Config>, call: (client: Client) => Promise<unknown>): Promise<{ url: string; key: string | null }> {
  let seen: { url: string; key: string | null } | undefined;
  const client = newClient({
    apiKey: testKey,
    ...config,
    httpClient: async (url, init) => {
      seen = { url, key: new Headers(init.headers).get('authorization') };
      return Response.json({ id: '1', choices: [{}], content: [{}] });
    },
  });
  await call(client);
  if (!seen) throw new Error('nothing was sent');
  return seen;
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

describe('2.1 client configuration', () => {
  const chat = (client: Client): Promise<unknown> => client.chat().create(undefined, hello);
  const messages = (client: Client): Promise<unknown> => client.anthropic().create(undefined, message);

  it.each([
    ['chat goes to the global host by default', {}, chat, 'https://api.z.ai/api/paas/v4/chat/completions'],
    ['messages go to the global host by default', {}, messages, 'https://api.z.ai/api/anthropic/v1/messages'],
    ['the region does not move chat', { region: RegionChina }, chat, 'https://api.z.ai/api/paas/v4/chat/completions'],
    ['the region moves messages', { region: RegionChina }, messages, 'https://open.bigmodel.cn/api/anthropic/v1/messages'],
    ['RegionGlobal is the default', { region: RegionGlobal }, messages, 'https://api.z.ai/api/anthropic/v1/messages'],
    ['baseURL moves chat', { baseURL: 'https://api.z.ai/api/coding/paas/v4' }, chat, 'https://api.z.ai/api/coding/paas/v4/chat/completions'],
    ['a slash at the end of baseURL does not matter', { baseURL: 'https://gateway.test/v1/' }, chat, 'https://gateway.test/v1/chat/completions'],
    ['baseURL does not move messages', { baseURL: 'https://gateway.test/v1' }, messages, 'https://api.z.ai/api/anthropic/v1/messages'],
    ['endpoints.messages moves messages', { endpoints: { messages: 'https://gateway.test/m' } }, messages, 'https://gateway.test/m/v1/messages'],
  ] as const)('%s', async (_rule, config, call, url) => {
    expect(await sentTo(config, call)).toEqual({ url, key: `Bearer ${testKey}` });
  });

  it('chinaAPIKey goes to the china host only, and is apiKey when unset', async () => {
    const config = { chinaAPIKey: 'china-key', region: RegionChina } as const;
    expect((await sentTo(config, messages)).key).toBe('Bearer china-key');
    expect((await sentTo(config, chat)).key).toBe(`Bearer ${testKey}`);
    expect((await sentTo({ region: RegionChina }, messages)).key).toBe(`Bearer ${testKey}`);
  });

  it('timeout is 30 seconds by default', async () => {
    vi.useFakeTimers();
    const client = newClient({ apiKey: testKey, httpClient: () => new Promise(() => {}) });
    let error: unknown;
    client
      .chat()
      .create(undefined, hello)
      .catch((thrown) => {
        error = thrown;
      });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    // The error still has its way through the expected of the call.
    await vi.waitFor(() => expect(isModelsvcError(error, 'timeout')).toBe(true));
    expect(error).toMatchObject({ timeoutMs: 30_000, phase: 'headers', operation: 'chat.create' });
  });

  it('timeout bounds the wait for the header, never the body', async () => {
    const clock = stoppedClock();
    const reply = { frames: [chunk, chunk, chunk, chunk, 'data: [DONE]\n\n'] };
    const server = await answeringServer(() => ({ ...faults.slowDrip(chunk.length, 5), reply }));
    const stream = newClient(configAt(server.url, { timeout: 150 }))
      .chat()
      .stream(undefined, hello);
    const items = [];
    for (let next = await stream.next(); !next.done; next = await stream.next()) {
      items.push(next.value);
      const more = stream.next();
      clock.pass(1000);
      const after = await more;
      if (after.done) break;
      items.push(after.value);
    }
    expect(items).toHaveLength(4);
  });

  it.each(calls)('User-Agent names client and version by default, and an own one is sent verbatim: %s', async (_name, reply, call) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
    const plain = await clientOf({}, reply);
    await call(plain.client);
    expect(plain.server.requests[0]?.headers['user-agent']).toBe(`modelsvc/${version}`);
    const own = await clientOf({ userAgent: 'My Tool/1.0 (+https://example.com; x86)' }, reply);
    await call(own.client);
    expect(own.server.requests[0]?.headers['user-agent']).toBe('My Tool/1.0 (+https://example.com; x86)');
  });

  it('a given httpClient is the only way to the wire', async () => {
    const seen: string[] = [];
    const { client, server } = await clientOf(
      {
        httpClient: async (url, init) => {
          seen.push(`${init.method} ${new URL(url).pathname}`);
          return Response.json(chatReply.body);
        },
      },
      chatReply,
    );
    await client.chat().create(undefined, hello);
    expect(seen).toEqual(['POST /chat/completions']);
    expect(server.requests).toHaveLength(0);
  });

  const union = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
  it('disableToolSchemaCompat sends tool schemas unmodified on both surfaces', async () => {
    const { client, server } = await clientOf({ disableToolSchemaCompat: true }, chatReply, messageReply);
    const tools = [newFunctionTool('f', 'F.', union)];
    await client.chat().create(undefined, { ...hello, tools });
    await client.anthropic().create(undefined, { ...message, tools: [{ name: 'f', input_schema: union }] });
    expect(server.requests.map((one) => (one.body as { tools: unknown }).tools)).toEqual([tools, [{ name: 'f', input_schema: union }]]);
  });

  it('the caller keeps the tools it passed, whatever is sent', async () => {
    const { client } = await clientOf({}, chatReply, messageReply);
    const tools = [newFunctionTool('f', 'F.', structuredClone(union))];
    const messageTools = [{ name: 'f', input_schema: structuredClone(union) }];
    await client.chat().create(undefined, { ...hello, tools });
    await client.anthropic().create(undefined, { ...message, tools: messageTools });
    expect(tools).toEqual([newFunctionTool('f', 'F.', union)]);
    expect(messageTools).toEqual([{ name: 'f', input_schema: union }]);
  });

  describe('newClientFromEnv', () => {
    it('reads the key and the base URL, and no other variable', async () => {
      const server = await localServer(chatReply);
      const stray = await localServer(chatReply);
      vi.stubEnv('SVC_API_KEY', 'key-from-env');
      vi.stubEnv('SVC_API_BASE_URL', server.url);
      for (const name of ['SVC_REGION', 'SVC_USER_AGENT', 'SVC_CHINA_API_KEY', 'SVC_MAX_RETRIES', 'SVC_TIMEOUT']) vi.stubEnv(name, 'nonsense');
      for (const name of ['SVC_BASE_URL', 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL']) vi.stubEnv(name, stray.url);
      await newClientFromEnv().chat().create(undefined, hello);
      expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer key-from-env' });
      expect(server.requests[0]?.headers['user-agent']).toMatch(/^modelsvc\//);
      expect(stray.sockets).toBe(0);
    });

    it.each([undefined, ''])('takes the default base URL when the variable is %j', (value) => {
      vi.stubEnv('SVC_API_KEY', 'key-from-env');
      vi.stubEnv('SVC_API_BASE_URL', value);
      expect(() => newClientFromEnv()).not.toThrow();
    });

    it.each([undefined, ''])('names the variable when the key is %j', async (value) => {
      vi.stubEnv('SVC_API_KEY', value);
      const error = await failureOf(() => newClientFromEnv());
      expect(isModelsvcError(error, 'config')).toBe(true);
      expect((error as Error).message).toContain('SVC_API_KEY');
    });
  });
});

describe('2.2 chat request', () => {
  /** The body on the wire. */
  async function wireBody(request: ChatRequest): Promise<Record<string, unknown>> {
    const { client, server } = await clientOf({}, chatReply);
    await client.chat().create(undefined, request);
    return server.requests[0]?.body as Record<string, unknown>;
  }

  it('goes out with its wire names, and no field is added', async () => {
    const request = { ...hello, temperature: 0.5, max_tokens: 10, response_format: { type: 'json_object' as const } };
    expect(await wireBody(request)).toEqual(request);
  });

  it.each([true, false])('stream_tool_call %s goes out as tool_stream', async (value) => {
    expect(await wireBody({ ...hello, stream_tool_call: value })).toEqual({ ...hello, tool_stream: value });
  });

  const image = (url: string): unknown => ({ type: 'image_url', image_url: { url } });
  const text = { type: 'text' as const, text: 'What is this?' };
  it.each([
    [
      'a URL after the text',
      { role: 'user', content: 'What is this?', images: ['https://example.com/a.png'] },
      [text, image('https://example.com/a.png')],
    ],
    ['a data: URI', { role: 'user', content: 'What is this?', images: ['data:image/png;base64,AA=='] }, [text, image('data:image/png;base64,AA==')]],
    [
      'several in their order',
      { role: 'user', content: '', images: ['https://e.com/1', 'https://e.com/2'] },
      [image('https://e.com/1'), image('https://e.com/2')],
    ],
    ['after parts that are there already', { role: 'user', content: [text], images: ['https://e.com/1'] }, [text, image('https://e.com/1')]],
    ['none at all', { role: 'user', content: 'What is this?', images: [] }, 'What is this?'],
  ])('images: %s', async (_case, one, content) => {
    const before = structuredClone(one);
    const body = await wireBody({ model: 'glm-4.6v', messages: [one] });
    expect(body['messages']).toEqual([{ role: 'user', content }]);
    expect(one).toEqual(before);
  });

  it.each([0, 0.01, 0.5, 1])('temperature %d is sent', async (temperature) => {
    expect(await wireBody({ ...hello, temperature })).toMatchObject({ temperature });
  });

  it.each([-0.01, 1.01, 2, Number.NaN, Number.POSITIVE_INFINITY])('temperature %d is refused', async (temperature) => {
    // Other servers take more: the range holds on the service's own hosts.
    const client = newClient({ apiKey: testKey, httpClient: () => expect.unreachable('sent') });
    expect(await failureOf(() => client.chat().create(undefined, { ...hello, temperature }))).toMatchObject({
      operation: 'chat.create',
      path: 'temperature',
    });
  });

  it('a stream asks for one, and create does not', async () => {
    const { client, server } = await clientOf({}, chatReply, chatStream, messageReply, messageStream);
    await client.chat().create(undefined, hello);
    await collect(client.chat().stream(undefined, hello));
    await client.anthropic().create(undefined, message);
    await collect(client.anthropic().stream(undefined, message));
    expect(server.requests.map((one) => (one.body as { stream?: boolean }).stream)).toEqual([undefined, true, undefined, true]);
    expect(server.requests[1]?.headers.accept).toContain('text/event-stream');
  });
});

/** The ValidationError of a chat request that must be refused; no request may reach the server. */
async function refusal(request: ChatRequest): Promise<unknown> {
  const { client, server } = await clientOf({}, chatReply);
  const error = await failureOf(() => client.chat().create(undefined, request));
  expect(isModelsvcError(error, 'validation')).toBe(true);
  expect(server.sockets).toBe(0);
  return error;
}

describe('2.3 finish reasons', () => {
  it('have the wire strings of the service', () => {
    expect([
      FinishReasonStop,
      FinishReasonToolCalls,
      FinishReasonLength,
      FinishReasonSensitive,
      FinishReasonModelContextWindowExceeded,
      FinishReasonNetworkError,
    ]).toEqual(['stop', 'tool_calls', 'length', 'sensitive', 'model_context_window_exceeded', 'network_error']);
  });
});

describe('2.4 tools and what the constructors return', () => {
  it.each([
    ['newFunctionTool', newFunctionTool('f', 'F.', { type: 'object', properties: {} }), ToolTypeFunction, 'function'],
    ['newFunctionTool without parameters', newFunctionTool('f', 'F.'), ToolTypeFunction, 'function'],
    ['newRetrievalTool', newRetrievalTool('kb-1', 'Use {{knowledge}} for {{question}}'), ToolTypeRetrieval, 'retrieval'],
    ['newRetrievalTool without a prompt', newRetrievalTool('kb-1'), ToolTypeRetrieval, 'retrieval'],
    ['newWebSearchTool', newWebSearchTool('a', 'b'), ToolTypeWebSearch, 'web_search'],
    ['newWebSearchTool without queries', newWebSearchTool(), ToolTypeWebSearch, 'web_search'],
  ] as const)('%s has its type and exactly one payload, and fits the spec', (_name, tool, type, word) => {
    expect(type).toBe(word);
    expect(tool.type).toBe(type);
    expect(Object.keys(tool).sort()).toEqual([type, 'type'].sort());
    expect(schemaViolations('Tool', tool)).toEqual([]);
  });

  it('carry their arguments where the wire has them', () => {
    expect(newFunctionTool('f', 'F.', { type: 'object' })).toEqual({
      type: 'function',
      function: { name: 'f', description: 'F.', parameters: { type: 'object' } },
    });
    expect(newRetrievalTool('kb-1', 'P')).toEqual({ type: 'retrieval', retrieval: { knowledge_id: 'kb-1', prompt_template: 'P' } });
    expect(newWebSearchTool('a', 'b')).toEqual({ type: 'web_search', web_search: { search_query: ['a', 'b'] } });
  });

  it.each([true, false])('newJSONSchemaFormat with strict %s fits the spec', (strict) => {
    const format = newJSONSchemaFormat('city', { type: 'object', properties: { name: { type: 'string' } } }, strict);
    expect(format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'city', schema: { type: 'object', properties: { name: { type: 'string' } } }, strict },
    });
    expect(schemaViolations('ResponseFormat', format)).toEqual([]);
  });

  it.each(['user', 'assistant'] as const)('anthropicTextMessage of %s fits the spec', (role) => {
    expect(anthropicTextMessage(role, 'hi')).toEqual({ role, content: 'hi' });
    expect(schemaViolations('AnthropicMessage', anthropicTextMessage(role, 'hi'))).toEqual([]);
  });
});

describe('2.7 hook metadata', () => {
  it.each([
    ['chat.create', 'chat', '/chat/completions', 'glm-4.6'],
    ['chat.stream', 'chat', '/chat/completions', 'glm-4.6'],
    ['anthropic.create', 'anthropic', '/v1/messages', 'glm-4.7'],
    ['anthropic.stream', 'anthropic', '/v1/messages', 'glm-4.7'],
  ])('is stamped for %s, attempt by attempt', async (name, service, endpoint, model) => {
    const [, reply, call] = calls.find(([one]) => one === name) ?? [];
    const fired: unknown[] = [];
    const { client } = await clientOf(
      {
        retryDelay: 1,
        hooks: [
          {
            onRequest: (meta) => {
              fired.push(['request', meta]);
              return `state ${meta.attempt}`;
            },
            onError: (meta, _error, state) => fired.push(['error', meta, state]),
            onResponse: (
              { status: _s, requestId: _r, durationMs: _d, usage: _u, usageIsFinal: _f, complete: _c, headerMs: _h, ...meta }: ResponseMeta,
              state,
            ) => fired.push(['response', meta, state]),
            onChunk: (meta, _chunk, state) => fired.push(['chunk', meta, state]),
          },
        ],
      },
      { status: 503, body: { error: { code: '500', message: 'busy' } } },
      reply as CannedReply,
    );
    await call?.(client);
    const meta = (attempt: number): unknown => ({ service, method: 'POST', endpoint, model, attempt, waitedMs: 0, operation: expect.anything() });
    expect(fired).toEqual([
      ['request', meta(0)],
      ['error', meta(0), 'state 0'],
      ['request', meta(1)],
      ...(name.endsWith('stream') ? Array(2).fill(['chunk', meta(1), 'state 1']) : []),
      ['response', meta(1), 'state 1'],
    ]);
  });

  it('is empty for services that are not stamped, unless the context names them', async () => {
    const fired: unknown[] = [];
    const { client } = await clientOf({ hooks: [{ onRequest: (meta) => void fired.push(meta) }] }, { body: { id: '1', task_status: 'PROCESSING' } });
    await client.getAsyncResult(undefined, 'task-1');
    await client.getAsyncResult(withModel(withService(undefined, 'jobs'), 'glm-image'), 'task-1');
    expect(fired).toEqual([
      { service: '', method: 'GET', endpoint: '/async-result/{id}', model: '', attempt: 0, waitedMs: 0, operation: expect.anything() },
      { service: 'jobs', method: 'GET', endpoint: '/async-result/{id}', model: 'glm-image', attempt: 0, waitedMs: 0, operation: expect.anything() },
    ]);
  });

  it('withService and withModel win over the stamp', async () => {
    const fired: unknown[] = [];
    const { client } = await clientOf({ hooks: [{ onRequest: (meta) => void fired.push(meta) }] }, chatReply);
    await client.chat().create(withModel(withService(undefined, 'billing'), 'alias'), hello);
    expect(fired).toMatchObject([{ service: 'billing', model: 'alias' }]);
  });
});

describe('5 authentication', () => {
  it.each(calls)('%s sends the key as a bearer credential, and no x-api-key', async (_name, reply, call) => {
    const { client, server } = await clientOf({}, reply);
    await call(client);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${testKey}`);
    expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key');
  });

  it.each(calls)('%s sends no other key next to the headers of a context', async (_name, reply, call) => {
    const { client, server } = await clientOf({}, reply);
    await call(client, { headers: { 'X-Trace': '1' } });
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${testKey}`, 'x-trace': '1' });
    await call(client, { headers: { Authorization: 'Bearer other' } }).catch(() => undefined);
    expect(server.requests).toHaveLength(1);
  });

  it.each(['', undefined])('a missing apiKey (%j) is a local configuration error', async (apiKey) => {
    const error = await failureOf(() => newClient({ apiKey: apiKey as string }));
    expect(isModelsvcError(error, 'config')).toBe(true);
    expect((error as Error).message).toMatch(/^apiKey is required/);
  });
});

describe('7 errors', () => {
  const tool = (name: string): Tool => newFunctionTool(name, 'F.');
  const functions = (count: number): Tool[] => Array.from({ length: count }, (_, index) => tool(`f${index}`));

  it.each(['a', 'get_weather', 'Get-Weather-2', '_', '-', 'x'.repeat(64)])('tool name %j is sent', async (name) => {
    const { client, server } = await clientOf({}, chatReply);
    await client.chat().create(undefined, { ...hello, tools: [tool(name)] });
    expect(server.requests).toHaveLength(1);
  });

  it.each(['', 'a b', 'a.b', 'wetter_für', 'x'.repeat(65), 'a\n', 'a/b'])('tool name %j is refused', async (name) => {
    const error = await refusal({ ...hello, tools: [tool('fine'), tool(name)] });
    expect(error).toMatchObject({ operation: 'chat.create', path: 'tools[1].function.name' });
    expect((error as Error).message).toContain('^[A-Za-z0-9_-]{1,64}$');
  });

  it.each([
    ['128 function tools', functions(128)],
    ['128 function tools beside others', [newWebSearchTool('a'), ...functions(128), newRetrievalTool('kb')]],
    ['no tools', []],
    ['only tools that are no functions', [newWebSearchTool('a'), newRetrievalTool('kb')]],
  ])('%s are sent', async (_case, tools) => {
    const { client, server } = await clientOf({}, chatReply);
    await client.chat().create(undefined, { ...hello, tools });
    expect(server.requests[0]?.body).toMatchObject({ tools });
  });

  it.each([
    ['129 function tools', functions(129)],
    ['129 function tools beside others', [newWebSearchTool('a'), ...functions(129)]],
  ])('%s are refused', async (_case, tools) => {
    const error = await refusal({ ...hello, tools });
    expect((error as Error).message).toBe('chat.create: tools must have at most 128 function tools');
  });

  it('a wrong tool is reported before the number of tools', async () => {
    expect(await refusal({ ...hello, tools: [tool('a b'), ...functions(129)] })).toMatchObject({ path: 'tools[0].function.name' });
  });

  it('a conversation has at least one message of the user', async () => {
    const error = await refusal({
      ...hello,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: 'hello' },
      ],
    });
    expect((error as Error).message).toBe('chat.create: messages must contain at least one message with role user');
  });

  it.each(['function', 'retrieval', 'web_search'] as const)('a tool of type %s carries its payload', async (type) => {
    const others = { function: tool('f'), retrieval: newRetrievalTool('kb'), web_search: newWebSearchTool('a') };
    const wrong = Object.values(others).find((one) => one.type !== type) as Tool;
    for (const one of [{ type }, { ...wrong, type }]) {
      const error = await refusal({ ...hello, tools: [one as Tool] });
      expect((error as Error).message).toBe(`chat.create: tools[0].${type} is required`);
    }
  });

  it.each(['laser', 'Function', ''])('a tool of type %j is refused', async (type) => {
    expect(await refusal({ ...hello, tools: [{ type } as never] })).toMatchObject({ path: 'tools[0].type' });
  });

  it('the rules hold for createAsync and streams too', async () => {
    const { client, server } = await clientOf({}, chatReply);
    const request = { ...hello, tools: [tool('a b')] };
    expect(await failureOf(() => client.chat().createAsync(undefined, request))).toMatchObject({
      operation: 'chat.createAsync',
      path: 'tools[0].function.name',
    });
    const { error } = await collect(client.chat().stream(undefined, request));
    expect(error).toMatchObject({ operation: 'chat.stream', path: 'tools[0].function.name' });
    expect(server.sockets).toBe(0);
  });

  const busy = { status: 503, body: { error: { code: '500', message: 'busy' } } };
  it.each(calls)('%s is retried three times by default', async (_name, _reply, call) => {
    const { client, server } = await clientOf({ retryDelay: 1 }, busy);
    const outcome = await call(client).catch((error: unknown) => ({ error }));
    expect(outcome).toMatchObject({ error: { name: 'ApiError', status: 503, attempts: 4 } });
    expect(server.requests).toHaveLength(4);
  });

  /** Milliseconds between the attempts of a call that always fails, without jitter. */
  async function waitsOf(client: Client, server: LocalServer): Promise<number[]> {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const clock = stoppedClock();
    const call = client.chat().create(undefined, hello);
    call.catch(() => undefined);
    const waits: number[] = [];
    for (let attempts = 1; attempts < 4; attempts++) {
      await until(() => server.requests.length === attempts);
      await turns();
      let waited = 0;
      for (; server.requests.length === attempts && waited < 100_000; waited += 100) {
        clock.pass(100);
        await turns(20);
      }
      waits.push(waited);
    }
    await failureOf(() => call);
    vi.restoreAllMocks();
    return waits;
  }

  it('the backoff starts at retryDelay and doubles', async () => {
    const { client, server } = await clientOf({ retryDelay: 1000 }, busy);
    expect(await waitsOf(client, server)).toEqual([1000, 2000, 4000]);
  });

  it('retryDelay is 200 milliseconds by default', async () => {
    const { client, server } = await clientOf({}, busy);
    expect(await waitsOf(client, server)).toEqual([200, 400, 800]);
  });
});

describe('8 limits', () => {
  it('are the constants of the contract', () => {
    expect([ToolMaxRounds, ToolMaxFunctions]).toEqual([8, 128]);
  });
});

describe('9 versions', () => {
  it.each(calls)('anthropic-version goes out on the message surface only: %s', async (name, reply, call) => {
    const { client, server } = await clientOf({}, reply);
    await call(client);
    expect(server.requests[0]?.headers['anthropic-version']).toBe(name.startsWith('anthropic') ? '2023-06-01' : undefined);
  });
});
