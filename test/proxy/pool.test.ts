import type { Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { type Client, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { startChild } from '../support/child.ts';
import { turns, until } from '../support/clock.ts';
import { password, proxied, routeBy, shown } from '../support/dial.ts';
import { openFake } from '../support/fake.ts';
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
  expect(isModelsvcError(await call, 'abort')).toBe(true);
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

  /** A service, two proxies, and the way that a call takes. */
  async function world() {
    const { fake } = await openFake();
    const [one, other] = [await proxied(), await proxied()];
    const wayOf = async (client: Client): Promise<string> => {
      const before = [one.requests.length, other.requests.length];
      await client.chat().create(undefined, request);
      if (one.requests.length > (before[0] ?? 0)) return 'one';
      return other.requests.length > (before[1] ?? 0) ? 'other' : 'direct';
    };
    return { config: fake.configFor({ maxRetries: 0 }), one: one.url, other: other.url, wayOf };
  }

  test.each([
    ['another value', (other: string) => ({ HTTP_PROXY: other }), 'other'],
    ['another variable', (other: string, one: string) => ({ HTTP_PROXY: one, http_proxy: other }), 'other'],
    ['no proxy', () => ({}), 'direct'],
    ['an exception', (_other: string, one: string) => ({ HTTP_PROXY: one, NO_PROXY: '127.0.0.1' }), 'direct'],
    ['an exception in lower case', (_other: string, one: string) => ({ HTTP_PROXY: one, no_proxy: '127.0.0.1' }), 'direct'],
    ['the same', (_other: string, one: string) => ({ HTTP_PROXY: one }), 'one'],
  ])('%s counts for a client that is made later, and not for one before', async (_name, later, expected) => {
    const { config, one, other, wayOf } = await world();
    set({ HTTP_PROXY: one });
    const [used, unused] = [newClient(config), newClient(config)];
    expect(await wayOf(used)).toBe('one');
    set(later(other, one));
    expect(await wayOf(newClient(config))).toBe(expected);
    for (const client of [used, unused, used.with({ timeout: 9000 }), used.with({ maxSockets: 3 })]) expect(await wayOf(client)).toBe('one');
  });

  test('no client shows a password of a proxy', () => {
    set({ HTTP_PROXY: `http://user:${password}@127.0.0.1:1` });
    expect(shown(newClient(configFor('http://127.0.0.1:2/v4')))).not.toContain(password);
  });

  test('the idle sockets of a pool are closed when its last client is collected', async () => {
    const { fake } = await openFake();
    const proxy = await proxied();
    const child = startChild(
      `
      import { createInterface } from 'node:readline';
      process.env.http_proxy = '${proxy.url}';
      const made = () => newClient(${JSON.stringify(fake.configFor({ maxSockets: 7 }))});
      const call = (client) => client.chat().createSimple(undefined, 'glm-5.2', 'hi');
      let [kept, other] = [made(), made()];
      await Promise.all([call(kept), call(other)]);
      other = undefined;
      setInterval(gc, 10);
      console.log('called');
      for await (const _ of createInterface(process.stdin)) {
        await call(kept);
        kept = undefined;
        console.log('again');
      }
    `,
      ['--expose-gc'],
    );
    expect(await child.line()).toBe('called');
    await turns(500);
    expect(proxy.sockets).toBeGreaterThan(0);
    child.write('on\n');
    expect(await child.line()).toBe('again');
    await until(() => proxy.sockets === 0);
  });
});
