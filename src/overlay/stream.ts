import { abortedAmong, type Cancellation } from './cancellation.ts';
import { AbortError, StreamError } from './errors.ts';
import { unref } from './host.ts';
import { IdleTimer } from './idle.ts';
import { rememberInfo } from './info.ts';
import { InBandFailure, refuseBareJson, type StreamProtocol } from './protocols.ts';
import { publicError } from './public-error.ts';
import { SseReader } from './sse.ts';
import { type StreamSource, streamFailure } from './stream-source.ts';
import { type BodySink, TransportFailure } from './transport/transport.ts';

/** Items that may wait for the caller before the socket is paused. */
const highWater = 512;
const lowWater = 64;
/** Milliseconds a finished stream may take to close, so that its socket can be used again; then it is cut. */
const lingerMs = 250;

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(error: unknown): void;
}

/**
 * The items of a stream, to be ranged over once: `for await (const chunk of stream)`.
 *
 * The request is sent at the first `next()`. A failure is thrown after the items that came before it, and ends the
 * stream; a stream that stops before it said so is a failure too. Leaving the loop closes the socket.
 */
export class EventStream<T> implements AsyncIterableIterator<T, undefined> {
  readonly #operation: string;
  readonly #connect: (onStart: (cancellation: Cancellation) => void) => Promise<StreamSource>;
  readonly #protocol: StreamProtocol<T>;
  #source: StreamSource | undefined;
  #connecting: Promise<void> | undefined;
  #cancellation: Cancellation | undefined;
  #queue: T[] = [];
  #head = 0;
  #waiters: Waiter<T>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #ended = false;
  #paused = false;
  #iterated = false;
  #idle: IdleTimer | undefined;
  #content: IdleTimer | undefined;
  #count = 0;

  constructor(operation: string, connect: (onStart: (cancellation: Cancellation) => void) => Promise<StreamSource>, protocol: StreamProtocol<T>) {
    this.#operation = operation;
    this.#connect = connect;
    this.#protocol = protocol;
  }

