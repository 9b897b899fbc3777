import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadYaml, resolve } from '../../scripts/generate/document/source.ts';
import { examples, requests } from '../../src/generated/examples.ts';
import { allRoutes, type Route } from '../../src/generated/routes.ts';
import { isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type FakeOptions, type FakeService, fakeKey, faults, refusedUrl, startFakeService } from '../../src/testing/index.ts';
import { knownRoles } from '../../src/testing/requests/warnings.ts';
import { surfaces, transports } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { turns, until } from '../support/clock.ts';

// biome-ignore lint/suspicious/noExplicitAny: what is asserted on is what came over the wire
type Wire = any;

async function start(options?: FakeOptions): Promise<FakeService> {
  const fake = await startFakeService(options);
  onTestFinished(() => fake.close());
  return fake;
}

const json = { authorization: `Bearer ${fakeKey}`, 'content-type': 'application/json' };
const chatRequest = { model: 'glm-5.2', messages: [{ role: 'user', content: 'Hi' }] } as const;
const messageRequest = { model: 'glm-4.7', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] } as const;

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = json,
): Promise<{ status: number; type: string | null; body: Wire }> {
  const response = await fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, type: response.headers.get('content-type'), body: text.startsWith('{') ? JSON.parse(text) : text };
}

/** A route's path and query with the spec's example parameters. */
function exampleUrl(route: Route): string {
  const query = new URLSearchParams();
  let path = route.path;
  for (const [name, value] of Object.entries(examples[route.id]?.parameters ?? {})) {
    if (route.pathParameters.includes(name)) path = path.replace(`{${name}}`, encodeURIComponent(String(value)));
    else if (name !== 'anthropic-version') query.set(name, String(value));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

function exampleInit(route: Route, body: unknown): RequestInit {
  const authorization = `Bearer ${fakeKey}`;
  if (route.request === 'json') return { method: route.method, headers: json, body: JSON.stringify(body) };
  if (route.request === undefined) return { method: route.method, headers: { authorization } };
  const form = new FormData();
  for (const [name, value] of Object.entries(body as object))
    form.set(name, name === 'file' ? new Blob(['content']) : typeof value === 'string' ? value : JSON.stringify(value));
  return { method: route.method, headers: { authorization }, body: form };
}

describe('routes', () => {
  it.each(allRoutes.map((route) => [route.id, route] as const))('%s takes every example request of the spec', async (id, route) => {
    const fake = await start();
    const bodies = Object.values(requests[id] ?? {});
    for (const body of bodies.length === 0 ? [undefined] : bodies) {
      const response = await fetch(fake.url + exampleUrl(route), exampleInit(route, body));
      expect(response.status, await response.text()).toBe(200);
      expect(response.headers.get('x-log-id')).toMatch(/^\d{14}[0-9a-f]{16}$/);
      expect(fake.requests.map(({ operation }) => operation)).toEqual([id]);
      // A voice can be deleted once.
      fake.reset();
    }
  });

  it('serves an example by name for a Prefer header, as the mock does', async () => {
    const fake = await start();
    const named = await post(`${fake.url}/chat/completions`, chatRequest, { ...json, prefer: 'example=toolCalls' });
    expect(named.body.choices[0].finish_reason).toBe('tool_calls');
    const refused = await post(
      `${fake.url}/chat/completions`,
      { ...chatRequest, stream: true },
      { ...json, prefer: 'code=429, example=windowUsedUp' },
    );
    expect(refused).toMatchObject({ status: 429, body: { error: { code: '1308' } } });
  });

  it('has the roots of the real hosts, and keeps their operations apart', async () => {
    const fake = await start();
    expect((await post(`${fake.roots.coding}/chat/completions`, chatRequest)).status).toBe(200);
    expect(fake.requests.at(-1)).toMatchObject({ root: 'coding', path: '/api/coding/paas/v4/chat/completions', operation: 'chat.create' });
    // The agents live under /api, not under the platform root: there the service answers 404.
    expect((await post(`${fake.roots.platform}/v1/agents`, {})).status).toBe(404);
    expect((await post(`${fake.roots.messages}/v1/messages`, messageRequest)).status).toBe(200);
    expect((await fetch(`${fake.url}/chat/completions`, { headers: json })).status).toBe(405);
  });
});

describe('recording', () => {
  it('keeps what came, key and parsed body included', async () => {
    const fake = await start();
    const before = Date.now();
    await post(`${fake.url}/chat/completions?trace=1`, chatRequest, { ...json, 'X-Custom': 'yes' });
    const [request] = fake.requests;
    expect(request).toMatchObject({
      operation: 'chat.create',
      method: 'POST',
      path: '/chat/completions',
      parameters: { trace: '1' },
      body: chatRequest,
      outcome: 'answered',
    });
    expect(request?.headers).toMatchObject({ authorization: `Bearer ${fakeKey}`, 'x-custom': 'yes' });
    expect(new TextDecoder().decode(request?.bytes)).toBe(JSON.stringify(chatRequest));
    const times = [before, request?.at, Date.now()];
    expect(times).toEqual([...times].sort());
  });

  it('takes a multipart body apart', async () => {
    const fake = await start();
    const form = new FormData();
    form.set('purpose', 'batch');
    form.set('file', new Blob(['{"a":1}\n'], { type: 'application/jsonl' }), 'größe.jsonl');
    await fetch(`${fake.url}/files`, { method: 'POST', headers: { authorization: json.authorization }, body: form });
    const { purpose, file } = (fake.requests[0]?.body ?? {}) as { purpose: string; file: { name: string; type: string; bytes: Uint8Array } };
    expect([purpose, file.name, file.type, new TextDecoder().decode(file.bytes)]).toEqual(['batch', 'größe.jsonl', 'application/jsonl', '{"a":1}\n']);
  });
});

describe('kept bodies', () => {
  it.each([0, 250, 1000])('of %i bytes: the oldest go first, and say so', async (keepBytes) => {
    const seen: unknown[] = [];
    const fake = await start({ keepBytes, keepRequests: 4, validate: false });
    fake.fallback('*', ({ body }) => void seen.push(body));
    const bodies = [1, 2, 3, 4, 5, 6].map((n) => ({ n, model: 'glm-5.3', text: 'x'.repeat(68) }));
    for (const body of bodies) await post(`${fake.url}/chat/completions`, body);
    await fake.idle();
    const kept = Math.min(4, Math.floor(keepBytes / JSON.stringify(bodies[0]).length));
    const [length] = bodies.map((body) => JSON.stringify(body).length);
    expect(fake.requests.map(({ body, bytes, droppedBytes }) => [body, bytes.length, droppedBytes])).toEqual(
      bodies.slice(2).map((body, index) => (index < 4 - kept ? [undefined, 0, length] : [body, length, 0])),
    );
    // An answer has the body of its request, whatever is kept.
    expect(seen).toEqual(bodies);
  });

  it.each([-1, 1.5, Number.NaN, '1' as never])('keepBytes: %j is refused', async (keepBytes) => {
    await expect(startFakeService({ keepBytes })).rejects.toThrow(/options\.keepBytes must be an integer/);
  });
});

describe('refusals', () => {
  it.each([
    ['chat', '/chat/completions', 401, { error: { code: '1001' } }, { error: { code: '401' } }],
    ['messages', '/v1/messages', 401, { type: 'error', error: { type: '1001' } }, { type: 'error', error: { type: '401' } }],
    ['agents', '/v1/agents', 401, { error: { code: '1001' } }, { error: { code: '401' } }],
    ['monitor', '/usage/quota/limit', 200, { success: false, code: 1001 }, { success: false, code: 401 }],
    ['biz', '/subscription/list', 200, { success: false, code: 1001 }, { success: false, code: 401 }],
  ] as const)('a missing or wrong key is refused in the envelope of %s', async (_, path, status, missing, wrong) => {
    const fake = await start();
    const method = path.startsWith('/usage') || path.startsWith('/subscription') ? 'GET' : 'POST';
    const ask = async (headers: Record<string, string>): Promise<unknown> => {
      const response = await fetch(fake.url + path, { method, headers });
      return { status: response.status, body: await response.json() };
    };
    expect(await ask({})).toMatchObject({ status, body: missing });
    expect(await ask({ authorization: 'Bearer some-other-key' })).toMatchObject({ status, body: wrong });
  });

  it('takes x-api-key on the message surface only, and other keys when told', async () => {
    const fake = await start({ keys: ['mine', 'yours'] });
    const headers = { 'content-type': 'application/json', 'x-api-key': 'yours' };
    expect((await post(`${fake.url}/v1/messages`, messageRequest, headers)).status).toBe(200);
    expect((await post(`${fake.url}/chat/completions`, chatRequest, headers)).status).toBe(401);
    expect((await post(`${fake.url}/chat/completions`, chatRequest, { ...json, authorization: 'Bearer mine' })).status).toBe(200);
    const open = await start({ keys: 'any' });
    expect((await post(`${open.url}/chat/completions`, chatRequest, { ...json, authorization: 'Bearer whatever' })).status).toBe(200);
  });

  it.each([
    [
      'a missing field on chat',
      '/chat/completions',
      { model: 'glm-5.2' },
      400,
      { error: { code: '1213', message: expect.stringContaining('messages') } },
    ],
    ['a wrong value on chat', '/chat/completions', { ...chatRequest, temperature: 7 }, 400, { error: { code: '1214' } }],
    ['a body that is not JSON', '/chat/completions', '{"model":', 400, { error: { code: '1210' } }],
    ['a missing field on messages', '/v1/messages', { ...messageRequest, max_tokens: undefined }, 400, { type: 'error', error: { type: '1213' } }],
    ['a missing field on agents', '/v1/agents', { messages: [] }, 200, { status: 'failed', error: { code: '400' } }],
    ['a missing field on embeddings', '/embeddings', { model: 'embedding-3' }, 400, { error: { code: '1213' } }],
  ])('%s is refused as the service does', async (_, path, body, status, expected) => {
    const fake = await start();
    fake.fallback('*', { body: { accepted: true } });
    expect(await post(fake.url + path, body)).toMatchObject({ status, body: expected });
    const lenient = await start({ validate: false });
    lenient.fallback('*', { body: { accepted: true } });
    expect(await post(lenient.url + path, body)).toMatchObject({ status: 200, body: { accepted: true } });
  });

  it.each(transports)('a value that the service refuses: $transport refuses it in the client, the fake in a raw request', async ({ overrides }) => {
    const fake = await start();
    const client = newClient(fake.configFor(overrides));
    const elsewhere = newClient(fake.configFor({ ...overrides, serviceRules: false, maxRetries: 0 }));
    onTestFinished(() => void [client.close(), elsewhere.close()]);
    for (const { surface, service, request } of surfaces) {
      const beyond = request('hi', { temperature: 7 });
      for (const ask of [client, client.with({ timeout: 5_000 })]) {
        const refused = { kind: 'validation', path: 'temperature' };
        await expect(service(ask).create(undefined, beyond), surface).rejects.toMatchObject(refused);
        await expect(service(ask).stream(undefined, beyond).next(), surface).rejects.toMatchObject(refused);
        await expect(service(ask).create(undefined, request('hi', { modell: 'm' })), surface).rejects.toMatchObject({ kind: 'validation' });
      }
      expect(fake.requests).toEqual([]);
      await expect(service(elsewhere).create(undefined, beyond), surface).rejects.toMatchObject({ kind: 'api' });
      expect(fake.requests).toHaveLength(1);
      fake.reset();
    }
  });

  it.each([
    [
      '/chat/completions',
      { messages: [...chatRequest.messages, { role: 'critic', content: 'a' }] },
      ['messages[1].role is not one of system, user, assistant, tool'],
    ],
    [
      '/v1/messages',
      { messages: [...messageRequest.messages, { role: 'tool', content: 'a' }] },
      ['messages[1].role is not one of user, assistant, system'],
    ],
    ['/responses', { input: [{ role: 'tool', content: 'a' }] }, ['input[0].role is not one of user, assistant, system, developer']],
    [
      '/chat/completions',
      { maxTokens: 9, messages: [{ role: 'bot', content: 'a' }, ...chatRequest.messages] },
      ['maxTokens is unknown; did you mean max_tokens?', 'messages[0].role is not one of system, user, assistant, tool'],
    ],
    ['/responses', { input: 'hi', top_k: 5 }, []],
    ['/chat/completions', { max_completion_tokens: 9 }, ['max_completion_tokens has no effect here; the field is max_tokens']],
    ['/chat/completions', { own_field: 1, reasoning_effort: 'high' }, []],
  ])('a doubtful part of a request at %s is answered and noted: %j', async (path, fields, warnings) => {
    const fake = await start();
    expect((await post(fake.url + path, { ...messageRequest, ...fields })).status).toBe(200);
    expect(fake.requests.map((request) => request.warnings)).toEqual([warnings]);
  });

  it("it accepts the spec's roles", async () => {
    const spec = await loadYaml(fileURLToPath(new URL('../../spec/openapi.yaml', import.meta.url)));
    const rolesIn = (schema: string): unknown => resolve(spec.value, `#/components/schemas/${schema}/properties/role/x-extensible-enum`);
    expect(knownRoles).toEqual({
      chat: rolesIn('ChatMessage'),
      messages: rolesIn('AnthropicMessage'),
      responses: rolesIn('ResponsesInputItem'),
      agents: rolesIn('AgentMessage'),
    });
  });

  it('the synchronous parser refuses inside a 200, in the recorded words', async () => {
    const fake = await start();
    const form = new FormData();
    form.set('file', new Blob(['hello world']), 'test.txt');
    form.set('tool_type', 'prime-sync');
    const response = await fetch(`${fake.url}/files/parser/sync`, { method: 'POST', headers: { authorization: json.authorization }, body: form });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      msg: "Required request parameter 'file_type' for method parameter type String is not present",
      code: 500,
    });
  });

  it.each([
    [{ anyOf: [{ type: 'string' }] }, 500],
    [{ type: 'object', properties: { a: { oneOf: [] } } }, 500],
    [{ type: 'object', properties: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } }, 500],
    [{ type: 'object', additionalProperties: { allOf: [] } }, 500],
    [{ type: 'object', $defs: {} }, 500],
    // The words are harmless where there is no schema.
    [{ type: 'object', properties: { anyOf: { type: 'string', enum: ['oneOf'], default: { $ref: 1 } } } }, 200],
  ])('a tool schema outside the accepted subset is answered with 500 on chat, and accepted on messages: %j is %i', async (schema, status) => {
    const fake = await start();
    const tool = { name: 'f', description: 'd' };
    const chat = await post(`${fake.url}/chat/completions`, {
      ...chatRequest,
      tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
    });
    const message = await post(`${fake.url}/v1/messages`, {
      ...messageRequest,
      tools: [{ ...tool, input_schema: { type: 'object', properties: { x: schema } } }],
    });
    const counted = await post(`${fake.url}/v1/messages/count_tokens`, {
      model: 'glm-4.7',
      messages: messageRequest.messages,
      tools: [{ ...tool, input_schema: schema }],
    });
    // Evidence of the 500 exists for chat alone.
    expect([chat.status, message.status, counted.status]).toEqual([status, 200, 200]);
    if (status === 500) expect(chat.body.error.code).toBe('1234');
  });

  it('lists what it refused, with the reason, and reports it at once', async () => {
    const told: string[] = [];
    const fake = await start({ onRefusal: ({ operation, refusal }) => void told.push(`${operation} ${refusal?.status} ${refusal?.reason}`) });
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: { items: { anyOf: [] } } } } } }];
    await post(`${fake.url}/chat/completions`, chatRequest);
    await post(`${fake.url}/chat/completions`, { ...chatRequest, tools });
    await post(`${fake.url}/v1/messages`, { model: 'glm-4.7', messages: messageRequest.messages });
    await post(`${fake.url}/chat/completions`, '{"model":');
    await post(`${fake.url}/chat/completions`, chatRequest, { ...json, authorization: 'Bearer wrong' });
    await post(`${fake.url}/v1/responses`, {});
    expect(told).toEqual([
      'chat.create 500 tools[0].function.parameters has anyOf, which the service cannot read',
      'anthropic.create 400 The parameter max_tokens was not received.',
      'chat.create 400 The request body cannot be read.',
      'chat.create 401 the key is not one of this fake: use fake.configFor(), fakeKey, or the option keys',
      'undefined 404 The requested path does not exist. The fake serves POST /responses.',
    ]);
    expect(fake.requests).toHaveLength(6);
    expect(fake.refusals).toEqual(fake.requests.slice(1));
    expect(fake.refusals[0]?.refusal).toMatchObject({ status: 500, code: '1234' });
    expect(fake.requests[0]?.refusal).toBeUndefined();
    expect(fake.reset().refusals).toEqual([]);
  });

  it('a script is not used up by a request that is refused', async () => {
    const fake = await start();
    fake.chat.reply('kept');
    await post(`${fake.url}/chat/completions`, {});
    expect(fake.waiting).toBe(1);
    expect((await post(`${fake.url}/chat/completions`, chatRequest)).body.choices[0].message.content).toBe('kept');
    expect(fake.waiting).toBe(0);
  });
});

