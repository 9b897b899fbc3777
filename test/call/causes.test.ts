import { describe, expect, it } from 'vitest';
import { type Client, type Config, newClient } from '../../src/overlay/index.ts';
import { faults, refusedUrl } from '../../src/testing/index.ts';
import type { FetchLike } from '../../src/types/index.ts';
import { onBothWays, surfaces, taken } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const apiKey = 'KEY-ID-4711.KEY-SECRET-4711';

function clientOf(httpClient: FetchLike, config: Partial<Config> = {}): Client {
  return newClient({ apiKey, httpClient, maxRetries: 0, ...config });
}

const ways = surfaces.flatMap((driver) =>
  (['create', 'stream'] as const).map((way) => ({
    name: `${driver.surface}.${way}`,
    fail: async (client: Client): Promise<unknown> =>
      way === 'create' ? failure(driver.create(client)) : (await taken(driver.stream(client))).error,
  })),
);

describe.each(ways)('$name', ({ fail }) => {
  it.each([
    ['a TypeError', new TypeError("Cannot read properties of undefined (reading 'x')")],
    ['a ReferenceError', new ReferenceError('x is not defined')],
    ['an error with a code of Node', Object.assign(new Error('The stream was destroyed'), { code: 'ERR_STREAM_DESTROYED' })],
    ['a browser that refuses for CORS', new TypeError('Failed to fetch')],
    ['another browser', new TypeError('NetworkError when attempting to fetch resource.')],
    ['an AbortError of its own', new DOMException('The operation was aborted', 'AbortError')],
    ['an error with a mark of its library', Object.assign(new Error('other side closed'), { [Symbol.for('mark')]: true })],
  ])('%s thrown by httpClient is the cause, and not "no connection"', async (_what, bug) => {
    for (const httpClient of [
      () => {
        throw bug;
      },
      () => Promise.reject(bug),
    ] as FetchLike[]) {
      const error = await fail(clientOf(httpClient));
      expect(error).toSatisfy(ofKind('connection', 'timeout'));
      expect((error as Error).cause).toBe(bug);
      expect((error as Error).message).not.toContain('no connection');
      expect((error as Error).message).toContain('see cause');
    }
  });

  it("the platform's own chain of causes is kept", async () => {
    const inner = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { errno: -111, code: 'ECONNREFUSED', syscall: 'connect', port: 1 });
    const outer = new TypeError('fetch failed', { cause: inner });
    const error = await fail(clientOf(() => Promise.reject(outer)));
    expect(error).toMatchObject({
      code: 'ECONNREFUSED',
      phase: 'connect',
      message: expect.stringMatching(/no connection to (127\.0\.0\.1:\d+|api\.z\.ai)/),
    });
    expect((error as Error).cause).toBe(outer);
  });
});

