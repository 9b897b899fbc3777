import { onTestFinished } from 'vitest';
import { type Client, type Config, newClient } from '../../src/overlay/index.ts';
import { faults, startFakeService } from '../../src/testing/index.ts';

export interface RootReply {
  readonly status?: number;
  readonly body: unknown;
}

export interface RootServer {
  readonly client: Client;
  /** `GET /monitor/usage/quota/limit`, as they came: method, root, path below it. */
  readonly requests: readonly string[];
}

/** A fake service with a reply for each root of the client. A root without a reply resets the connection. It closes with the test. */
export async function rootServer(replies: Readonly<Record<string, RootReply>>, config: Partial<Config> = {}): Promise<RootServer> {
  const fake = await startFakeService({ keys: 'any', validate: false });
  onTestFinished(() => fake.close());
  const { monitor, biz, coding, platform } = fake.roots;
  const requests: string[] = [];
  fake.fallback('*', ({ root = 'platform', method, path }) => {
    requests.push(`${method} /${root}${path.slice(new URL(fake.roots[root]).pathname.length)}`);
    const reply = replies[root];
    if (!reply) return faults.resetBeforeHeaders();
    return { ...reply, headers: { 'content-type': 'application/json' } };
  });
  const endpoints = { monitor, biz, coding, platform };
  const client = newClient({ apiKey: 'test-key.0123456789', baseURL: platform, endpoints, retryDelay: 1, ...config });
  return { client, requests };
}
