import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Asked {
  readonly method: string;
  /** Path and query as they came. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects go out as JSON, text and bytes as they are. */
  readonly body: unknown;
}

export interface AnsweringServer {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Requests whose client went away before its answer. */
  readonly abandoned: number;
}

/** A real server whose answers follow from what it is asked, now or later. It closes with the test. */
export async function answeringServer(answer: (asked: Asked, index: number) => Answer | Promise<Answer>): Promise<AnsweringServer> {
  const asked: Asked[] = [];
  let abandoned = 0;
  const server = createServer(async (incoming, outgoing) => {
    const blocks: Buffer[] = [];
    for await (const block of incoming) blocks.push(block as Buffer);
    const one: Asked = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      text: Buffer.concat(blocks).toString('utf8'),
    };
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) abandoned++;
    });
    const { status = 200, headers = {}, body } = await answer(one, asked.push(one) - 1);
    const plain = typeof body === 'string' || body instanceof Uint8Array;
    outgoing.writeHead(status, { ...(!plain && { 'content-type': 'application/json' }), ...headers });
    outgoing.end(plain ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    get abandoned() {
      return abandoned;
    },
  };
}
