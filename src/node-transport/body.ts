import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import type * as Zlib from 'node:zlib';
import { type BodySink, encodingsOf, TransportFailure, UnreadEncoding, type WireResponse } from '../overlay/transport/transport.ts';

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

  /** The client asks for no compression, but a gateway may compress anyway. */
  #decoded(): Readable {
    let flow: Readable = this.#incoming;
    for (const encoding of encodingsOf(this.header('content-encoding'))) {
      const failed = (error: Error): void => this.fail(new TransportFailure('body', new UnreadEncoding(encoding, error)));
      flow = undone(flow, encoding, failed);
    }
    return flow;
  }
}

/** The bytes of a flow without its encoding. */
function undone(flow: Readable, encoding: string, failed: (error: Error) => void): Readable {
  // Not on every supported Node.
  const zlib: typeof Zlib & { createZstdDecompress?(): Transform } = process.getBuiltinModule('node:zlib');
  const through = (inflate: Transform): Transform => flow.pipe(inflate.on('error', failed));
  if (encoding === 'gzip' || encoding === 'x-gzip') return through(zlib.createGunzip());
  if (encoding === 'br') return through(zlib.createBrotliDecompress());
  if (encoding === 'zstd' && zlib.createZstdDecompress) return through(zlib.createZstdDecompress());
  if (encoding !== 'deflate') throw new UnreadEncoding(encoding);
  const { PassThrough } = process.getBuiltinModule('node:stream');
  const inflated = new PassThrough();
  // Some senders of `deflate` leave out the header of zlib, whose first byte ends in 8.
  flow.once('readable', () => {
    const first = flow.read() as Buffer | null;
    if (!first) return inflated.end();
    flow.unshift(first);
    return through(((first[0] ?? 0) & 15) === 8 ? zlib.createInflate() : zlib.createInflateRaw()).pipe(inflated);
  });
  return inflated;
}
