// The vendor's own hosts, played by a fake. Only there does the client translate `effort`.
import { Agent } from 'node:https';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Client, type Config, newClient } from '../../src/overlay/index.ts';
import { type FakeService, fakeKey, startFakeService } from '../../src/testing/index.ts';

/** Root of the chat surface on each host of the vendor. */
export const vendorRoots = {
  platform: ['https://api.z.ai/api/paas/v4', 'https://open.bigmodel.cn/api/paas/v4'],
  coding: ['https://api.z.ai/api/coding/paas/v4', 'https://open.bigmodel.cn/api/coding/paas/v4'],
} as const;

/** Connects every host to the fake, without TLS. */
class FakeAgent extends Agent {
  readonly #port: number;

  constructor(port: number) {
    super({ keepAlive: true });
    this.#port = port;
  }

  override createConnection(): Socket {
    const socket = connect(this.#port, '127.0.0.1', () => socket.emit('secureConnect'));
    return socket;
  }
}

/** The two transports, each with the fake instead of every host. */
export const vendorTransports: readonly { readonly transport: string; to(fake: FakeService): Partial<Config> }[] = [
  { transport: 'node:http', to: (fake) => ({ agent: new FakeAgent(Number(new URL(fake.url).port)) }) },
  {
    transport: 'fetch',
    to: (fake) => ({
      httpClient: (url, init) => {
        const { pathname, search } = new URL(url);
        return fetch(fake.url + pathname + search, init);
      },
    }),
  },
];

/** A fake for one test, and clients that reach it under the names of the vendor's hosts. */
export async function openVendor(to = vendorTransports[1]?.to): Promise<{ readonly fake: FakeService; clientOf(config?: Partial<Config>): Client }> {
  const fake = await startFakeService({ models: 'any' });
  const clients: Client[] = [];
  onTestFinished(async () => {
    for (const client of clients) client.close();
    await fake.close();
  });
  return {
    fake,
    clientOf: (config) => {
      const client = newClient({ apiKey: fakeKey, retryDelay: 1, ...to?.(fake), ...config });
      clients.push(client);
      return client;
    },
  };
}
