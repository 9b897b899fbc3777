import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { isAbortError, newClient } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { turns, until } from '../support/clock.ts';
import { routeBy } from '../support/dial.ts';
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
