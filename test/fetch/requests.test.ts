import { afterEach, describe, expect, test, vi } from 'vitest';
import { type FetchOptions, serviceFetch } from '../../src/fetch/index.ts';
import { isModelsvcError } from '../../src/overlay/index.ts';
import { type FakeFile, fakeKey, faults } from '../../src/testing/index.ts';
import { answeringServer } from '../support/answering-server.ts';
import { sharedFake } from '../support/fake.ts';
import { ask, askings, failureOf, transports } from './support.ts';

const fake = await sharedFake();
const [chat, anthropic] = askings as [(typeof askings)[0], (typeof askings)[0]];
afterEach(() => void vi.restoreAllMocks());
const nullable = { type: 'object', properties: { city: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };

describe.each(transports)('$transport', ({ options }) => {
  const adapted = (more: FetchOptions = {}): typeof fetch => serviceFetch({ baseURL: fake.url, ...options, ...more });

  describe.each(askings)('$surface', (asking) => {
    test('one credential reaches the service, without the telemetry of the client', async () => {
      await ask(fake, asking, options, { headers: { 'x-stainless-lang': 'js', 'x-own': 'mine' } });
      const { headers = {} } = fake.requests[0] ?? {};
      expect(headers['authorization']).toBe(`Bearer ${fakeKey}`);
      expect(Object.keys(headers)).not.toContain('x-api-key');
      expect(Object.keys(headers).filter((name) => name.startsWith('x-stainless'))).toEqual([]);
      expect([headers['x-own'], headers['user-agent']]).toEqual(['mine', asking.headers['user-agent']]);
      expect(headers['anthropic-version']).toBe(asking.surface === 'messages' ? '2023-06-01' : undefined);
    });

    test('tool schemas are rewritten, unless told otherwise', async () => {
      const tools = [asking.tool(nullable)];
      await ask(fake, asking, options, { body: { tools } });
      await ask(fake, asking, { ...options, disableToolSchemaCompat: true }, { body: { tools } });
      const sent = fake.requests.map((one) => JSON.stringify((one.body as { tools: unknown }).tools));
      expect(sent[0]).not.toContain('anyOf');
      expect(sent[1]).toBe(JSON.stringify(tools));
    });

    test('a body without tools is sent byte for byte', async () => {
      const body = ` {"model":"glm-5.2", "max_tokens": 64, "messages": [{"role":"user","content":"hi \\u00e9"}], "input": "hi", "seed": 12345678901234567890 }`;
      await adapted()(fake.roots[asking.root] + asking.path, { method: 'POST', headers: asking.headers, body });
      expect(new TextDecoder().decode(fake.requests[0]?.bytes)).toBe(body);
    });

    test('a Request object is sent like its parts', async () => {
      const request = new Request(fake.roots[asking.root] + asking.path, {
        method: 'POST',
        headers: asking.headers,
        body: JSON.stringify(asking.body),
      });
      const response = await adapted()(request);
      expect(response.status).toBe(200);
      expect(fake.requests[0]?.body).toEqual(asking.body);
      expect(fake.requests[0]?.headers['content-type']).toBe('application/json');
    });

    const refusal = 'the request body is a stream that was already read or sent, or is being read: pass a new one';
    const usages: Readonly<Record<string, (request: Request) => unknown>> = {
      'has been read': (request) => request.text(),
      'has been sent': (request) => adapted()(request).then((response) => response.text()),
      'is being read': (request) => request.body?.getReader(),
    };

    test.each(Object.entries(usages))('a Request whose body %s is refused with a TypeError, as by the platform', async (_what, use) => {
      const url = fake.roots[asking.root] + asking.path;
      const init = { method: 'POST', headers: asking.headers, body: JSON.stringify(asking.body) };
      const request = new Request(url, init);
      await use(request);
      const sent = fake.requests.length;
      await expect(fetch(request)).rejects.toThrow(TypeError);
      for (const given of [undefined, null, {}, { body: null }, { method: 'PUT' }])
        await expect(adapted()(request, given as RequestInit)).rejects.toThrow(new TypeError(refusal));
      expect(fake.requests).toHaveLength(sent);
      // A body of its own replaces the one of the Request.
      const response = await adapted()(request, { body: init.body });
      expect([response.status, fake.requests.at(-1)?.body]).toEqual([200, asking.body]);
    });

    test.each(['used', 'locked'])('a %s stream as the body is refused with a TypeError, as by the platform', async (state) => {
      const body = new Response(JSON.stringify(asking.body)).body as ReadableStream;
      const reader = body.getReader();
      if (state === 'used') {
        await reader.read();
        reader.releaseLock();
      }
      const init = { method: 'POST', headers: asking.headers, body, duplex: 'half' } as RequestInit;
      const url = fake.roots[asking.root] + asking.path;
      await expect(fetch(url, init)).rejects.toThrow(TypeError);
      for (const signal of [undefined, new AbortController().signal])
        await expect(adapted()(url, signal ? { ...init, signal } : init)).rejects.toThrow(new TypeError(refusal));
      expect(fake.requests).toHaveLength(0);
    });

    test('a body that is not JSON is passed on; the service refuses it', async () => {
      const response = await adapted()(fake.roots[asking.root] + asking.path, { method: 'POST', headers: asking.headers, body: 'model=glm' });
      expect(response.status).toBe(400);
      expect(new TextDecoder().decode(fake.requests[0]?.bytes)).toBe('model=glm');
    });
  });

  test.each([
    ['/api/anthropic/messages', '/api/anthropic/v1/messages'],
    ['/api/anthropic/v1/v1/messages?beta=true', '/api/anthropic/v1/messages?beta=true'],
  ])('%s reaches the message surface', async (path, target) => {
    await adapted()(fake.url + path, { method: 'POST', headers: anthropic.headers, body: JSON.stringify(anthropic.body) });
    expect([fake.requests[0]?.target, fake.requests[0]?.operation]).toEqual([target, 'anthropic.create']);
  });

  test('a foreign host is refused by name, and gets no request', async () => {
    const foreign = await answeringServer(() => ({ body: {} }));
    const other = serviceFetch(options);
    const response = await other(`${foreign.url}/v1/chat/completions`, { method: 'POST', headers: chat.headers, body: JSON.stringify(chat.body) });
    const { status, retry, body } = await failureOf(response);
    expect([status, retry]).toEqual([400, 'false']);
    expect(body).toMatchObject({
      error: { message: expect.stringContaining(`is on ${foreign.url}, which is not a host of the service: set baseURL`) },
    });
    expect(foreign.asked).toHaveLength(0);
  });

  test.each([307, 308])('neither key nor body follows a %i to another origin', async (status) => {
    const foreign = await answeringServer(() => ({ body: {} }));
    fake.answer('anthropic.create', faults.redirect(`${foreign.url}/v1/messages`, status));
    const response = await ask(fake, anthropic, options);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('another origin');
    expect(foreign.asked).toHaveLength(0);
  });

  test.each<[string, Record<string, string>, string]>([
    ['no key', {}, 'contain no API key'],
    ['two different keys', { authorization: 'Bearer one-key', 'x-api-key': 'another-key' }, 'two different keys'],
    ['a header that is not ASCII', { authorization: 'Bearer some-key', 'x-own': 'caf\u00e9' }, 'not valid in an HTTP header'],
    ['a key with white space inside', { authorization: 'Bearer a b' }, 'contains white space'],
    ['a cookie', { authorization: 'Bearer some-key', cookie: 'session=another-key' }, 'headers.cookie is a credential'],
    ['the key of a third vendor', { authorization: 'Bearer some-key', 'api-key': 'another-key' }, 'headers.api-key is a credential'],
  ])('%s is refused by name', async (_title, headers, text) => {
    const response = await adapted()(`${fake.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: '{}',
    });
    expect(response.status).toBe(400);
    const message = await response.text();
    expect(message).toContain(text);
    expect(message).not.toContain('another-key');
    expect(fake.requests).toHaveLength(0);
  });

  test('a key that no header can have is refused without a quote of it', async () => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret-\nkey-1234' };
    const response = await adapted()(`${fake.url}/chat/completions`, { method: 'POST', headers, body: '{}' });
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('secret');
  });

  test('a relative address is refused by name', async () => {
    const response = await adapted()('/chat/completions', { method: 'POST', headers: chat.headers, body: '{}' });
    expect(await response.text()).toContain('is not absolute');
  });

  test('null instead of an address or of options', async () => {
    expect(await (await adapted()(null as never, null as never)).text()).toContain('is not absolute');
    const request = new Request(`${fake.roots.platform}/models`, { headers: chat.headers });
    expect((await adapted()(request, null as never)).status).toBe(200);
  });

  test.each(['application/json', 'text/plain'])('a body of type %s that is still being read is left on an abort', async (type) => {
    const canceled: unknown[] = [];
    const body = new ReadableStream({ pull: () => new Promise(() => {}), cancel: (reason) => void canceled.push(reason) });
    const controller = new AbortController();
    const init = { method: 'POST', headers: { ...chat.headers, 'content-type': type }, body, duplex: 'half', signal: controller.signal };
    const url = `${fake.roots.platform}/chat/completions`;
    const reading = adapted()(url, init as RequestInit);
    setImmediate(() => controller.abort());
    await expect(reading).rejects.toSatisfy((error) => error === controller.signal.reason);
    expect(canceled).toEqual([controller.signal.reason]);
    expect(fake.requests).toHaveLength(0);
  });

  test("an abort of a body outside the spec errors it with the caller's reason", async () => {
    fake.answer('files.content', faults.silentAfterHeaders(1));
    const controller = new AbortController();
    const response = await adapted()(`${fake.roots.platform}/files/20260711_5b8c1f0e-92d4-4a37-8e6b-1c0d7f3a2b94/content`, {
      headers: chat.headers,
      signal: controller.signal,
    });
    controller.abort(new Error('enough'));
    await expect(response.arrayBuffer()).rejects.toThrow('enough');
  });

  test('an address of the platform itself is read without the headers of the client', async () => {
    const reads = vi.spyOn(globalThis, 'fetch');
    const init = { headers: { ...chat.headers, 'x-api-key': fakeKey, cookie: 'a=b' } };
    for (const url of ['data:,hello', URL.createObjectURL(new Blob(['hello']))]) {
      expect(await (await adapted()(url, init)).text()).toBe('hello');
      expect(await (await adapted()(new Request(url, { headers: init.headers }))).text()).toBe('hello');
    }
    expect(reads).toHaveBeenCalledTimes(4);
    for (const [, given] of reads.mock.calls) expect(Object.keys(given ?? {})).toEqual(['signal']);
    expect(fake.requests).toHaveLength(0);
  });

  test.each(['ftp://api.z.ai/api/paas/v4/models', 'file:///api/paas/v4/models', 'ws://api.z.ai/models', 'service://api.z.ai/models', 'about:blank'])(
    'a key goes to no other scheme: %s',
    async (url) => {
      const global = vi.spyOn(globalThis, 'fetch');
      const response = await adapted()(url, { headers: chat.headers });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('is neither http nor https: set baseURL')]);
      expect(global).not.toHaveBeenCalled();
    },
  );

  test('a form is sent whole, with its boundary', async () => {
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append('file', new Blob(['{"a":1}'], { type: 'application/jsonl' }), 'requests.jsonl');
    const { 'content-type': _json, ...headers } = chat.headers;
    const response = await adapted()(`${fake.roots.platform}/files`, { method: 'POST', headers, body: form });
    expect(response.status).toBe(200);
    const [request] = fake.requests;
    const { purpose, file } = (request?.body ?? {}) as { purpose: string; file: FakeFile };
    expect([purpose, file.name, new TextDecoder().decode(file.bytes)]).toEqual(['batch', 'requests.jsonl', '{"a":1}']);
  });

  test('bytes are passed on as they come', async () => {
    const response = await adapted()(`${fake.roots.platform}/files/20260711_5b8c1f0e-92d4-4a37-8e6b-1c0d7f3a2b94/content`, { headers: chat.headers });
    expect([response.status, (await response.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
    expect(fake.requests[0]?.operation).toBe('files.content');
  });

  test('a path outside the spec is sent, and its failure has a status', async () => {
    const response = await adapted()(`${fake.roots.platform}/responses`, { method: 'POST', headers: chat.headers, body: '{}' });
    expect(response.status).toBe(404);
    expect(fake.requests).toHaveLength(1);
  });

  test('vectors come as base64 if the client asked for it, and as numbers if not', async () => {
    const reply = {
      body: { object: 'list', model: 'embedding-3', data: [{ object: 'embedding', index: 0, embedding: [0.5, -2, 0.25] }], usage: {} },
    };
    const vectors = [];
    for (const encoding_format of ['base64', 'float']) {
      fake.answer('embeddings.create', reply);
      const body = JSON.stringify({ model: 'embedding-3', input: 'hi', encoding_format });
      const response = await adapted()(`${fake.roots.china}/embeddings`, { method: 'POST', headers: chat.headers, body });
      vectors.push(((await response.json()) as { data: { embedding: unknown }[] }).data[0]?.embedding);
    }
    const [first, second] = vectors;
    expect([...new Float32Array(new Uint8Array(Buffer.from(String(first), 'base64')).buffer)]).toEqual([0.5, -2, 0.25]);
    expect(second).toEqual([0.5, -2, 0.25]);
  });
});

test.each<[object, string]>([
  [{ retries: 'both' }, 'retries'],
  [{ streamIdleTimout: 5 }, 'did you mean streamIdleTimeout?'],
  [{ apiKey: 'k' }, 'apiKey is unknown'],
  [{ disableToolSchemaCompat: 'no' }, 'disableToolSchemaCompat'],
  [{ streamIdleTimeout: -1 }, 'streamIdleTimeout'],
  [{ baseURL: 'nowhere' }, 'baseURL'],
  [{ httpClient: 5 }, 'httpClient'],
  [{ hooks: {} }, 'hooks'],
])('the option %j is refused by name', (options, name) => {
  const problem = (() => {
    try {
      return serviceFetch(options as FetchOptions);
    } catch (error) {
      return error;
    }
  })();
  expect(isModelsvcError(problem, 'config') && problem.message).toContain(name);
});
