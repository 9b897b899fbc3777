import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type BodySink, TransportFailure, type WireResponse } from '../overlay/transport/transport.ts';

/** Methods of a socket. A user's Agent may return another kind of stream, which lacks them. */
export type Refs = Partial<Pick<Socket, 'ref' | 'unref'>>;

/** A `node:http` response whose header has arrived. */
export class NodeBody implements WireResponse {
  readonly status: number;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ClientRequest;
  #flow: Readable;
  #sink: BodySink | undefined;
  #failure: unknown;
  #over = false;

  constructor(incoming: IncomingMessage, outgoing: ClientRequest) {
    this.status = incoming.statusCode ?? 0;
    this.#incoming = incoming;
    this.#flow = incoming;
    this.#outgoing = outgoing;
    // Without a listener an error between header and first read would end the process.
    incoming.on('error', (error: Error) => this.fail(new TransportFailure('body', error)));
  }

  /** True once the sink has received `end` or `fail`. */
  get over(): boolean {
    return this.#over;
  }

  /** True once all of its bytes have arrived, read or not. */
  get complete(): boolean {
    return this.#incoming.complete;
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return typeof value === 'object' ? value.join(', ') : value;
  }

  headers(): Headers {
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.#incoming.headers))
      for (const one of typeof value === 'string' ? [value] : (value ?? [])) headers.append(name, one);
    return headers;
  }

  read(sink: BodySink): void {
    this.#sink = sink;
    if (this.#failure !== undefined) {
      this.#over = true;
      return sink.fail(this.#failure);
    }
    let flow: Readable;
    try {
      flow = this.#decoded();
    } catch (error) {
      return this.fail(new TransportFailure('body', error));
    }
    this.#flow = flow;
    flow.on('data', (block: Uint8Array) => {
      if (!this.#over) sink.block(block);
    });
    flow.on('end', () => {
      if (this.#over) return;
      this.#over = true;
      sink.end();
    });
  }

  pause(): void {
    this.#flow.pause();
  }

  resume(): void {
    this.#flow.resume();
  }

  keepAlive(isPending: boolean): void {
    const { complete } = this.#incoming;
    // After a complete response the socket belongs to the pool or to another request.
    if (this.#over || complete) return;
    const socket: Refs = this.#incoming.socket;
    if (isPending) socket.ref?.();
    else socket.unref?.();
  }

  fail(reason: unknown): void {
    if (this.#over) return;
    if (!this.#sink) {
      this.#failure ??= reason;
      return;
    }
    this.#over = true;
    this.#outgoing.destroy();
    this.#sink.fail(reason);
  }

  /** The client never requests compression, but a gateway may compress anyway. */
  #decoded(): Readable {
    const encoding = this.header('content-encoding')?.toLowerCase();
    if (encoding === undefined || encoding === 'identity') return this.#incoming;
    const zlib = process.getBuiltinModule('node:zlib');
    const inflate =
      encoding === 'gzip' || encoding === 'x-gzip'
        ? zlib.createGunzip()
        : encoding === 'br'
          ? zlib.createBrotliDecompress()
          : encoding === 'deflate'
            ? zlib.createInflate()
            : undefined;
    if (!inflate) return this.#incoming;
    inflate.on('error', (error: Error) => this.fail(new TransportFailure('body', error)));
    return this.#incoming.pipe(inflate);
  }
}