describe('scripts', () => {
  it('uses each turn once, in order, then the text of the example', async () => {
    const fake = await start();
    fake.chat.reply('first').toolCall('get_weather', { city: 'Paris' }).reply({ text: 'third', finish: 'length' });
    const answers = [];
    for (let turn = 0; turn < 4; turn++) answers.push((await post(`${fake.url}/chat/completions`, chatRequest)).body);
    expect(answers[0].choices[0]).toMatchObject({ message: { content: 'first' }, finish_reason: 'stop' });
    expect(answers[1].choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }] },
    });
    expect(answers[2].choices[0].finish_reason).toBe('length');
    expect(answers[3].choices).toMatchObject([{ message: { content: expect.stringContaining('kettle') }, finish_reason: 'stop' }]);
  });

  it('streams tool arguments in pieces when tool_stream is on, and in one otherwise', async () => {
    const fake = await start();
    const args = { city: 'a city with a long name' };
    fake.chat.toolCall('f', args).toolCall('f', args);
    const read = async (extra: object): Promise<Wire[]> => {
      const { body } = await post(`${fake.url}/chat/completions`, { ...chatRequest, stream: true, ...extra });
      const frames: Wire[] = body.match(/^data: \{.*/gm).map((line: string) => JSON.parse(line.slice(6)));
      return frames.flatMap((frame) => frame.choices[0].delta.tool_calls ?? []);
    };
    const [whole, ...none] = await read({});
    expect([whole.function.arguments, none]).toEqual([JSON.stringify(args), []]);
    const pieces = await read({ tool_stream: true });
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.map((piece) => piece.function.arguments).join('')).toBe(JSON.stringify(args));
  });

  it('sends frames and bodies verbatim', async () => {
    const fake = await start();
    fake.chat.stream([{ choices: [] }, ': a comment\n\n', 'data: [DONE]\n\n']);
    expect((await post(`${fake.url}/chat/completions`, { ...chatRequest, stream: true })).body).toBe(
      'data: {"choices":[]}\n\n: a comment\n\ndata: [DONE]\n\n',
    );
    fake.messages.stream([{ type: 'message_stop' }]);
    expect((await post(`${fake.url}/v1/messages`, { ...messageRequest, stream: true })).body).toBe(
      'event: message_stop\ndata: {"type":"message_stop"}\n\n',
    );
    fake.answer('models.list', { body: { data: [] }, headers: { 'x-extra': '1' } });
    const response = await fetch(`${fake.url}/models`, { headers: json });
    expect([await response.json(), response.headers.get('x-extra')]).toEqual([{ data: [] }, '1']);
  });

  it('lets a function decide, and an operation go before any', async () => {
    const fake = await start();
    fake.answer('*', { body: { any: true } });
    fake.answer('chat.create', (request) => ({ turn: { text: (request.body as Wire).messages[0].content.toUpperCase() } }));
    expect((await post(`${fake.url}/chat/completions`, chatRequest)).body.choices[0].message.content).toBe('HI');
    expect((await post(`${fake.url}/chat/completions`, chatRequest)).body).toEqual({ any: true });
    fake.fallback('*', () => faults.error(503, '500'));
    expect((await post(`${fake.url}/chat/completions`, chatRequest)).status).toBe(503);
    fake.reset();
    expect((await post(`${fake.url}/chat/completions`, chatRequest)).status).toBe(200);
    expect(fake.requests).toHaveLength(1);
  });

  it('names the problem of a script', async () => {
    const fake = await start();
    expect(() => fake.answer('chat.crate' as never, { body: {} })).toThrow(/operation chat.crate is unknown; did you mean chat.create\?/);
    expect(() => fake.answer('models.list', { turn: { text: 'x' } })).toThrow(/a turn answers chat.create or anthropic.create/);
    fake.answer('models.list', () => {
      throw new Error('broken on purpose');
    });
    const response = await fetch(`${fake.url}/models`, { headers: json });
    expect([response.status, await response.text()]).toEqual([500, "the fake's script failed: broken on purpose"]);
    fake.answer('models.list', { example: 'nope' });
    expect(await (await fetch(`${fake.url}/models`, { headers: json })).text()).toMatch(/models.list has no example nope/);
  });
});

