import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Client, type Config, newClient } from '../../src/overlay/index.ts';

export interface RootReply {
  readonly status?: number;
  readonly body: unknown;
}

export interface RootServer {
  readonly client: Client;
  /** `GET /monitor/usage/quota/limit`, as they came. */
  readonly requests: readonly string[];
}

/** A real server that answers each root of the client in its own way. It closes with the test. */
export async function rootServer(replies: Readonly<Record<string, RootReply>>, config: Partial<Config> = {}): Promise<RootServer> {
  const requests: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    requests.push(`${incoming.method} ${path}`);
    incoming.resume();
    const reply = replies[path.split('/')[1] ?? ''];
    // No reply for a root is a connection that breaks.
    if (!reply) return void incoming.socket.destroy();
    outgoing.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
    outgoing.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const roots = { monitor: `${url}/monitor`, biz: `${url}/biz`, coding: `${url}/coding`, platform: `${url}/platform` };
  const client = newClient({ apiKey: 'test-key.0123456789', baseURL: `${url}/chat`, endpoints: roots, retryDelay: 1, ...config });
  return { client, requests };
}
