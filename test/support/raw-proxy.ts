import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A listener that answers as it likes: for proxies that break the rules. */
export interface RawProxy {
  readonly url: string;
  /** Every byte that came, as text. */
  readonly heard: string;
  /** Connections open now. */
  readonly sockets: number;
}

/** Starts one for the current test; `onConnect` is called when the blank line of a CONNECT has come, or at once with `eager`. */
export async function startRawProxy(onConnect: (socket: Socket) => void, { eager = false }: { readonly eager?: boolean } = {}): Promise<RawProxy> {
  const sockets = new Set<Socket>();
  let heard = '';
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    let header = '';
    socket.on('data', (block) => {
      heard += block.toString('latin1');
      const wasWhole = header.includes('\r\n\r\n');
      header += block.toString('latin1');
      if (!eager && !wasWhole && header.includes('\r\n\r\n')) onConnect(socket);
    });
    if (eager) onConnect(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get heard() {
      return heard;
    },
    get sockets() {
      return sockets.size;
    },
  };
}
