// The server of a run, in a process of its own: raw TCP or TLS, which plays the fault of each POST and reports what it did.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import { type Play, playOf } from './faults.ts';

/** One POST as the server saw it. Times are those of `process.hrtime`, in milliseconds: one clock for all processes of a machine. */
export interface Post {
  readonly type: 'post';
  readonly call: number;
  /** From 0, in the order of arrival. */
  readonly nth: number;
  readonly connection: number;
  /** Number of requests on this connection before this one. */
  readonly used: number;
  readonly at: number;
  /** When bytes of an earlier reply, or its close, first went out behind that reply. */
  spoiltAt?: number | undefined;
  /** True if the server had closed the connection by then: the request gets no reply. */
  readonly wasClosed: boolean;
}

/** Bytes of an earlier reply, or its close, went out while this POST waited for its own. */
export interface Spoilt {
  readonly type: 'spoilt';
  readonly call: number;
  readonly nth: number;
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
  readonly #counts: Map<number, number>;
  readonly #report: Report;
  #header = '';
  /** Bytes of the request body that are still to come. */
  #missing = 0;
  #play: Play | undefined;
  #post: Post | undefined;
  #spoiltAt: number | undefined;

  /** `raw` can be reset, which a TLS socket cannot. `counts`: POSTs of each call. */
  constructor(raw: Socket, socket: Socket, number: number, seed: number, counts: Map<number, number>, report: Report) {
    this.#raw = raw;
    this.#socket = socket;
    this.#seed = seed;
    this.#number = number;
    this.#counts = counts;
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
    const call = Number(/^x-chaos: *(\d+)/im.exec(header)?.[1]);
    this.#missing = Number(/^content-length: *(\d+)/im.exec(header)?.[1]);
    if (!Number.isFinite(call) || !Number.isFinite(this.#missing)) throw new Error(`no request: ${header.slice(0, 500)}`);
    const nth = this.#counts.get(call) ?? 0;
    this.#counts.set(call, nth + 1);
    const wasClosed = this.#socket.writableEnded;
    const used = this.#post ? this.#post.used + 1 : 0;
    this.#post = { type: 'post', call, nth, connection: this.#number, used, at: now(), spoiltAt: this.#spoiltAt, wasClosed };
    this.#report(this.#post);
    if (wasClosed) return void this.#socket.destroy();
    this.#play = playOf(this.#seed, call, nth);
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
      if (step[0] === 'close' || step[0] === 'reset') this.#report({ type: 'closed', at: now() });
      if (step[0] !== 'wait' && (step[0] !== 'write' || written > own || post !== this.#post)) this.#spoil(post);
    }
  }

  #spoil(by: Post | undefined): void {
    this.#spoiltAt ??= now();
    if (this.#post && this.#post !== by) this.#report({ type: 'spoilt', call: this.#post.call, nth: this.#post.nth, at: now() });
  }
}

/** Serves until the parent process disconnects. */
export async function serve(seed: number, tls: SecureContextOptions | undefined): Promise<void> {
  const send = (message: object): void => void (process.connected && process.send?.(message));
  const counts = new Map<number, number>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const secureContext = tls && createSecureContext(tls);
  const server = createServer((raw) => {
    sockets.add(raw);
    raw.on('error', () => undefined).on('close', () => sockets.delete(raw));
    new Connection(raw, secureContext ? new TLSSocket(raw, { isServer: true, secureContext }) : raw, connections++, seed, counts, send);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.once('disconnect', () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  send({ type: 'ready', port: (server.address() as AddressInfo).port });
}