  [Symbol.asyncIterator](): this {
    if (this.#iterated) throw new StreamError(this.#operation, 'used', 'a stream can be iterated only once');
    this.#iterated = true;
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#head < this.#queue.length) {
      const aborted = this.#source && abortedAmong(this.#source.call.signals);
      if (!aborted) return Promise.resolve({ value: this.#shift(), done: false });
      // An abort stops the loop even when all of the stream has come already: what waits is dropped.
      this.#drop();
      this.#failure ??= { error: new AbortError(this.#operation, aborted.reason) };
    }
    if (this.#failure) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    this.#connecting ??= this.#open();
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  /** Leave the stream: frees the socket at once. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#drop();
    this.#failure = undefined;
    if (!this.#ended) {
      this.#source?.hooks?.response(this.#source.info.status, this.#source.info.requestId, this.#protocol.usage, false);
      this.#close(false);
      if (!this.#source) this.#cancellation?.abort();
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }

  async #open(): Promise<void> {
    let source: StreamSource;
    try {
      source = await this.#connect((cancellation) => {
        this.#cancellation = cancellation;
        // The caller may have left while a part of the library was being loaded: then nothing is sent.
        if (this.#ended) cancellation.abort();
      });
    } catch (error) {
      if (this.#ended) return;
      this.#failure = { error };
      return this.#close(false);
    }
    this.#source = source;
    rememberInfo(this, source.info);
    // The caller may have left while the connection was being made.
    if (this.#ended) {
      source.hooks?.response(source.info.status, source.info.requestId, undefined, false);
      return this.#teardown(source, false);
    }
    source.cancellation.onAbort((reason) => source.exchange.destroy(reason));
    this.#idle = new IdleTimer(source.idleMs, () => source.exchange.destroy(new TransportFailure('body', undefined, source.idleMs)));
    this.#content = new IdleTimer(source.contentMs, () => this.#fail(contentTimeout(source)));
    this.#idle.touch();
    this.#content.touch();
    source.response.read(this.#sink());
  }

  #sink(): BodySink {
    const reader = new SseReader(
      (name, data) => this.#frame(name, data, reader.atEnd),
      (line) => this.#frame(undefined, line, reader.atEnd, true),
    );
    return {
      block: (bytes) => {
        if (this.#ended) return;
        this.#idle?.touch();
        try {
          reader.feed(bytes);
        } catch (error) {
          this.#fail(error);
        }
      },
      end: () => {
        try {
          reader.end();
        } catch (error) {
          this.#fail(error);
        }
        if (this.#ended) return;
        if (this.#protocol.complete) this.#finish();
        else this.#fail(this.#truncated());
      },
      fail: (error) => this.#fail(error),
    };
  }

  #frame(name: string | undefined, data: string, atEnd: boolean, isBare = false): void {
    if (this.#ended) return;
    let decoded: ReturnType<StreamProtocol<T>['decode']>;
    try {
      decoded = isBare ? refuseBareJson(data) : this.#protocol.decode(name, data);
    } catch (error) {
      if (error instanceof InBandFailure) throw error;
      // A frame cut off by the end of the body is a cut stream. The payload is not quoted: it may be anybody's words.
      if (atEnd) return;
      throw new StreamError(
        this.#operation,
        'malformed',
        `event ${this.#count + 1} of the stream is not a JSON object (${data.length} characters)`,
        this.#source?.info.requestId,
      );
    }
    this.#count++;
    if (!decoded.heartbeat) this.#content?.touch();
    if (decoded.item !== undefined) this.#push(decoded.item);
    if (decoded.done) this.#finish();
  }

  #push(item: T): void {
    this.#source?.hooks?.chunk(item);
    const waiter = this.#waiters.length > 0 ? this.#waiters.shift() : undefined;
    if (waiter) return waiter.resolve({ value: item, done: false });
    this.#queue.push(item);
    if (this.#paused || this.#queue.length - this.#head < highWater) return;
    this.#paused = true;
    // The silence is ours from here on, not the service's.
    this.#idle?.stop();
    this.#content?.stop();
    this.#source?.response.pause();
  }

  #shift(): T {
    const item = this.#queue[this.#head++] as T;
    if (this.#head === this.#queue.length) {
      this.#queue = [];
      this.#head = 0;
    }
    if (this.#paused && this.#queue.length - this.#head <= lowWater && !this.#ended) {
      this.#paused = false;
      this.#idle?.touch();
      this.#content?.touch();
      this.#source?.response.resume();
    }
    return item;
  }

  #drop(): void {
    this.#queue = [];
    this.#head = 0;
  }

  #truncated(): StreamError {
    const text = this.#count === 0 ? 'the stream ended without a single event' : `the stream was cut off after ${this.#count} events, before its end`;
    return new StreamError(this.#operation, 'truncated', text, this.#source?.info.requestId);
  }

  #finish(): void {
    const info = this.#source?.info;
    if (info) this.#source?.hooks?.response(info.status, info.requestId, this.#protocol.usage, true);
    this.#close(true);
  }

  #fail(cause: unknown): void {
    if (this.#ended) return;
    const source = this.#source;
    const error = source ? streamFailure(cause, source) : publicError(cause, this.#operation, 1);
    source?.hooks?.error(error);
    this.#failure = { error };
    this.#close(false);
  }

  #close(whole: boolean): void {
    this.#ended = true;
    this.#idle?.stop();
    this.#content?.stop();
    if (this.#source) this.#teardown(this.#source, whole);
    for (const waiter of this.#waiters.splice(0)) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) waiter.reject(failure.error);
      else waiter.resolve({ value: undefined, done: true });
    }
  }

  #teardown(source: StreamSource, whole: boolean): void {
    source.cancellation.release();
    const cut = (): void => source.exchange.destroy(new TransportFailure('body', undefined));
    if (!whole) return cut();
    // The end of the body mostly follows the sentinel at once; then the socket is kept for the next call.
    if (this.#paused) source.response.resume();
    unref(setTimeout(cut, lingerMs));
  }
}

function contentTimeout(source: StreamSource): TransportFailure {
  return new TransportFailure('body', undefined, source.contentMs);
}
