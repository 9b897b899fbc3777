import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type AnthropicMessageRequest,
  anthropicTextMessage,
  type CallContext,
  type ChatRequest,
  type Client,
  type Config,
  isApiError,
  isModelsvcError,
  newClient,
} from '../../src/overlay/index.ts';
import { failureOf, testKey } from '../support/spec.ts';

const hello = { model: 'glm-4.6', messages: [{ role: 'user', content: 'hi' }] };
const message = { model: 'glm-4.7', max_tokens: 64, messages: [anthropicTextMessage('user', 'hi')] };

/** Both surfaces in all their forms; a stream's error is thrown at its first item. */
const calls = {
  'chat.create': (client: Client, ctx: CallContext, request: unknown) => client.chat().create(ctx, request as ChatRequest),
  'chat.createAsync': (client: Client, ctx: CallContext, request: unknown) => client.chat().createAsync(ctx, request as ChatRequest),
  'chat.stream': (client: Client, ctx: CallContext, request: unknown) =>
    client
      .chat()
      .stream(ctx, request as ChatRequest)
      .next(),
  'anthropic.create': (client: Client, ctx: CallContext, request: unknown) => client.anthropic().create(ctx, request as AnthropicMessageRequest),
  'anthropic.stream': (client: Client, ctx: CallContext, request: unknown) =>
    client
      .anthropic()
      .stream(ctx, request as AnthropicMessageRequest)
      .next(),
  'anthropic.countTokens': (client: Client, ctx: CallContext, request: unknown) =>
    client.anthropic().countTokens(ctx, request as AnthropicMessageRequest),
} as const;
type Operation = keyof typeof calls;
const operations = Object.keys(calls) as Operation[];

function requestOf(operation: Operation): Record<string, unknown> {
  return operation.startsWith('chat') ? hello : message;
}

interface Watched {
  readonly client: Client;
  /** The bodies that were sent. */
  readonly sent: unknown[];
  /** How often any hook fired. */
  readonly fired: () => number;
}

function watched(): Watched {
  const sent: unknown[] = [];
  let count = 0;
  const fire = (): void => {
    count++;
  };
  const hooks = [{ onRequest: fire, onResponse: fire, onError: fire, onChunk: fire }];
  const httpClient: NonNullable<Config['httpClient']> = async (_url, { body }) => {
    sent.push(JSON.parse(String(body)));
    return Response.json({ id: '1', choices: [{}], content: [{}], input_tokens: 1 });
  };
  return { client: newClient({ apiKey: testKey, httpClient, hooks, serviceRules: false, wholeReplies: true }), sent, fired: () => count };
}

/** The error of a call that may reach neither the network nor a hook. */
async function localFailure(call: (client: Client) => Promise<unknown>): Promise<unknown> {
  const { client, sent, fired } = watched();
  const error = await failureOf(() => call(client));
  expect([sent, fired()]).toEqual([[], 0]);
  return error;
}

afterEach(() => vi.unstubAllEnvs());

describe('a request that lacks what it needs', () => {
  it.each(['', ' ', '.', '..', undefined, null, 5, '\ud800'])('getAsyncResult and waitForResult refuse the id %j', async (id) => {
    const once = await localFailure((client) => client.getAsyncResult(undefined, id as string));
    expect(once).toMatchObject({ name: 'ValidationError', operation: 'getAsyncResult', path: 'id' });
    const polled = await localFailure((client) => client.waitForResult(undefined, id as string));
    expect(polled).toMatchObject({ name: 'ValidationError', operation: 'waitForResult', path: 'id' });
  });
});

