import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

/** The port of a fake and its connections. */
export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  /** `onClose` is called when a connection has closed. */
  constructor(
    tls: { readonly cert: string; readonly key: string } | undefined,
    onRequest: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
    onClose: () => void,
  ) {
    this.#server = tls ? createTlsServer({ cert: tls.cert, key: tls.key }, onRequest) : createServer(onRequest);
    // The client decides when a kept connection ends. A fake that closes first would add an unscripted fault.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        onClose();
      });
    });
    this.#server.on('tlsClientError', () => undefined);
  }

  get port(): number {
    return this.#port;
  }

  /** Open connections. */
  get sockets(): number {
    return this.#sockets.size;
  }

  refuse(): Promise<void> {
    if (!this.#server.listening) return Promise.resolve();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    return closed;
  }

  async accept(port: number, host: string): Promise<void> {
    if (this.#server.listening) return;
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }
}
