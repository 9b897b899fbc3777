import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Client, isAbortError, newClient } from '../../src/overlay/index.ts';
import { configFor, fakeKey } from '../../src/testing/index.ts';
import { childOutcome } from '../support/child.ts';
import { turns, until } from '../support/clock.ts';
import { password, routeBy, shown } from '../support/dial.ts';
import { startRawServer } from '../support/raw-server.ts';

const request = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

/** A client whose calls go by a proxy that holds every CONNECT back; each test has a service of its own, since pools are shared. */
async function held(
  host: string,
): Promise<{ create: (signal?: AbortSignal) => Promise<unknown>; tunnels: Socket[]; proxy: { readonly sockets: number } }> {
  const tunnels: Socket[] = [];
  const proxy = await startRawServer((socket) => tunnels.push(socket));
  routeBy(proxy.url);
  const client = newClient(configFor(`https://${host}/v4`, { maxRetries: 0, maxSockets: 3 }));
  const create = (signal?: AbortSignal): Promise<unknown> =>
    client
      .chat()
      .create(signal, request)
      .catch((error: unknown) => error);
  return { create, tunnels, proxy };
}

test('an abort while the proxy is silent frees its socket at once', async () => {
  const { create, tunnels, proxy } = await held('abort.example.test');
  const controller = new AbortController();
  const call = create(controller.signal);
  await until(() => tunnels.length === 1);
  controller.abort();
  expect(isAbortError(await call)).toBe(true);
  await until(() => proxy.sockets === 0);
});

test('dials count for the cap on sockets, and each that fails lets the next call go', async () => {
  const { create, tunnels } = await held('cap.example.test');
  const calls = Array.from({ length: 10 }, () => create());
  await until(() => tunnels.length >= 3);
  await turns();
  expect(tunnels).toHaveLength(3);
  for (let refused = 0; refused < calls.length; refused++) {
    await until(() => tunnels.length > refused);
    tunnels[refused]?.end('HTTP/1.1 503 Busy\r\n\r\n');
  }
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ kind: 'connection', message: expect.stringContaining('503') });
  expect(tunnels).toHaveLength(10);
});

describe('the variables when a client is made', () => {
  const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'];

  /** Sets the variables about proxies, and no other of them. */
  function set(env: Readonly<Record<string, string>>): void {
    for (const name of variables) vi.stubEnv(name, env[name]);
  }

  /** A plain proxy that answers each request with its name. */
  async function answering(name: string): Promise<string> {
    const body = JSON.stringify({
      id: '1',
      model: name,
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
    });
    const server = createServer((_request, reply) => reply.setHeader('content-type', 'application/json').end(body));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const answeredBy = async (client: Client): Promise<string | undefined> => (await client.chat().create(undefined, request)).model;

  test.each([
    ['another value', (other: string) => ({ HTTP_PROXY: other }), 'other'],
    ['another variable', (other: string, one: string) => ({ HTTP_PROXY: one, http_proxy: other }), 'other'],
    ['no proxy', () => ({}), 'direct'],
    ['an exception', (_other: string, one: string) => ({ HTTP_PROXY: one, NO_PROXY: '127.0.0.1' }), 'direct'],
    ['an exception in lower case', (_other: string, one: string) => ({ HTTP_PROXY: one, no_proxy: '127.0.0.1' }), 'direct'],
    ['the same', (_other: string, one: string) => ({ HTTP_PROXY: one }), 'one'],
  ])('%s counts for a client that is made later, and for none before', async (_name, later, expected) => {
    const [one, other, direct] = [await answering('one'), await answering('other'), await answering('direct')];
    const config = configFor(`${direct}/v4`, { maxRetries: 0 });
    set({ HTTP_PROXY: one });
    const first = newClient(config);
    expect(await answeredBy(first)).toBe('one');
    set(later(other, one));
    expect(await answeredBy(newClient(config))).toBe(expected);
    expect([await answeredBy(first), await answeredBy(first.with({ timeout: 9000 })), await answeredBy(first.with({ maxSockets: 3 }))]).toEqual([
      'one',
      'one',
      'one',
    ]);
  });

  test('a client that is not used yet has them too', async () => {
    const [one, direct] = [await answering('one'), await answering('direct')];
    set({ HTTP_PROXY: one });
    const first = newClient(configFor(`${direct}/v4`));
    set({});
    expect(await answeredBy(first)).toBe('one');
  });

  test('no client shows a password of a proxy', () => {
    set({ HTTP_PROXY: `http://user:${password}@127.0.0.1:1` });
    expect(shown(newClient(configFor('http://127.0.0.1:2/v4')))).not.toContain(password);
  });
});

test('the idle sockets of a pool are closed when its last client is collected', async () => {
  const { stdout } = await childOutcome(
    `
    import { createServer } from 'node:http';
    import { setImmediate as turn } from 'node:timers/promises';
    const answer = JSON.stringify({ id: '1', model: 'm', choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }] });
    const server = createServer((_request, reply) => reply.setHeader('content-type', 'application/json').end(answer));
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    let open = 0;
    server.on('connection', (socket) => { open++; socket.on('close', () => open--); });
    server.keepAliveTimeout = 0;
    const made = () => newClient({ apiKey: '${fakeKey}', baseURL: 'http://127.0.0.1:' + server.address().port, maxSockets: 7 });
    const call = (client) => client.chat().create(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    let [kept, ...others] = [made(), made(), made()];
    for (const client of [kept, ...others]) await call(client);
    others.length = 0;
    const collected = async () => { for (let times = 0; times < 10; times++) { gc(); for (let turns = 0; turns < 10; turns++) await turn(); } };
    await collected();
    const whileKept = open;
    await call(kept);
    kept = undefined;
    while (open > 0) await collected();
    console.log(JSON.stringify({ whileKept: whileKept > 0 }));
    process.exit();
  `,
    ['--expose-gc'],
  );
  expect(JSON.parse(stdout)).toEqual({ whileKept: true });
});
