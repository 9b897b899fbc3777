// The server of a run, in a process of its own: raw TCP or TLS, which plays the fault of each POST and reports what it did.
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createSecureContext, type SecureContextOptions, TLSSocket } from 'node:tls';
import { type Play, playOf } from './faults.ts';

/** One POST as the server saw it. Times are from `process.hrtime`, in milliseconds: one clock for all processes of a machine. */
export interface Post {
  readonly type: 'post';
  readonly call: number;
  /** From 0. */
  readonly attempt: number;
  readonly connection: number;
  /** Number of requests on this connection before this one. */
  readonly used: number;
  readonly at: number;
  /** Time of the last bytes after an earlier reply, or of the close, on this connection. */
  spoiltAt?: number | undefined;
  /** True if the server had closed the connection by then: the request gets no reply. */
  readonly wasClosed: boolean;
}

/** Bytes after a reply, or a close, sent between two times. */
export interface Loose {
  readonly type: 'loose';
  readonly from: number;
  readonly to: number;
  /** The POST that had arrived by then and waited for its own reply. */
  readonly met?: Pick<Post, 'call' | 'attempt'> | undefined;
}

export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds until a connection that is closed or out of step is dropped, unless the client closes it first. */
const graceMs = 1000;

type Report = (message: Post | Loose) => void;

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
    // Deferred, because a write of TLS may also read, and this block is not completely processed yet.
    await undefined;
    for (const step of steps) {
      if (step[0] === 'wait') await new Promise((resolve) => setTimeout(resolve, step[1]));
      if (this.#socket.destroyed) return;
      if (step[0] === 'write') {
        const from = now();
        written += step[1].length;
        // On a connection that is out of step, each reply follows bytes of another one.
        const isLoose = written > own || post !== this.#post || this.#spoiltAt !== undefined;
        // Awaited, because TLS sends later. An error means that the client has left.
        await new Promise<void>((resolve) => this.#socket.write(step[1], 'latin1', () => resolve()));
        if (isLoose) this.#spoil(post, from);
      } else if (step[0] === 'reset') {
        const from = now();
        this.#raw.resetAndDestroy();
        this.#spoil(post, from);
      } else if (step[0] === 'close') await this.#close(post);
    }
    // A reader that is out of step may wait for the rest of a header that never comes.
    if (this.#spoiltAt !== undefined) this.#dropLater();
  }

  async #close(post: Post | undefined): Promise<void> {
    const from = now();
    // The close is sent later: until then the client cannot see it.
    this.#spoiltAt = Number.MAX_SAFE_INTEGER;
    await new Promise<void>((resolve) => this.#socket.end(() => resolve()));
    this.#spoil(post, from);
  }

  #dropLater(): void {
    setTimeout(() => this.#raw.destroy(), graceMs).unref();
  }

  #spoil(by: Post | undefined, from: number): void {
    const to = now();
    this.#spoiltAt = to;
    this.#report({ type: 'loose', from, to, met: this.#post === by ? undefined : this.#post });
  }
}

/** Serves until the parent process sends a message or ends. */
export async function serve(seed: number, tls: SecureContextOptions | undefined): Promise<void> {
  const send = (message: object): void => void (process.connected && process.send?.(message));
  let connections = 0;
  const secureContext = tls && createSecureContext(tls);
  const server = createServer((raw) => {
    raw.on('error', () => undefined);
    new Connection(raw, secureContext ? new TLSSocket(raw, { isServer: true, secureContext }) : raw, connections++, seed, send);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.once('message', () => process.disconnect());
  // Explicitly, because Node 20 may wait forever for sockets that were reset.
  process.once('disconnect', () => process.exit());
  send({ port: (server.address() as AddressInfo).port });
}
