import { IdleTimer } from './idle.ts';
import { type BodySink, type Exchange, TransportFailure, type WireResponse } from './transport.ts';

/** Receives the outcome of one read: the next block, or undefined at the end. */
export interface BlockReader {
  resolve(block: Uint8Array | undefined): void;
  reject(error: unknown): void;
}

/** Milliseconds that a finished stream may take to end, so that its socket can be reused. After that the socket is closed. */
const lingerMs = 250;

/**
 * The only reader of response bodies; it returns one block per read. Up to `maxBuffered` bytes are fetched ahead, then the socket is
 * paused. Silence counts only while a read is pending. Between reads the exchange does not keep the process alive, if the platform allows it.
 */
export class BodyReader implements BodySink {
  readonly #exchange: Pick<Exchange, 'destroy'>;
  readonly #response: WireResponse;
  readonly #maxBuffered: number;
  readonly #idle: IdleTimer;
  #blocks: Uint8Array[] = [];
  #head = 0;
  #buffered = 0;
  #waiter: BlockReader | undefined;
  #failure: { readonly error: unknown } | undefined;
  #over = false;
  #isWhole = false;
  #paused = false;
  #dropping = false;
  /** Bytes to fetch ahead while `readOn` applies. */
  #further: number | undefined;
  #onFull: (() => void) | undefined;
  /** Called with each block as it arrives, before a reader gets it. */
  onBlock: ((bytes: Uint8Array) => void) | undefined;
  /** Called once when no more bytes will arrive: the body is complete, broken or left. */
  onOver: (() => void) | undefined;

  constructor(
    exchange: Pick<Exchange, 'destroy'>,
    response: WireResponse,
    limits: { readonly streamIdleMs: number; readonly maxBufferedBytes: number },
  ) {
    this.#exchange = exchange;
    this.#response = response;
    const { streamIdleMs: timeoutMs } = limits;
    this.#maxBuffered = limits.maxBufferedBytes;
    this.#idle = new IdleTimer(timeoutMs, () => exchange.destroy(new TransportFailure('body', undefined, { timeoutMs })));
    response.read(this);
    if (!this.#over) response.keepAlive?.(false);
  }

  /** True when no more bytes will arrive; blocks may still be unread. */
  get over(): boolean {
    return this.#over;
  }

  /** True once all of it has arrived, read or not. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** The next block, or undefined at the end. One read at a time. */
  next(): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => this.read({ resolve, reject }));
  }

  /** Like `next`, without promises: a stream of small blocks would spend more on them than on its events. A block that has arrived comes at once. */
  read(reader: BlockReader): void {
    const block = this.#blocks[this.#head];
    if (block) {
      if (++this.#head === this.#blocks.length) this.#empty();
      this.#buffered -= costOf(block);
      if (this.#paused && this.#buffered <= this.#maxBuffered / 4) this.#resume();
      return reader.resolve(block);
    }
    if (this.#failure) return reader.reject(this.#failure.error);
    if (this.#over) return reader.resolve(undefined);
    this.#idle.start();
    this.#response.keepAlive?.(true);
    this.#waiter = reader;
  }

  /** Put blocks back, to be read first. */
  unshift(blocks: readonly Uint8Array[]): void {
    this.#blocks = [...blocks, ...this.#blocks.slice(this.#head)];
    this.#head = 0;
    for (const block of blocks) this.#buffered += costOf(block);
  }

  /** Drop the rest and free the socket. A pending read ends as if the body had ended. Has no effect after the end. */
  cancel(): void {
    this.#drop();
    if (this.#over) return;
    this.#end(undefined);
    this.#exchange.destroy(new TransportFailure('body', undefined));
  }

  /** Like `cancel`, for an exchange whose request is incomplete: its socket cannot be reused even if the body has ended. */
  cut(): void {
    this.cancel();
    this.#exchange.destroy(new TransportFailure('body', undefined));
  }

  /**
   * Continue fetching between reads, because another call waits for this exchange to end. Calls `onFull` once `bytes` are unread; 0 means no limit.
   * Undefined restores the usual limit.
   */
  readOn(bytes: number | undefined, onFull?: () => void): void {
    if (this.#over || this.#dropping) return;
    this.#further = bytes;
    this.#onFull = onFull;
    if (this.#paused && !this.#isFull()) this.#resume();
    if (!this.#waiter) this.#rest();
  }

  /** Drop the rest of a complete reply. The end of the body usually follows immediately, and the socket is kept for the next call. */
  linger(): void {
    this.#drop();
    if (this.#over) return;
    this.#dropping = true;
    if (this.#paused) this.#resume();
    const cut = setTimeout(() => this.cancel(), lingerMs);
    this.#response.keepAlive?.(true);
    const { onOver } = this;
    this.onOver = () => {
      clearTimeout(cut);
      onOver?.();
    };
  }

  block(bytes: Uint8Array): void {
    if (this.#over || this.#dropping || bytes.length === 0) return;
    this.onBlock?.(bytes);
    const waiter = this.#waiter;
    if (waiter) {
      this.#waiter = undefined;
      this.#rest();
      return waiter.resolve(bytes);
    }
    this.#blocks.push(bytes);
    this.#buffered += costOf(bytes);
    if (this.#further !== undefined) this.#rest();
    if (this.#paused || !this.#isFull()) return;
    this.#paused = true;
    this.#response.pause();
  }

  end(): void {
    if (this.#over) return;
    this.#isWhole = true;
    this.#end(undefined);
  }

  fail(error: unknown): void {
    if (!this.#over) this.#end({ error });
  }

  /** No read is pending. */
  #rest(): void {
    const isFull = this.#isFull();
    const readsOn = this.#further !== undefined && !isFull;
    if (readsOn) this.#idle.start();
    else this.#idle.hold();
    this.#response.keepAlive?.(readsOn);
    if (isFull && this.#further !== undefined) this.#onFull?.();
  }

  #isFull(): boolean {
    const limit = this.#further === undefined ? this.#maxBuffered : this.#further && Math.max(this.#further, this.#maxBuffered);
    return limit > 0 && this.#buffered >= limit;
  }

  #resume(): void {
    this.#paused = false;
    if (!this.#over) this.#response.resume();
  }

  #drop(): void {
    this.#empty();
    this.#buffered = 0;
    this.#failure = undefined;
  }

  #empty(): void {
    this.#blocks = [];
    this.#head = 0;
  }

  #end(failure: { readonly error: unknown } | undefined): void {
    this.#over = true;
    this.#failure = this.#dropping ? undefined : failure;
    this.#idle.stop();
    const waiter = this.#waiter;
    this.#waiter = undefined;
    if (failure) waiter?.reject(failure.error);
    else waiter?.resolve(undefined);
    this.onOver?.();
  }
}

/** Memory of a block. In a body that arrives byte by byte, the objects need more memory than the bytes. */
function costOf(block: Uint8Array): number {
  return block.length + 256;
}