describe.each(ways)('$name: the message names what to check', ({ fail }) => {
  const { url, host } = { url: 'https://gateway.example/v1', host: 'gateway.example' };
  const at = (reply: () => Response): Promise<unknown> => fail(clientOf(() => Promise.resolve(reply()), { endpoints: url }));
  const page = (status: number) => (): Response =>
    new Response('<html><title>Welcome</title></html>', { status, headers: { 'content-type': 'text/html' } });

  it('a 404 names the URL', async () => {
    for (const reply of [page(404), () => Response.json({ detail: 'Not Found' }, { status: 404 })]) {
      const { message, advice } = (await at(reply)) as { message: string; advice: string };
      expect(advice).toMatch(/^Check the base URL of https:\/\/gateway\.example\/v1\/[\w/]+: each surface has its own root\.$/);
      expect(message).toContain(advice);
    }
  });

  it('an HTML page names the host', async () => {
    for (const status of [200, 502])
      expect(await at(page(status))).toMatchObject({ status, message: expect.stringContaining(`any gateway before ${host}.`) });
  });

  it.each([
    ['ENOTFOUND', 'The host has no address'],
    ['EAI_AGAIN', 'The host has no address'],
    ['ECONNREFUSED', 'No program accepts connections there'],
  ])('%s names the host', async (code, advice) => {
    const cause = new TypeError('fetch failed', { cause: Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' }) });
    const error = await fail(clientOf(() => Promise.reject(cause), { endpoints: url }));
    expect((error as Error).message).toContain(`no connection to ${host} (${code}). ${advice}`);
  });
});

it.each(surfaces)("$surface: the caller's timeout differs from another abort", async (driver) => {
  const endings: [signal: AbortSignal, message: string][] = [
    [AbortSignal.timeout(0), "aborted by the caller's signal, which reached its timeout"],
    [AbortSignal.abort(), 'aborted by the caller'],
    [AbortSignal.abort('TimeoutError'), 'aborted by the caller'],
  ];
  for (const [signal, message] of endings) {
    fake.fallback(driver.operation, faults.silentBeforeHeaders());
    const error = await failure(driver.create(newClient(fake.configFor()), signal));
    expect(error).toMatchObject({ name: 'AbortError', message: `${driver.operation}: ${message}` });
  }
});

it.each(['Bearer abc.def', 'bearer  abc'])('a key %j is a ConfigError that does not quote it', async (apiKey) => {
  const error = await failure(Promise.resolve().then(() => newClient({ apiKey })));
  expect(error).toMatchObject({ kind: 'config', path: 'apiKey', message: 'apiKey begins with Bearer: leave that word out' });
});

it.each(['"abc.def"', "'abc.def'", '"abc.def', 'abc.def`'])(
  'a key %j with a quotation mark is a ConfigError that does not quote it',
  async (apiKey) => {
    for (const config of [{ apiKey }, { apiKey: 'abc', chinaAPIKey: apiKey }])
      expect(await failure(Promise.resolve().then(() => newClient(config)))).toMatchObject({
        kind: 'config',
        message: expect.stringMatching(/^\w+Key has a quotation mark at its begin or end: leave it out$/i),
      });
    const client = newClient({ apiKey: () => apiKey });
    expect(await failure(client.chat().createSimple(undefined, 'glm-5.3', 'hi'))).toMatchObject({
      kind: 'config',
      message: expect.not.stringContaining('abc'),
    });
  },
);

describe('a cause that can hold a secret is a copy without it', () => {
  const withBody = Object.assign(new Error('Request failed'), { config: { data: 'PROMPT-MARKER', headers: { authorization: `Bearer ${apiKey}` } } });
  const parser = Object.assign(new Error('Parse Error: PROMPT-MARKER'), {
    code: 'HPE_INVALID_HEADER_TOKEN',
    rawPacket: Buffer.from('PROMPT-MARKER'),
  });
  const getter = Object.defineProperty(new Error('odd'), 'code', {
    get: () => {
      throw new Error('getter');
    },
  });
  it.each([
    ['the key in its message', new Error(`bad key ${apiKey}`)],
    ['a part of the key in a cause below', new Error('failed', { cause: new Error('KEY-SECRET-4711') })],
    ['a bearer credential', new Error('sent Bearer PROMPT-MARKER')],
    ['the text of a header', new TypeError('Headers.append: "PROMPT-MARKER" is an invalid header value.')],
    ['the text of a parser', new SyntaxError('Unexpected token P, "PROMPT-MARKER" is not valid JSON')],
    ['the bytes of a parser', parser],
    ['the request of another library', withBody],
    ['an own property with the body', Object.assign(new Error('failed'), { body: 'PROMPT-MARKER' })],
    [
      'several errors, one with a body',
      new AggregateError([new Error('one'), Object.assign(new Error('two'), { body: 'PROMPT-MARKER' })], 'all failed'),
    ],
    ['an argument that Node quotes', Object.assign(new TypeError("Received type string ('PROMPT-MARKER')"), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['a header of the context', new Error('HEADER-MARKER')],
    ['a code that is a key', Object.assign(new Error('failed'), { code: 'KEYSECRET4711' })],
    ['a getter that throws', getter],
    // As in browsers, where a stack does not begin with the message.
    ['an inherited message', Object.defineProperty(new DOMException('bad key KEY-SECRET-4711'), 'stack', { value: 'at f' })],
    ['a getter of its own', Object.defineProperty(new Error('failed'), 'cause', { get: () => new Error(apiKey), enumerable: true })],
    ['a property without a name', Object.assign(new Error('failed'), { [Symbol('request')]: { authorization: `Bearer ${apiKey}` } })],
    ['text in a property without a name', Object.assign(new Error('failed'), { [Symbol('body')]: 'PROMPT-MARKER' })],
  ])('%s', async (_what, thrown) => {
    const { inspect } = await import('node:util');
    const client = clientOf(() => Promise.reject(thrown), { chinaAPIKey: 'KEYSECRET4711' });
    const ctx = { headers: { 'x-own': 'HEADER-MARKER' } };
    const error = await failure(client.chat().create(ctx, { model: 'm', messages: [{ role: 'user', content: 'PROMPT-MARKER' }] }));
    expect(error).toSatisfy(ofKind('connection', 'timeout'));
    expect((error as Error).cause).not.toBe(thrown);
    const shown = [inspect(error, { depth: 10, showHidden: true }), JSON.stringify(error), (error as Error).stack].join('\n');
    for (const secret of ['KEY-SECRET', 'KEYSECRET', 'PROMPT-MARKER', 'HEADER-MARKER']) expect(shown).not.toContain(secret);
  });
});

const fake = await sharedFake();

onBothWays((driver, clientFor) => {
  it('a reset after the request was delivered is not "no connection": on a fresh socket and on a warm one', async () => {
    const client = clientFor(fake, { maxRetries: 0 });
    for (const state of ['fresh', 'warm']) {
      fake.answer('*', faults.resetBeforeHeaders());
      const error = await failure(driver.create(client));
      expect([state, String(error)]).toEqual([state, expect.stringMatching(/the connection broke after the request was sent/)]);
      expect(error).toMatchObject({ kind: 'connection', phase: 'headers' });
      expect((error as Error).cause).toBeInstanceOf(Error);
      await driver.create(client);
    }
    expect(fake.requests).toHaveLength(4);
  });

  it('a refused connection has the cause of the platform', async () => {
    const { fake: other } = await openFake();
    const client = clientFor(other, { maxRetries: 0 });
    await other.refuse();
    const error = await failure(driver.create(client));
    expect(error).toMatchObject({
      phase: 'connect',
      code: 'ECONNREFUSED',
      message: expect.stringContaining(`no connection to ${new URL(other.url).host} (ECONNREFUSED). No program accepts connections there`),
    });
    const { cause } = error as Error;
    expect(String((cause as Error).cause ?? cause)).toContain('connect ECONNREFUSED 127.0.0.1');
  });
});

it('a host that refuses is named by no proxy', async () => {
  const error = await failure(surfaces[0]?.create(newClient({ apiKey, maxRetries: 0, endpoints: await refusedUrl() })) ?? Promise.resolve());
  expect(String(error)).not.toContain('proxy');
});
