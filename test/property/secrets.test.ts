import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallContext, type Client, type Config, type Hook, newClient } from '../../src/overlay/index.ts';
import { configFor, type FakeService, type Fault, faults, startFakeService } from '../../src/testing/index.ts';
import { type Answer, answeringServer } from '../support/answering-server.ts';
import { transports } from '../support/both-ways.ts';
import { runs, sampled } from '../support/deep.ts';

let fake: FakeService;
const apiKey = 'KEY-ID-4711.KEY-SECRET-4711';
beforeAll(async () => {
  fake = await startFakeService({ keys: [apiKey], validate: false });
});
afterAll(() => fake.close());

const prompt = 'PROMPT-MARKER';
const header = 'HEADER-MARKER';
const tool = 'TOOL-MARKER';

const anyFault: fc.Arbitrary<Fault> = fc.constantFrom<Fault>(
  faults.resetBeforeHeaders(),
  faults.resetMidBody(),
  faults.silentBeforeHeaders(),
  faults.silentAfterHeaders(),
  faults.truncatedStream('midFrame'),
  faults.emptyStream(),
  faults.malformedFrame(1, `{"echo": ${prompt} ${apiKey} ${tool}`),
  faults.inBandError('1234', `your key ${apiKey} failed`),
  faults.eventError('1305', `Bearer ${apiKey}`),
  faults.jsonForStream(),
  faults.streamForJson(),
  faults.htmlErrorPage(502),
  faults.error(400, '1210', `bad key ${apiKey}`),
  faults.error(401, '401', apiKey.split('.')[1]),
  faults.rateLimit({ seconds: 120 }),
  faults.embeddedFailure(undefined, '1113', `key ${apiKey}`),
  faults.redirect('https://example.invalid/', 302),
);

/** Everything of an error that a log could show. */
function shown(error: unknown): string {
  return [String(error), inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), error instanceof Error ? error.stack : ''].join(
    '\n',
  );
}

test('no key, header, prompt or tool argument in any message, cause, inspect output or hook meta', async () => {
  await fc.assert(
    fc.asyncProperty(anyFault, fc.constantFrom(...transports), fc.boolean(), fc.boolean(), async (fault, { overrides }, streamed, messages) => {
      const seen: string[] = [];
      const hook: Hook = {
        onRequest: (meta) => void seen.push(inspect(meta)),
        onResponse: (meta) => void seen.push(inspect({ ...meta, usage: undefined })),
        onError: (meta, error) => void seen.push(inspect(meta), shown(error)),
      };
      const client = newClient(fake.configFor({ ...overrides, apiKey, hooks: [hook], timeout: 40, streamIdleTimeout: 40, maxRetries: 1 }));
      fake.reset();
      fake.fallback('*', fault);
      const ctx = { headers: { 'x-extra': header } };
      const base = { model: 'glm-5.2', messages: [{ role: 'user', content: prompt }] };
      const schema = { type: 'object' as const, description: tool };
      const chat = { ...base, tools: [{ type: 'function' as const, function: { name: 'lookup', parameters: schema } }] };
      const message = { ...base, max_tokens: 5, tools: [{ name: 'lookup', input_schema: schema }] };
      const failure = await (async () => {
        if (streamed) for await (const _ of messages ? client.anthropic().stream(ctx, message) : client.chat().stream(ctx, chat));
        else await (messages ? client.anthropic().create(ctx, message) : client.chat().create(ctx, chat));
      })().catch((error: unknown) => error);
      const log = [shown(failure), ...seen].join('\n');
      expect([apiKey, 'KEY-SECRET-4711', prompt, header, tool].filter((marker) => log.includes(marker))).toEqual([]);
    }),
    runs(150),
  );
  await fake.idle();
});

test('a client does not show its key', () => {
  const client = newClient({ apiKey });
  client.chat();
  expect(shown(client)).not.toContain('KEY-SECRET');
});

const chinaAPIKey = 'CHINA-ID-0815.CHINA-SECRET-0815';
const teamHeader = 'TEAM-HEADER-MARKER';
const forged = '\u001b[31mforged\u202e\r\nlog line';
/** Each is echoed in every place of a reply. */
const planted = [apiKey, 'KEY-SECRET-4711', 'KEY-ID-4711', chinaAPIKey, 'CHINA-SECRET-0815', teamHeader, 'Bearer OTHER-CREDENTIAL'] as const;
const unseen = [...planted.slice(0, -1), 'OTHER-CREDENTIAL'];

