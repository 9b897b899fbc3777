import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { onTestFinished } from 'vitest';

/** A TCP or TLS server without HTTP: the test writes the bytes of its replies. */
export interface RawServer {
  readonly port: number;
  /** URL of a proxy at its port. */
  readonly url: string;
  /** All received bytes as text. */
  readonly heard: string;
  /** Connections open now. */
  readonly sockets: number;
}

export interface RawServerOptions {
  /** Call `answer` when the connection opens, not after the blank line of a header. Default: false. */
  readonly eager?: boolean;
  /** Speak TLS. Default: plain TCP. */
  readonly tls?: TlsOptions;
}

/** Starts one for the current test; `answer` is called once for each connection, when the blank line of its header has arrived. */
export async function startRawServer(answer: (socket: Socket) => void = () => {}, { eager = false, tls }: RawServerOptions = {}): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let heard = '';
  const serve = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let header = '';
    socket.on('data', (block) => {
      heard += block.toString('latin1');
      const wasWhole = header.includes('\r\n\r\n');
      header += block.toString('latin1');
      if (!eager && !wasWhole && header.includes('\r\n\r\n')) answer(socket);
    });
    if (eager) answer(socket);
  };
  const server = tls ? createTlsServer(tls, serve).on('tlsClientError', () => undefined) : createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get heard() {
      return heard;
    },
    get sockets() {
      return sockets.size;
    },
  };
}
