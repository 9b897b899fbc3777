import { IdleTimer } from './idle.ts';
import { type BodySink, type Exchange, TransportFailure, type WireResponse } from './transport/transport.ts';

/** The beginning of a body, and a response that still has all of it. */
export interface Peeked {
  /** The whole body as text, when it ended within the limit and begins like one of the wanted texts. */
  readonly text: string | undefined;
  readonly response: WireResponse;
}

/**
 * Look at a body before it is handed out. When it begins as `wanted` has it, it is read on until it ends or is longer than `limit` bytes;
 * otherwise the first block is enough.
 */
export function peek(response: WireResponse, exchange: Exchange, idleMs: number, wanted: RegExp, limit: number): Promise<Peeked> {
  return new Promise((resolve, reject) => {
    const peeked = new PeekedResponse(response, wanted, limit, (error) => {
      idle.stop();
      if (error === undefined) resolve({ text: peeked.text(), response: peeked });
      else reject(error.cause);
    });
    const idle = new IdleTimer(idleMs, () => exchange.destroy(new TransportFailure('body', undefined, idleMs)));
    idle.touch();
    peeked.start(() => idle.touch());
  });
}

class PeekedResponse implements WireResponse {
  readonly status: number;
  readonly #response: WireResponse;
  readonly #wanted: RegExp;
  readonly #limit: number;
  readonly #settle: (error?: { readonly cause: unknown }) => void;
  readonly #decoder = new TextDecoder();
  #blocks: Uint8Array[] = [];
  #size = 0;
  #start = '';
  #ended = false;
  #failure: { readonly cause: unknown } | undefined;
  #settled = false;
  #sink: BodySink | undefined;
  #paused = false;

  constructor(response: WireResponse, wanted: RegExp, limit: number, settle: (error?: { readonly cause: unknown }) => void) {
    this.status = response.status;
    this.#response = response;
    this.#wanted = wanted;
    this.#limit = limit;
    this.#settle = settle;
  }

  header(name: string): string | undefined {
    return this.#response.header(name);
  }

  headers(): Headers {
    return this.#response.headers();
  }

  text(): string | undefined {
    return this.#ended && this.#size <= this.#limit && this.#wanted.test(this.#start) ? this.#start : undefined;
  }

  start(onBlock: () => void): void {
    this.#response.read({
      block: (bytes) => {
        if (this.#sink) return this.#sink.block(bytes);
        this.#blocks.push(bytes);
        if (this.#settled) return;
        onBlock();
        this.#size += bytes.length;
        this.#start += this.#decoder.decode(bytes, { stream: true });
        const isWanted = this.#start.trim() === '' || this.#wanted.test(this.#start);
        if (isWanted && this.#size <= this.#limit) return;
        this.#response.pause();
        this.#done();
      },
      end: () => {
        this.#ended = true;
        if (this.#sink) this.#sink.end();
        else this.#done();
      },
      fail: (cause) => {
        if (this.#sink) return this.#sink.fail(cause);
        this.#failure = { cause };
        if (!this.#settled) this.#settle(this.#failure);
        this.#settled = true;
      },
    });
  }

  read(sink: BodySink): void {
    this.#sink = sink;
    for (const block of this.#blocks.splice(0)) sink.block(block);
    this.#start = '';
    if (this.#failure) sink.fail(this.#failure.cause);
    else if (this.#ended) sink.end();
    else if (!this.#paused) this.#response.resume();
  }

  pause(): void {
    this.#paused = true;
    this.#response.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#response.resume();
  }

  #done(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#settle();
  }
}