/** A reply with `echo` in one of its places. */
const places: Readonly<Record<string, (echo: string) => Answer>> = {
  'message of a 400': (echo) => ({ status: 400, body: { error: { code: '1210', message: `no ${echo} here` } } }),
  'code of a 400': (echo) => ({ status: 400, body: { error: { code: echo, message: 'no' } } }),
  'type of a 400': (echo) => ({ status: 400, body: { type: 'error', error: { type: echo, message: 'no' } } }),
  'request id of the body': (echo) => ({ status: 400, body: { request_id: echo, error: { code: '1210', message: 'no' } } }),
  'bracketed message': (echo) => ({
    status: 429,
    body: { error: { type: 'rate_limit_error', message: `[1113][${echo}][id-${/^[\w-]+/.exec(echo)?.[0]}]` } },
  }),
  'x-log-id': (echo) => ({ status: 500, headers: { 'x-log-id': echo }, body: { error: { code: '1210', message: 'no' } } }),
  'request-id of a success': (echo) => ({
    headers: { 'request-id': echo },
    body: { choices: [], content: [], output: [], usage: { [echo]: 1, tier: echo } },
  }),
  'x-request-id of a reply that is not JSON': (echo) => ({
    headers: { 'x-request-id': echo, 'content-type': 'application/json' },
    body: `{ ${echo}`,
  }),
  'x-log-id of an empty reply': (echo) => ({ headers: { 'x-log-id': echo, 'content-type': 'application/json' }, body: '' }),
  'content-encoding': (echo) => ({ headers: { 'content-encoding': echo, 'content-type': 'application/json' }, body: '{}' }),
  'content-encoding of a stream': (echo) => ({ headers: { 'content-encoding': echo, 'content-type': 'text/event-stream' }, body: 'data: {}\n\n' }),
  'content-encoding of a failure': (echo) => ({ status: 503, headers: { 'content-encoding': echo, 'content-type': 'application/json' }, body: '{}' }),
  'content-type': (echo) => ({ headers: { 'content-type': `application/${echo}` }, body: 'no' }),
  'host of a redirect': (echo) => ({ status: 307, headers: { location: `https://${echo.replace(/^Bearer .*/, 'bearer')}.localhost/` }, body: '' }),
  'x-log-id of a redirect': (echo) => ({
    status: 302,
    headers: { 'x-log-id': echo, location: `https://example.com/${encodeURIComponent(echo)}` },
    body: '',
  }),
  'text of a 502': (echo) => ({ status: 502, headers: { 'content-type': 'text/plain' }, body: `${'x'.repeat(480)}${echo}` }),
  'page of a 502': (echo) => ({ status: 502, headers: { 'content-type': 'text/html' }, body: `<html>${echo}</html>` }),
  'page of a 200': (echo) => ({ headers: { 'content-type': 'text/html' }, body: `<html>${echo}</html>` }),
  'failure inside a 200': (echo) => ({ body: { code: echo, msg: echo, success: false } }),
  'message of 2 MB': (echo) => ({ status: 400, body: { error: { code: '1210', message: echo.repeat(2_000_000 / echo.length) } } }),
  'code of 2 MB': (echo) => ({ status: 400, body: { error: { code: echo.repeat(2_000_000 / echo.length), message: 'no' } } }),
  'frame of a stream': (echo) => ({
    headers: { 'content-type': 'text/event-stream', 'x-log-id': echo },
    body: `data: ${JSON.stringify({ error: { code: echo, message: echo } })}\n\n`,
  }),
  'event: error of a stream': (echo) => ({
    headers: { 'content-type': 'text/event-stream' },
    body: `event: error\ndata: ${JSON.stringify({ error: { type: echo, message: echo }, request_id: echo })}\n\n`,
  }),
  'frame that is not JSON': (echo) => ({ headers: { 'content-type': 'text/event-stream', 'x-log-id': echo }, body: `data: {"a": ${echo}\n\n` }),
};

