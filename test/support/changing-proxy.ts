import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A reply on its way to the client. */
export interface PassingReply {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Body of the request. */
  readonly sent: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type Change = (reply: PassingReply) => Partial<Pick<PassingReply, 'status' | 'headers' | 'text'>> | undefined;

export interface ChangingProxy {
  readonly url: string;
  /** Requests that arrived, as method and path. */
  readonly asked: readonly string[];
  /** Takes the place of the change before. */
  use(change: Change | undefined): void;
}

/** A real server that passes requests to another one, and changes whole replies. It closes with the test. */
export async function changingProxy(upstream: string): Promise<ChangingProxy> {
  let change: Change | undefined;
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { host: _host, connection: _connection, 'content-length': _length, 'transfer-encoding': _encoding, ...headers } = request.headers;
    const { method = 'GET', url: path = '/' } = request;
    asked.push(`${method} ${path}`);
    const body = Buffer.concat(chunks);
    const reply = await fetch(upstream + path, { method, headers: headers as Record<string, string>, ...(body.length > 0 && { body }) });
    const { 'content-encoding': _coded, 'content-length': _size, 'transfer-encoding': _chunked, ...kept } = Object.fromEntries(reply.headers);
    const passing = { method, path, sent: body.toString(), status: reply.status, headers: kept, text: await reply.text() };
    const final = { ...passing, ...change?.(passing) };
    response.writeHead(final.status, final.headers).end(final.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, use: (one) => void (change = one) };
}