describe('background tasks', () => {
  it('go as scripted, each its own way', async () => {
    const fake = await start();
    const client = newClient(fake.configFor());
    fake.task({ kind: 'video', states: ['SUCCESS'], result: { video_result: [{ url: 'https://example.com/v.mp4' }] } });
    fake.task({ states: ['PROCESSING', 'FAIL'] });
    const chat = await client.chat().createAsync(undefined, { model: 'glm-4.6', messages: [{ role: 'user', content: 'Hi' }] });
    const { body: video } = await post(`${fake.url}/videos/generations`, { model: 'cogvideox-3', prompt: 'waves' });
    expect(await client.waitForResult(undefined, video.id)).toMatchObject({
      task_status: 'SUCCESS',
      video_result: [{ url: 'https://example.com/v.mp4' }],
    });
    await expect(client.waitForResult(undefined, chat.id ?? '', 100)).rejects.toMatchObject({ kind: 'task', status: 'FAIL' });
    // The last state repeats.
    for (let poll = 0; poll < 2; poll++) expect((await client.getAsyncResult(undefined, chat.id ?? '')).task_status).toBe('FAIL');
    expect((await client.getAsyncResult(undefined, video.id)).video_result).toEqual([{ url: 'https://example.com/v.mp4' }]);
  });

  it.each([
    ['agent', 'POST', '/v1/agents/async-result', 'status', ['pending', 'failed'], ['pending', 'success']],
    ['parser', 'GET', '/files/parser/result/mine/text', 'status', ['processing', 'failed'], ['processing', 'succeeded']],
    ['batch', 'GET', '/batches/mine', 'status', ['validating', 'failed'], ['validating', 'in_progress']],
    ['chat', 'GET', '/async-result/mine', 'task_status', ['PROCESSING', 'FAIL'], ['PROCESSING', 'SUCCESS']],
  ] as const)('without a kind are of the kind of their first poll: %s', async (_kind, method, path, field, states, usual) => {
    const fake = await start();
    const body = method === 'POST' ? JSON.stringify({ agent_id: 'a', async_id: 'mine' }) : null;
    const poll = async (): Promise<Wire> => (await fetch(fake.url + path, { method, headers: json, body })).json();
    for (const script of [{ states }, {}]) {
      fake.reset().task({ id: 'mine', ...script });
      const seen = [await poll(), await poll()];
      expect(seen.map((one) => one[field])).toEqual('states' in script ? states : usual);
    }
    const other = await fetch(`${fake.url}${path.startsWith('/async') ? '/batches/mine' : '/async-result/mine'}`, { headers: json });
    expect(await other.text()).toContain('1233');
  });
});

