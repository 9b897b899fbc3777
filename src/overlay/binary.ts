import { AbortError, StreamError } from './errors.ts';
import { IdleTimer } from './idle.ts';
import { rememberInfo } from './info.ts';
import { publicError } from './public-error.ts';
import type { StreamSource } from './stream-source.ts';
import { type BodySink, TransportFailure } from './transport/transport.ts';

/** Bytes that may wait for the caller before the socket is paused. */
const highWater = 1024 * 1024;
const lowWater = 256 * 1024;

interface Waiter {
  resolve(block: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

/**
 * Bytes that the service sends: audio, or a stored file. Read them once, in one of four ways: `bytes()`, `text()`, `stream()`, or
 * `for await (const block of reply)`.
 *
 * Up to a megabyte is fetched ahead; then the socket waits for the reader, so a reply nobody wants should be left with `cancel()`. A body
 * that is cut off throws after the bytes that came before; one that is silent for `Config.streamIdleTimeout` throws a TimeoutError.
 */
export class BinaryReply implements AsyncIterable<Uint8Array> {
  /** The reply's media type; empty when it has none. */
  readonly contentType: string;
  /** Bytes to come, when the service says so. */
  readonly size: number | undefined;
  readonly #source: StreamSource;
  readonly #idle: IdleTimer;
  #blocks: Uint8Array[] = [];
  #waiting = 0;
  #received = 0;
  #waiters: Waiter[] = [];
  #failure: { readonly error: unknown } | undefined;
  #ended = false;
  #paused = false;
  #taken = false;

  /** Replies come from `audio().speech` and `files().content`. */
  constructor(source: StreamSource) {
    const { response, exchange, cancellation, info, idleMs } = source;
    this.#source = source;
    this.contentType = response.header('content-type') ?? '';
    const encoding = response.header('content-encoding');
    const length = response.header('content-length');
    this.size = (encoding === undefined || encoding === 'identity') && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
    rememberInfo(this, info);
    this.#idle = new IdleTimer(idleMs, () => exchange.destroy(new TransportFailure('body', undefined, idleMs)));
    this.#idle.touch();
    cancellation.onAbort((reason) => exchange.destroy(reason));
    response.read(this.#sink());
  }

  /** All of it. */
  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    this.#take();
    let whole = new Uint8Array(this.size ?? 64 * 1024);
    let size = 0;
    for (let block = await this.#next(); block; block = await this.#next()) {
      if (size + block.length > whole.length) {
        const longer = new Uint8Array(Math.max(size + block.length, whole.length * 2));
        longer.set(whole.subarray(0, size));
        whole = longer;
      }
      whole.set(block, size);
      size += block.length;
    }
    // A slice, not a view: what is handed out must not drag a longer buffer along.
    return size === whole.length ? whole : whole.slice(0, size);
  }

  /** All of it as UTF-8 text; a byte order mark is dropped. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  /** As a web stream. The socket waits while nobody reads; cancelling the stream closes it. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.#take();
    return new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        pull: async (controller) => {
          const block = await this.#next();
          if (block) controller.enqueue(block as Uint8Array<ArrayBuffer>);
          else controller.close();
        },
        cancel: () => this.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Block by block, as they come. Leaving the loop closes the socket. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
    this.#take();
    const iterator: AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> = {
      [Symbol.asyncIterator]: () => iterator,
      next: async () => {
        const block = await this.#next();
        return block ? { value: block as Uint8Array<ArrayBuffer>, done: false } : { value: undefined, done: true };
      },
      return: async () => {
        this.cancel();
        return { value: undefined, done: true };
      },
    };
    return iterator;
  }

  /** Leave the rest and free the socket. Harmless at the end. */
  cancel(): void {
    this.#taken = true;
    this.#blocks = [];
    this.#waiting = 0;
    this.#failure = undefined;
    if (this.#ended) return;
    const { exchange, hooks, info } = this.#source;
    hooks?.response(info.status, info.requestId, undefined, false);
    this.#end();
    exchange.destroy(new TransportFailure('body', undefined));
  }

  #take(): void {
    if (this.#taken) throw new StreamError(this.#source.call.operation, 'used', 'the reply can be read only once');
    this.#taken = true;
  }

  async #next(): Promise<Uint8Array | undefined> {
    const block = this.#blocks.shift();
    if (block) {
      this.#waiting -= block.length;
      this.#wake();
      return block;
    }
    if (this.#failure) {
      const { error } = this.#failure;
      this.#failure = undefined;
      throw error;
    }
    if (this.#ended) return undefined;
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #sink(): BodySink {
    return {
      block: (bytes) => {
        if (this.#ended || bytes.length === 0) return;
        this.#received += bytes.length;
        if (this.size !== undefined && this.#received > this.size) return this.#fail(this.#mismatch());
        const waiter = this.#waiters.shift();
        if (waiter) waiter.resolve(bytes);
        else this.#queue(bytes);
        if (!this.#paused) this.#idle.touch();
      },
      end: () => {
        if (this.#ended) return;
        if (this.size !== undefined && this.#received !== this.size) return this.#fail(this.#mismatch());
        const { hooks, info } = this.#source;
        hooks?.response(info.status, info.requestId, undefined, true);
        this.#end();
      },
      fail: (cause) => this.#fail(cause),
    };
  }

  #queue(bytes: Uint8Array): void {
    this.#blocks.push(bytes);
    this.#waiting += bytes.length;
    if (this.#paused || this.#waiting < highWater) return;
    this.#paused = true;
    // The silence is ours from here on, not the service's.
    this.#idle.stop();
    this.#source.response.pause();
  }

  #wake(): void {
    if (!this.#paused || this.#ended || this.#waiting > lowWater) return;
    this.#paused = false;
    this.#idle.touch();
    this.#source.response.resume();
  }

  #mismatch(): StreamError {
    const { call, info } = this.#source;
    return new StreamError(call.operation, 'truncated', `the reply has ${this.#received} of the ${this.size} bytes it announced`, info.requestId);
  }

  #fail(cause: unknown): void {
    if (this.#ended) return;
    const { call, exchange, hooks, info } = this.#source;
    const error = publicError(cause, call.operation, info.attempts);
    hooks?.error(error);
    this.#failure = { error };
    // Aborting stops at once; any other failure comes after the bytes that were whole.
    if (error instanceof AbortError) this.#blocks = [];
    this.#end();
    exchange.destroy(error);
  }

  #end(): void {
    this.#ended = true;
    this.#idle.stop();
    this.#source.cancellation.release();
    for (const waiter of this.#waiters.splice(0)) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) waiter.reject(failure.error);
      else waiter.resolve(undefined);
    }
  }
}