describe('a wrong type deep inside a request', () => {
  const user = { role: 'user', content: 'hi' };
  const cases: [Operation, string, Record<string, unknown>][] = [
    ['chat.create', 'messages[1].content', { messages: [user, { role: 'user', content: 5 }] }],
    ['chat.create', 'messages[0].images', { messages: [{ ...user, images: 'https://example.com/a.png' }] }],
    ['chat.create', 'messages[0].images[1]', { messages: [{ ...user, images: ['https://example.com/a.png', 5] }] }],
    ['chat.create', 'messages[0].content', { messages: [{ role: 'user', content: 5, images: ['https://example.com/a.png'] }] }],
    ['chat.create', 'stream_tool_call', { stream_tool_call: 'yes' }],
    ['chat.stream', 'messages[1].content', { messages: [user, { role: 'user', content: {} }] }],
    ['chat.createAsync', 'thinking', { thinking: 'on' }],
    ['anthropic.create', 'max_tokens', { max_tokens: '64' }],
    ['anthropic.create', 'messages[0].content[0].text', { messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }],
    ['anthropic.stream', 'stop_sequences[1]', { stop_sequences: ['a', 5] }],
    ['anthropic.countTokens', 'messages[0].role', { messages: [{ content: 'hi' }] }],
  ];

  it.each(cases)('%s: %s', async (operation, path, fields) => {
    const error = await localFailure((client) => calls[operation](client, undefined, { ...requestOf(operation), ...fields }));
    expect(error).toMatchObject({ name: 'ValidationError', operation, path });
    expect((error as Error).message.startsWith(`${operation}: ${path} `)).toBe(true);
  });

  const cyclic: Record<string, unknown> = { ...hello };
  cyclic['self'] = cyclic;
  it.each([
    ['a bigint', { ...hello, seed_hint: 5n }],
    ['a cycle', cyclic],
  ])('%s cannot be sent', async (_what, request) => {
    expect(await localFailure((client) => client.chat().create(undefined, request as unknown as ChatRequest))).toMatchObject({
      name: 'ValidationError',
      operation: 'chat.create',
      path: '',
    });
  });
});

describe('a wrong configuration', () => {
  it.each<[string, object, string]>([
    ['a key with a line break', { apiKey: 'abc\n' }, 'apiKey'],
    ['a base URL that is not one', { apiKey: testKey, baseURL: 'not a url' }, 'baseURL'],
    ['an empty base URL', { apiKey: testKey, baseURL: '' }, 'baseURL'],
    ['a base URL of another scheme', { apiKey: testKey, baseURL: 'ftp://example.com' }, 'baseURL'],
    ['a base URL with credentials', { apiKey: testKey, baseURL: 'https://user:pass@example.com' }, 'baseURL'],
    ['a base URL with a query', { apiKey: testKey, baseURL: 'https://example.com/?key=1' }, 'baseURL'],
    ['a base URL that is a URL object', { apiKey: testKey, baseURL: new URL('https://example.com') }, 'baseURL'],
    ['another wrong root', { apiKey: testKey, endpoints: { messages: 'example.com' } }, 'endpoints.messages'],
    ['an unknown region', { apiKey: testKey, region: 'moon' }, 'region'],
    ['a region in capitals', { apiKey: testKey, region: 'China' }, 'region'],
    ['a negative timeout', { apiKey: testKey, timeout: -1 }, 'timeout'],
    ['a timeout that is no number', { apiKey: testKey, timeout: Number.NaN }, 'timeout'],
    ['retries below -1', { apiKey: testKey, maxRetries: -2 }, 'maxRetries'],
    ...(['maxReplyBytes', 'maxEventBytes', 'maxBufferedBytes', 'maxErrorBytes', 'maxSockets'] as const).flatMap((name) =>
      [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '5', null, {}].map((value): [string, object, string] => [
        `${name} of ${JSON.stringify(value)}`,
        { apiKey: testKey, [name]: value },
        name,
      ]),
    ),
    ...(
      [
        ['disableToolSchemaCompat', 'no'],
        ['disableToolSchemaCompat', 1],
        ['serviceRules', 'yes'],
        ['serviceRules', null],
        ['endpoints', null],
        ['endpoints', 5],
        ['endpoints', ['https://gateway.test']],
        ['endpoints', 'gateway.test'],
        ['endpoints', ''],
      ] as const
    ).map(([name, value]): [string, object, string] => [`${name} as ${JSON.stringify(value)}`, { apiKey: testKey, [name]: value }, name]),
    ['a retryDelay as text', { apiKey: testKey, retryDelay: '200ms' }, 'retryDelay'],
    ['an httpClient that is no function', { apiKey: testKey, httpClient: {} }, 'httpClient'],
  ])('%s', async (_what, config, field) => {
    const error = await failureOf(() => newClient(config as Config));
    expect(isModelsvcError(error, 'config')).toBe(true);
    expect((error as Error).message.startsWith(field)).toBe(true);
  });

  it.each([undefined, null, 'key', 5])('%j instead of the configuration', async (config) => {
    expect(isModelsvcError(await failureOf(() => newClient(config as never)), 'config')).toBe(true);
  });
});

