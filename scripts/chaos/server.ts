// The server of a run, in a process of its own: raw TCP or TLS, which plays the fault of each POST and reports what it did.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import { type Play, playOf } from './faults.ts';

/** One POST as the server saw it. Times are those of `process.hrtime`, in milliseconds: one clock for all processes of a machine. */
export interface Post {
  readonly type: 'post';
  readonly call: number;
  /** From 0. */
  readonly attempt: number;
  readonly connection: number;
  /** Number of requests on this connection before this one. */
  readonly used: number;
  readonly at: number;
  /** When bytes behind an earlier reply, or its close, last went out on this connection. */
  spoiltAt?: number | undefined;
  /** True if the server had closed the connection by then: the request gets no reply. */
  readonly wasClosed: boolean;
}

/** Bytes behind an earlier reply, or its close, went out when this POST had come. */
export interface Spoilt {
  readonly type: 'spoilt';
  readonly call: number;
  readonly attempt: number;
  readonly at: number;
}

/** A connection that the server closed or reset. */
export interface Closed {
  readonly type: 'closed';
  readonly at: number;
}

export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A closed connection that the client does not close either is dropped after this time, in milliseconds. */
const graceMs = 1000;

type Report = (message: Post | Spoilt | Closed) => void;

class Connection {
  readonly #raw: Socket;
  readonly #socket: Socket;
  readonly #seed: number;
  readonly #number: number;
  readonly #report: Report;
  #header = '';
  /** Bytes of the request body that are still to come. */
  #missing = 0;
  #play: Play | undefined;
  #post: Post | undefined;
  #spoiltAt: number | undefined;

  /** `raw` can be reset, which a TLS socket cannot. */
  constructor(raw: Socket, socket: Socket, number: number, seed: number, report: Report) {
    this.#raw = raw;
    this.#socket = socket;
    this.#seed = seed;
    this.#number = number;
    this.#report = report;
    raw.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', (block: Buffer) => this.#read(block));
  }

  /** After an early reply the next request may follow in the same block. */
  #read(block: Buffer): void {
    let rest = block;
    while (rest.length > 0) {
      if (this.#missing === 0) {
        const known = this.#header.length;
        this.#header += rest.toString('latin1');
        const end = this.#header.indexOf('\r\n\r\n');
        if (end < 0) return;
        rest = rest.subarray(end + 4 - known);
        const header = this.#header.slice(0, end);
        this.#header = '';
        this.#begin(header);
      }
      const bytes = Math.min(this.#missing, rest.length);
      rest = rest.subarray(bytes);
      this.#missing -= bytes;
      if (this.#missing === 0 && this.#play) void this.#perform(this.#play);
    }
  }

  #begin(header: string): void {
    const [call = Number.NaN, attempt = Number.NaN] = /^authorization: bearer chaos-key-(\d+)-(\d+)$/im.exec(header)?.slice(1).map(Number) ?? [];
    this.#missing = Number(/^content-length: *(\d+)/im.exec(header)?.[1]);
    if (Number.isNaN(call + attempt + this.#missing)) throw new Error(`not a request of this run: ${header.slice(0, 500)}`);
    const wasClosed = this.#socket.writableEnded;
    const used = this.#post ? this.#post.used + 1 : 0;
    this.#post = { type: 'post', call, attempt, connection: this.#number, used, at: now(), spoiltAt: this.#spoiltAt, wasClosed };
    this.#report(this.#post);
    if (wasClosed) return void this.#socket.destroy();
    this.#play = playOf(this.#seed, call, attempt);
    if (!this.#play.early) return;
    if (this.#play.deafMs) {
      this.#socket.pause();
      setTimeout(() => this.#socket.resume(), this.#play.deafMs);
    }
    void this.#perform(this.#play);
  }

  async #perform({ steps, own = Number.POSITIVE_INFINITY }: Play): Promise<void> {
    const post = this.#post;
    this.#play = undefined;
    let written = 0;
    // A write of TLS may read too: not in the middle of a block.
    await undefined;
    for (const step of steps) {
      if (step[0] === 'wait') await new Promise((resolve) => setTimeout(resolve, step[1]));
      if (this.#socket.destroyed) return;
      if (step[0] === 'write') {
        this.#socket.write(step[1], 'latin1');
        written += step[1].length;
      } else if (step[0] === 'reset') this.#raw.resetAndDestroy();
      else if (step[0] === 'close') {
        this.#socket.end();
        setTimeout(() => this.#raw.destroy(), graceMs).unref();
      }
      if (step[0] === 'wait') continue;
      if (step[0] !== 'write') this.#report({ type: 'closed', at: now() });
      // On a connection that is out of step, each reply comes behind another.
      if (step[0] !== 'write' || written > own || post !== this.#post || this.#spoiltAt !== undefined) this.#spoil(post);
    }
  }

  #spoil(by: Post | undefined): void {
    this.#spoiltAt = now();
    if (this.#post && this.#post !== by) this.#report({ type: 'spoilt', call: this.#post.call, attempt: this.#post.attempt, at: this.#spoiltAt });
  }
}

/** Serves until the parent process sends a message or ends. */
export async function serve(seed: number, tls: SecureContextOptions | undefined): Promise<void> {
  const send = (message: object): void => void (process.connected && process.send?.(message));
  const sockets = new Set<Socket>();
  let connections = 0;
  const secureContext = tls && createSecureContext(tls);
  const server = createServer((raw) => {
    sockets.add(raw);
    raw.on('error', () => undefined).on('close', () => sockets.delete(raw));
    new Connection(raw, secureContext ? new TLSSocket(raw, { isServer: true, secureContext }) : raw, connections++, seed, send);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.once('message', () => process.disconnect());
  process.once('disconnect', () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  send({ port: (server.address() as AddressInfo).port });
}
