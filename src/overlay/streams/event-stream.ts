// The iterator over the items of a stream: opens the request, reads, and ends the hooks and the socket.

import { abortedAmong, type Cancellation } from '../call/cancellation.ts';
import { unwatchDropped, watchDropped } from '../call/operation.ts';
import { openStream } from '../call/reply/decode.ts';
import type { Reply } from '../call/reply/reply.ts';
import { rememberInfo } from '../call/reply/response-info.ts';
import type { Call } from '../call/request/call.ts';
import { send } from '../call/send.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { PendingNext } from '../concurrency/leaving.ts';
import { AbortError, StreamError } from '../errors/errors.ts';
import { InBandFailure, type StreamProtocol } from '../surfaces/protocol.ts';
import type { BlockReader } from '../transport/body-reader.ts';
import { ItemFrames } from './item-frames.ts';

/** An invalid request. The first `next()` throws the problem. */
interface Refused {
  readonly problem: unknown;
}

/**
 * The items of a stream. Iterate it once: `for await (const chunk of stream)`.
 *
 * The request is sent at the first `next()`. An error is thrown after the items that arrived before it, and ends the
 * stream. A stream that is cut off throws a StreamError. Leaving the loop closes the socket.
 */
export class EventStream<T> implements AsyncIterableIterator<T, undefined> {
  readonly #operation: string;
  readonly #protocol: StreamProtocol<T>;
  readonly #settings: Settings;
  readonly #call: Call | Refused;
  #reply: Reply | undefined;
  #frames: ItemFrames<T> | undefined;
  #cancellation: Cancellation | undefined;
  #queue: T[] = [];
  #head = 0;
  #waiters: PendingNext<T>[] = [];
  #failure: { readonly error: unknown } | undefined;
  #ended = false;
  readonly #reader: BlockReader = {
    resolve: (block) => this.#arrived(block),
    reject: (error) => this.#fail(error),
  };
  /** The request or a read of its body is pending. */
  #reading = false;
  #looping = false;
  #iterated = false;

  /** @internal Use the `stream` methods of the services instead. */
  constructor(operation: string, protocol: StreamProtocol<T>, settings: Settings, call: Call | Refused) {
    this.#operation = operation;
    this.#protocol = protocol;
    this.#settings = settings;
    this.#call = call;
    if ('hooks' in call) watchDropped(this, call.hooks);
  }

  [Symbol.asyncIterator](): this {
    if (this.#iterated) throw new StreamError(this.#operation, 'used', 'a stream can be iterated only once');
    this.#iterated = true;
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    // An abort ends the loop even if the stream has arrived completely; queued items are dropped. Until there is a reply, `send` has the abort.
    const aborted = this.#cancellation && !this.#reply ? undefined : abortedAmong((this.#call as Partial<Call>).signals ?? []);
    if (aborted && !(this.#ended && this.#queue.length === 0)) this.#abort(aborted);
    if (this.#head < this.#queue.length) return Promise.resolve({ value: this.#shift(), done: false });
    if (this.#failure) {
      const { error } = this.#failure;
      this.#failure = undefined;
      return Promise.reject(error);
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      if (this.#reading) return;
      this.#frames?.content?.resume();
      this.#read();
    });
  }

  /** Leaves the stream and closes the socket immediately. Returns `value` like a generator, and rejects if `value` rejects. */
  async return(value?: PromiseLike<undefined> | undefined): Promise<IteratorResult<T, undefined>> {
    this.#leave();
    return { value: await value, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    this.#leave();
    throw error;
  }

  #abort({ reason }: AbortSignal): void {
    const error = new AbortError(this.#operation, reason);
    this.#drop();
    if (this.#ended) this.#failure = { error: this.#reply?.withFate(error) ?? error };
    else this.#fail(error);
  }

  #leave(): void {
    this.#drop();
    this.#failure = undefined;
    if (this.#ended) return;
    if (!this.#reply) (this.#call as Partial<Call>).hooks?.left();
    this.#end();
    if (this.#reply) this.#reply.left(this.#protocol);
    else this.#cancellation?.abort();
  }

  /** Reads while a `next()` waits. Otherwise the socket must not refer to this stream, so that an abandoned stream is garbage-collected and closed. */
  #read(): void {
    // A block that has already arrived is handled within `read` of the body.
    if (this.#looping) return;
    this.#looping = true;
    while (this.#waiters.length > 0 && !this.#ended && !this.#reading) {
      this.#reading = true;
      if (this.#reply) this.#reply.body.read(this.#reader);
      else void this.#begin();
    }
    this.#looping = false;
    if (!this.#reading) this.#frames?.content?.hold();
  }

  async #begin(): Promise<void> {
    try {
      await this.#open();
    } catch (error) {
      this.#fail(error);
    }
    this.#reading = false;
    this.#read();
  }

  async #open(): Promise<void> {
    if ('problem' in this.#call) throw this.#call.problem;
    const { hooks, route } = this.#call;
    unwatchDropped(hooks);
    const accept = async (opened: Reply): Promise<Reply> => {
      await openStream(opened);
      if (!this.#ended) this.#opened(opened);
      const failure = route.performs === 'answer' ? await this.#toFirst(opened) : undefined;
      opened.handOver(this, this.#protocol);
      if (failure) this.#fail(failure.error);
      return opened;
    };
    const reply = await send(this.#call, this.#settings, accept, (cancellation) => {
      this.#cancellation = cancellation;
      // Left before this call began.
      if (this.#ended) cancellation.abort();
    });
    // The caller may have left during connecting.
    if (this.#reply !== reply) reply.left();
  }

  /** Reads to the first item. Throws the refusal that came instead: no answer has begun, so the attempt can be repeated. */
  async #toFirst(opened: Reply): Promise<{ readonly error: unknown } | undefined> {
    try {
      while (this.#frames?.count === 0 && !this.#ended) {
        const block = await opened.body.next();
        if (!block) break;
        this.#feed(block);
      }
    } catch (error) {
      if ((this.#frames?.count ?? 0) > 0 || !(error instanceof InBandFailure)) return { error };
      this.#reply = undefined;
      this.#frames?.content?.stop();
      throw Object.assign(opened.refused(error.envelope), { usage: this.#protocol.usage });
    }
    return undefined;
  }

  #opened(reply: Reply): void {
    this.#reply = reply;
    rememberInfo(this, reply.info);
    this.#frames = new ItemFrames(
      reply,
      this.#protocol,
      (item) => this.#push(item),
      (failure) => this.#fail(failure),
    );
  }

  #feed(block: Uint8Array): void {
    this.#frames?.feed(block);
    if (this.#frames?.over) this.#finish();
  }

  #arrived(block: Uint8Array | undefined): void {
    this.#reading = false;
    if (this.#ended) return;
    try {
      if (block) this.#feed(block);
      else {
        this.#frames?.end();
        this.#finish();
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#read();
  }

  #push(item: T): void {
    const waiter = this.#waiters.length > 0 ? this.#waiters.shift() : undefined;
    if (waiter) waiter.resolve({ value: item, done: false });
    else this.#queue.push(item);
  }

  #shift(): T {
    const item = this.#queue[this.#head++] as T;
    if (this.#head === this.#queue.length) this.#drop();
    return item;
  }

  #drop(): void {
    this.#queue = [];
    this.#head = 0;
  }

  #finish(): void {
    if (this.#ended) return;
    this.#reply?.complete(this.#protocol.usage);
    this.#reply?.body.linger();
    this.#end();
  }

  #fail(cause: unknown): void {
    if (this.#ended) return;
    // First, because the reply ends a pending read.
    this.#ended = true;
    // Without a reply, `send` has failed with a public error.
    this.#failure = { error: this.#reply?.failed(this.#frames?.failureOf(cause) ?? cause, this.#protocol) ?? cause };
    this.#end();
  }

  #end(): void {
    this.#ended = true;
    if (this.#frames) this.#frames.over = true;
    this.#frames?.content?.stop();
    // Left or aborted before the request. After that, `send` or the reply ends the operation.
    if (!this.#cancellation) {
      const { hooks } = this.#call as Partial<Call>;
      unwatchDropped(hooks);
      if (this.#failure) hooks?.failed(this.#failure.error);
      else hooks?.succeeded({ complete: false });
    }
    for (const waiter of this.#waiters.splice(0)) {
      const failure = this.#failure;
      this.#failure = undefined;
      if (failure) waiter.reject(failure.error);
      else waiter.resolve({ value: undefined, done: true });
    }
  }
}