/** Headers that frame or route the message. */
const framing = 'transfer-encoding content-length host connection te trailer upgrade expect keep-alive proxy-connection'.split(' ');
const credentials = ['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'cookie'];
const refused = [...framing, ...credentials];

describe('a wrong context', () => {
  const cases: [string, unknown, string][] = [
    ['text', 'ctx', 'ctx'],
    ['a function', () => undefined, 'ctx'],
    ['an array', [], 'ctx'],
    ['the request', { ...message, ...hello }, 'ctx'],
    ['the configuration', { apiKey: testKey }, 'ctx'],
    ['a signal that is not one', { signal: {} }, 'ctx.signal'],
    ['a controller as signal', { signal: new AbortController() }, 'ctx.signal'],
    ['a list with one signal that is not one', { signal: [AbortSignal.timeout(1000), 5] }, 'ctx.signal'],
    ['a negative timeout', { timeout: -1 }, 'ctx.timeout'],
    ['retries that are no number', { maxRetries: '3' }, 'ctx.maxRetries'],
    ['a header name with a space', { headers: { 'a b': '1' } }, 'ctx.headers'],
    ['a header value with a line break', { headers: { a: '1\r\nb: 2' } }, 'ctx.headers'],
    ['a header value that is no text', { headers: { a: 1 } }, 'ctx.headers'],
    ['Headers, whose content would be lost', { headers: new Headers({ a: '1' }) }, 'ctx.headers'],
    ['headers as text', { headers: 'a: 1' }, 'ctx.headers'],
    ...refused.map((name): [string, unknown, string] => [`the header ${name}`, { headers: { [name.toUpperCase()]: '1' } }, `ctx.headers.${name}`]),
    ['a service that is no text', { service: 5 }, 'ctx.service'],
    ['a model that is no text', { model: {} }, 'ctx.model'],
  ];
  it.each(operations.flatMap((operation) => cases.map(([what, ctx, path]) => ({ operation, what, ctx, path }))))(
    '$operation: $what',
    async ({ operation, ctx, path }) => {
      const error = await localFailure((client) => calls[operation](client, ctx as CallContext, requestOf(operation)));
      expect(error).toMatchObject({ name: 'ValidationError', operation, path });
    },
  );

  it.each(credentials)('a credential in a header is not dropped in silence: %s', async (name) => {
    const call = (ctx: CallContext, client: Client) => client.chat().createSimple(ctx, 'glm-4.6', 'hi');
    const error = await localFailure((client) => call({ headers: { 'x-a': '1', [name]: 'value-4711' } }, client));
    expect(error).toMatchObject({ message: `chat.createSimple: ctx.headers.${name} is a credential: the key goes in apiKey` });
    expect(inspect(error)).not.toContain('value-4711');
  });

  it('a key that is the name of a field is not in the error', async () => {
    const error = await localFailure((client) =>
      client.batch().create(undefined, { input_file_id: 'a', endpoint: '/v4/chat/completions', metadata: { [`my ${testKey}`]: 5 } } as never),
    );
    expect(error).toMatchObject({ path: 'metadata.my [key]', message: 'batch.create: metadata.my [key] must be a string' });
    const other = await localFailure((client) => client.models().list({ [testKey]: 1 } as never));
    expect(other).toMatchObject({ name: 'ValidationError', path: 'ctx.[key]' });
    expect(inspect([error, other])).not.toContain(testKey);
  });

  it.each(refused)('bindings refuse the header %s', async (name) => {
    const headers = { [name]: '1' };
    const error = await localFailure((client) => client.bindings('chat').GET('/models', { headers }));
    expect(error).toMatchObject({ name: 'ValidationError', operation: 'GET /models', path: `headers.${name}` });
  });

  it('takes a whole controller for its signal', async () => {
    const controller = new AbortController();
    controller.abort();
    expect(isModelsvcError(await localFailure((client) => client.chat().create(controller, hello)), 'abort')).toBe(true);
  });
});

describe('what is not wrong', () => {
  it.each(operations.filter((operation) => !operation.endsWith('stream')))('%s sends fields that are unknown as they are', async (operation) => {
    const { client, sent } = watched();
    const request = { ...requestOf(operation), future_field: { deep: [1, { x: null }] }, tools: undefined };
    await calls[operation](client, undefined, request);
    expect(sent[0]).toEqual({ ...requestOf(operation), future_field: { deep: [1, { x: null }] } });
  });

  it('unknown fields inside messages, parts and tools pass too', async () => {
    const { client, sent } = watched();
    const request = {
      model: 'glm-4.6',
      messages: [{ role: 'user', content: [{ type: 'hologram', beam: 1 }], mood: 'fine' }],
      tools: [{ type: 'function', function: { name: 'f', colour: 'red' }, extra: true }],
    };
    await client.chat().create(undefined, request as unknown as ChatRequest);
    expect(sent[0]).toEqual(request);
  });
});

describe('secrets and prompts', () => {
  const marker = 'SECRET-MARKER-7f3a';

  /** Everything of an error that may end in a log. */
  function allText(error: unknown): string {
    let text = '';
    for (let one = error; one instanceof Error; one = one.cause)
      text += `${one.message}\n${one.stack}\n${String(one)}\n${JSON.stringify(one)}\n${JSON.stringify(Object.getOwnPropertyNames(one).map((name) => (one as never)[name]))}`;
    return text + inspect(error, { depth: 10, showHidden: true });
  }

  /** Junk values with the marker in every string, so that quoting any of them shows. */
  const marked = fc.oneof(
    fc.constant(marker),
    fc.string({ maxLength: 8 }).map((text) => marker + text),
  );
  const junk = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      marked,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constantFrom(null, undefined),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(
      fc.constantFrom(
        ...[
          'model',
          'messages',
          'role',
          'content',
          'type',
          'text',
          'image_url',
          'url',
          'images',
          'tools',
          'function',
          'name',
          'parameters',
          'tool_calls',
        ],
        ...[
          'stream',
          'stream_tool_call',
          'temperature',
          'max_tokens',
          'thinking',
          'effort',
          'system',
          'stop',
          'response_format',
          'input_schema',
          'tool_choice',
          'meta',
        ],
      ),
      tie('value'),
      { maxKeys: 8 },
    ),
  })).value;

  it.each(operations)('%s takes any junk as its request: a reply or a ValidationError that quotes no value', async (operation) => {
    let refused = 0;
    const client = newClient({ apiKey: testKey, httpClient: async () => Response.json({ error: { code: '1210', message: 'no' } }, { status: 400 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          junk,
          fc.record({ model: marked, max_tokens: fc.nat(), messages: junk }),
          junk.map((more) => ({ ...requestOf(operation), ...(more as object) })),
        ),
        async (request) => {
          const error = await failureOf(() => calls[operation](client, undefined, request));
          // Sent after all: the stub has the last word.
          if (isApiError(error)) return;
          refused++;
          if (!isModelsvcError(error, 'validation')) throw error;
          expect(error.operation).toBe(operation);
          expect(allText(error)).not.toContain(marker);
          expect(allText(error)).not.toContain(testKey);
        },
      ),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(25);
  });

  it.each([
    { apiKey: `${marker}\n` },
    { apiKey: testKey, chinaAPIKey: `${marker} ` },
    { apiKey: testKey, baseURL: `ftp://${marker}.example.com` },
    { apiKey: testKey, baseURL: `https://user:${marker}@example.com` },
    { apiKey: testKey, userAgent: `${marker}\n` },
    { apiKey: testKey, region: marker as never },
  ])('are not in a ConfigError: case %#', async (config) => {
    const error = await failureOf(() => newClient(config));
    expect(isModelsvcError(error, 'config')).toBe(true);
    expect(allText(error)).not.toContain(marker);
    expect(allText(error)).not.toContain(testKey);
  });
});
