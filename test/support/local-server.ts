import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined when there is none. */
  readonly body: unknown;
}

export interface CannedReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface LocalServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** TCP connections, requests or not. */
  readonly connections: number;
}

/** A real server that notes what it is sent and gives the replies in turn, the last one for ever. It closes with the test. */
export async function localServer(...replies: CannedReply[]): Promise<LocalServer> {
  const requests: SeenRequest[] = [];
  let connections = 0;
  const server = createServer(async (incoming, outgoing) => {
    let text = '';
    for await (const block of incoming) text += block;
    requests.push({
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      text,
      body: text === '' ? undefined : JSON.parse(text),
    });
    const reply = replies[Math.min(requests.length, replies.length) - 1] ?? { body: {} };
    const isText = typeof reply.body === 'string';
    outgoing.writeHead(reply.status ?? 200, { 'content-type': isText ? 'text/event-stream' : 'application/json', ...reply.headers });
    outgoing.end(isText ? reply.body : JSON.stringify(reply.body));
  });
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get connections() {
      return connections;
    },
  };
}