/** Calls of every reader and every surface. The china key goes out with embeddings alone, and may come back anywhere. */
const readers: Readonly<Record<string, (client: Client, ctx: CallContext, url?: string) => Promise<unknown>>> = {
  'chat.create': (client, ctx) => client.chat().create(ctx, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] }),
  'chat.stream': (client, ctx) => all(client.chat().stream(ctx, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] })),
  'anthropic.create': (client, ctx) =>
    client.anthropic().create(ctx, { model: 'glm-5.2', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }),
  'anthropic.stream': (client, ctx) =>
    all(client.anthropic().stream(ctx, { model: 'glm-5.2', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] })),
  'embeddings.create': (client, ctx) => client.embeddings().create(ctx, { model: 'embedding-3', input: 'x' }),
  'agents.invoke': (client, ctx) => client.agents().invoke(ctx, { agent_id: 'a', messages: [{ role: 'user', content: 'hi' }] }),
  'quota.getLimit': (client, ctx) => client.quota().getLimit(ctx),
  'files.content': (client, ctx) =>
    client
      .files()
      .content(ctx, 'file-1')
      .then((reply) => reply.text()),
  'models.list': (client, ctx) => client.models().list(ctx),
  download: (client, ctx, url = '') => client.fetchFile(ctx, `${url}/files/file-1/content`).then((reply) => reply.text()),
};