describe('the server', () => {
  it('refuses connections between refuse and accept, on the same port', async () => {
    const fake = await start();
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    const ask = (): Promise<unknown> => client.chat().createSimple(undefined, 'glm-5.2', 'Hi');
    await fake.refuse();
    await expect(ask()).rejects.toSatisfy((error) => isModelsvcError(error, 'connection', 'timeout') && error.code === 'ECONNREFUSED');
    await fake.accept();
    await expect(ask()).resolves.toMatchObject({ choices: expect.any(Array) });
  });

  it('has a URL without a listener', async () => {
    await expect(fetch(await refusedUrl())).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('counts open sockets, idle ones included', async () => {
    const fake = await start();
    const agent = new Agent({ keepAlive: true });
    const request = get(`${fake.url}/models`, { headers: json, agent });
    const [response] = await once(request, 'response');
    response.resume();
    await once(response, 'end');
    expect([fake.sockets, fake.exchanges]).toEqual([1, 0]);
    await expect(fake.idle({ sockets: true, timeoutMs: 30 })).rejects.toThrow(/1 sockets/);
    agent.destroy();
    await fake.idle({ sockets: true, timeoutMs: 5000 });
    expect(fake.sockets).toBe(0);
  });

  it('closes at once and for good, with silent answers under way', async () => {
    const fake = await startFakeService();
    fake.answer('chat.create', faults.silentBeforeHeaders(), faults.keepAliveOnly(1), faults.slowHeaders(3_600_000));
    const calls = [1, 2, 3].map(() => post(`${fake.url}/chat/completions`, { ...chatRequest, stream: true }).catch((error: unknown) => error));
    await until(() => fake.requests.length === 3);
    await fake.close();
    expect(await Promise.all(calls)).toEqual([expect.any(Error), expect.any(Error), expect.any(Error)]);
    expect([fake.sockets, fake.exchanges]).toEqual([0, 0]);
    await fake.close();
  });

  it('notices a client that leaves while its request waits for an answer that does not end', async () => {
    const fake = await start();
    fake.answer('models.list', faults.silentAfterHeaders(1));
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    const controller = new AbortController();
    // Whole for the client, whose socket is free for the next request after a rest.
    await client.models().list(undefined);
    await turns();
    const call = client.chat().createSimple(controller.signal, 'glm-5.2', 'Hi');
    call.catch(() => undefined);
    await until(() => fake.requests.length === 2);
    controller.abort();
    await expect(call).rejects.toMatchObject({ kind: 'abort' });
    await fake.idle();
    expect(fake.requests.map((request) => request.outcome)).toEqual(['left', 'left']);
  });

  it('is not idle while a request that was sent has not been read', async () => {
    const fake = await start();
    const body = JSON.stringify(chatRequest);
    const client = connect(Number(new URL(fake.url).port), '127.0.0.1');
    await once(client, 'connect');
    client.write(`POST /api/paas/v4/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${fakeKey}\r\n`);
    client.end(`content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await fake.idle();
    fake.reset();
    await once(client.resume(), 'close');
    expect(fake.requests).toEqual([]);
  });

  it('keeps no process alive once it is closed', async () => {
    const program = `
      import { faults, startFakeService } from '${new URL('../../src/testing/index.ts', import.meta.url)}';
      const fake = await startFakeService({ keys: 'any', validate: false });
      fake.fallback('*', faults.keepAliveOnly(1)).answer('models.list', faults.silentBeforeHeaders(), faults.slowDrip(1, 3_600_000));
      for (let i = 0; i < 3; i++) fetch(fake.url + '/models', { headers: { authorization: 'Bearer x' } }).catch(() => undefined);
      while (fake.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
      await fake.close();
      console.log('closed');
    `;
    const { stdout } = await childOutcome(program);
    expect(stdout).toBe('closed\n');
  });
});