async function all(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

/** Everything of an error that a log shows; `result` and `issues` are hidden on purpose and hold what came. */
function logged(error: unknown): string {
  return [String(error), inspect(error, { depth: 10 }), JSON.stringify(error), error instanceof Error ? error.stack : ''].join('\n');
}

function watching(overrides: Partial<Config>, url: string): { client: Client; seen: unknown[] } {
  const seen: unknown[] = [];
  const hook: Hook = {
    onRequest: (meta) => void seen.push(meta),
    onResponse: (meta) => void seen.push(meta),
    onError: (meta, error) => void seen.push(meta, error),
  };
  return { client: newClient(configFor(url, { ...overrides, apiKey, chinaAPIKey, hooks: [hook], maxRetries: 0 })), seen };
}

/** Every string in the metadata of a hook, or in an error and its cause: in JSON and inspect output control characters hide as escapes. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const own = value instanceof Error ? [value.message, value.cause] : [];
  return [...own, ...Object.entries(value).flat()].flatMap(strings);
}

function expectClean(given: readonly unknown[]): void {
  const log = given.map((one) => (one instanceof Error ? logged(one) : JSON.stringify(one))).join('\n');
  // Hosts and names of encodings are in lower case.
  const lower = log.toLowerCase();
  expect(unseen.filter((marker) => lower.includes(marker.toLowerCase()))).toEqual([]);
  const texts = [...new Set(given.flatMap(strings))];
  expect(texts.filter((text) => /[\p{Cc}\p{Cf}]/u.test(text))).toEqual([]);
  // 500 characters of the service's, and our own words around them.
  expect(texts.filter((text) => text.length >= 1200)).toEqual([]);
}

test.each(Object.keys(places))('%s: no key, header value or control character it echoes is in an error or a hook', async (place) => {
  let echo = '';
  const server = await answeringServer(() => places[place]?.(echo) as Answer);
  const ctx = { headers: { 'x-team': teamHeader, 'x-short': 'no' } };
  for (const { overrides } of transports) {
    const { client, seen } = watching(overrides, server.url);
    for (const perform of Object.values(readers))
      for (const secret of sampled(planted, place.endsWith('2 MB') ? 7 : 1)) {
        // Of control characters, a header can carry those above 0x7f; a body can carry all.
        const isHeader = place.includes('id of a') || place.startsWith('x-') || place.startsWith('frame') || /^(?:content|host)/.test(place);
        echo = place.startsWith('content') ? `${secret}\u009b31m\u0085${'x'.repeat(6000)}` : isHeader ? secret : `${secret}${forged}`;
        const failure = await perform(client, ctx, server.url).then(
          () => undefined,
          (error: unknown) => error,
        );
        expectClean([failure, ...seen.splice(0)]);
      }
  }
});

const jobs: Readonly<
  Record<string, { readonly state: (echo: string) => object; readonly wait: (client: Client, ctx: CallContext) => Promise<unknown> }>
> = {
  'fileParser.wait': {
    state: (echo) => ({ status: 'failed', message: `parser: ${echo}`, task_id: echo }),
    wait: (client, ctx) => client.fileParser().wait(ctx, 'task-1', 'text'),
  },
  'batch.wait': {
    state: (echo) => ({ id: echo, status: 'failed', errors: { data: [{ line: 1, code: echo, message: echo }] } }),
    wait: (client, ctx) => client.batch().wait(ctx, 'batch-1'),
  },
  'agents.wait': {
    state: (echo) => ({ agent_id: 'a', async_id: 'b', status: 'failed', error: { code: echo, message: echo } }),
    wait: (client, ctx) => client.agents().wait(ctx, { agent_id: 'a', async_id: 'b' }),
  },
};

test.each(Object.keys(jobs))('%s: words of a failed job are cleaned', async (name) => {
  let echo = '';
  const job = jobs[name] as (typeof jobs)[string];
  const server = await answeringServer(() => ({ body: job.state(echo) }));
  const { client, seen } = watching({}, server.url);
  for (const secret of planted) {
    echo = `${secret}${forged}${'x'.repeat(10_000)}`;
    const failure = await job.wait(client, { headers: { 'x-team': teamHeader } }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Error);
    expectClean([failure, ...seen.splice(0)]);
  }
});

test('rows of a batch: code, message and request id are cleaned', async () => {
  for (const secret of planted) {
    const echo = `${secret}${forged}`;
    const row = JSON.stringify({
      custom_id: 'one',
      response: { status_code: 400, request_id: echo, body: { error: { code: echo, message: echo } } },
    });
    const server = await answeringServer(({ path }) =>
      path.includes('/content')
        ? { headers: { 'content-type': 'application/octet-stream' }, body: row }
        : { body: { id: echo, status: 'expired', output_file_id: 'file-1' } },
    );
    const client = newClient(configFor(server.url, { apiKey, chinaAPIKey }));
    const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };
    const { results } = await client.batch().run(
      { headers: { 'x-team': teamHeader } },
      [
        { custom_id: 'one', body: request },
        { custom_id: 'two', body: request },
      ],
      { resume: 'batch-1' },
    );
    expect(results.map(({ error }) => error?.kind)).toEqual(['api', 'task']);
    expectClean(results.map(({ error }) => error));
  }
});

test('a cause with a secret is replaced by a copy without it; any other is kept', async () => {
  const cause = Object.assign(new Error(apiKey), {
    code: apiKey,
    syscall: apiKey,
    hostname: `a b ${teamHeader}`,
    port: chinaAPIKey,
    headers: { apiKey },
  });
  const odd = newClient({ apiKey, chinaAPIKey, maxRetries: 0, httpClient: () => Promise.reject(Object.assign(new TypeError(apiKey), { cause })) });
  const failure = await readers['chat.create']?.(odd, undefined).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expectClean([failure]);
  const plain = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect', port: 443, hostname: 'api.example' });
  const refused = newClient({ apiKey, maxRetries: 0, httpClient: () => Promise.reject(Object.assign(new TypeError('failed'), { cause: plain })) });
  await expect(readers['chat.create']?.(refused, undefined)).rejects.toMatchObject({
    code: 'ECONNREFUSED',
    cause: { message: 'failed', cause: plain },
  });
});

test('hooks and errors of bindings never hold an id of the URL', async () => {
  const server = await answeringServer(() => ({ status: 404, headers: { location: '' }, body: { error: { code: '1210', message: 'no' } } }));
  const metas: unknown[] = [];
  const hook: Hook = { onRequest: (meta) => void metas.push(meta), onError: (meta, error) => void metas.push(meta, logged(error)) };
  const client = newClient(configFor(server.url, { apiKey, hooks: [hook], maxRetries: 0 }));
  const chat = client.bindings('chat');
  await chat.GET('/files/{file_id}/content', { params: { path: { file_id: 'file-SECRET-ID' } } });
  await chat.GET('/files/file-SECRET-ID' as '/models');
  // The second path is not an operation of the service: it answers 404 or 405 by itself.
  expect(server.asked.map(({ path }) => path)).toEqual(['/files/file-SECRET-ID/content']);
  expect(metas.filter((meta) => typeof meta === 'object')).toMatchObject([
    { endpoint: '/files/{file_id}/content' },
    { endpoint: '/files/{file_id}/content' },
    { endpoint: '' },
    { endpoint: '' },
  ]);
  expect(JSON.stringify(metas)).not.toContain('SECRET-ID');
});
