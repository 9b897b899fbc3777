import { joined, tooLong } from '../call/reply/body.ts';
import type { Reply } from '../call/reply/reply.ts';
import { rememberInfo } from '../call/reply/response-info.ts';
import type { ModelsvcError, StreamError } from '../errors/errors.ts';
import { validated } from '../errors/problem.ts';
import { checkFields, type KnownFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import { type OnProgress, report } from './progress.ts';

/** Options of a download. */
export interface DownloadOptions {
  /**
   * Called for each block that arrives, with the bytes so far and the total. The total is undefined if the reply has no content-length or is
   * compressed. Errors it throws are ignored.
   */
  readonly onProgress?: OnProgress | undefined;
}

const downloadFields: KnownFields<DownloadOptions> = { onProgress: 1 };

/**
 * Binary content of a response: audio, or a stored file. Read it once, in one of four ways: `bytes()`, `text()`, `stream()`, or
 * `for await (const block of reply)`.
 *
 * Up to `Config.maxBufferedBytes` are read ahead; then the socket waits for the reader. Call `cancel()` if you do not read the reply. A body
 * that is cut off throws after its last bytes. A body without data for `Config.streamIdleTimeout` throws a TimeoutError.
 */
export class BinaryReply implements AsyncIterable<Uint8Array> {
  /** Media type of the reply; empty if it has none. */
  readonly contentType: string;
  /** Size in bytes, if the service sent it. */
  readonly size: number | undefined;
  readonly #reply: Reply;
  #received = 0;
  #onProgress: OnProgress | undefined;
  #taken = false;
  #ended = false;

  /** @internal Use `audio().speech` or `files().content` instead. */
  constructor(reply: Reply) {
    this.#reply = reply;
    this.contentType = reply.header('content-type') ?? '';
    const encoding = reply.header('content-encoding');
    const length = reply.header('content-length');
    this.size = (encoding === undefined || encoding === 'identity') && length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined;
    rememberInfo(this, reply.info);
    reply.handOver(this);
  }

  /**
   * Returns all bytes. Throws a StreamError for more than `Config.maxReplyBytes`.
   *
   * @example
   * const audio = await reply.bytes({ onProgress: ({ bytes, total }) => console.log(bytes, total) });
   */
  async bytes(options?: DownloadOptions): Promise<Uint8Array<ArrayBuffer>> {
    this.#take(options);
    const limit = this.#reply.settings.maxReplyBytes;
    const blocks: Uint8Array[] = [];
    let size = 0;
    for (let block = await this.#next(); block; block = await this.#next()) {
      blocks.push(block);
      size += block.length;
      if (limit > 0 && size > limit) throw this.#fail(tooLong(limit, this.#reply.broken.bind(this.#reply)));
    }
    // A copy, not a view: a block may be part of a larger buffer.
    return joined(blocks, size).slice() as Uint8Array<ArrayBuffer>;
  }

  /** Returns all bytes as UTF-8 text without a byte order mark. */
  async text(options?: DownloadOptions): Promise<string> {
    const bytes = await this.bytes(options);
    try {
      return new TextDecoder().decode(bytes);
    } catch {
      throw tooLong(0, this.#reply.broken.bind(this.#reply));
    }
  }

  /** Returns a web stream. The socket waits until the stream is read. Cancel the stream to close the socket. */
  stream(options?: DownloadOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
    this.#take(options);
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

  /** Iterates over the blocks as they arrive. Leaving the loop closes the socket. */
  [Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> {
    this.#take();
    const read = async (): Promise<IteratorResult<Uint8Array<ArrayBuffer>, undefined>> => {
      const block = await this.#next();
      return block ? { value: block as Uint8Array<ArrayBuffer>, done: false } : { value: undefined, done: true };
    };
    let last: Promise<unknown> = Promise.resolve();
    const iterator: AsyncIterableIterator<Uint8Array<ArrayBuffer>, undefined> = {
      [Symbol.asyncIterator]: () => iterator,
      // The body allows one read at a time; a caller may request several blocks at once.
      next: () => {
        const result = last.then(read);
        last = result.catch(() => undefined);
        return result;
      },
      return: async () => {
        this.cancel();
        return { value: undefined, done: true };
      },
    };
    return iterator;
  }

  /** Discards the rest and closes the socket. Has no effect after the end. */
  cancel(): void {
    this.#taken = true;
    if (this.#ended) return;
    this.#ended = true;
    this.#reply.left();
  }

  #take(options: DownloadOptions = {}): void {
    validated(this.#reply.call.operation, () => {
      checkFields(options, downloadFields, 'options');
      if (typeof (options.onProgress ?? report) !== 'function') throw new Problem('options.onProgress', 'must be a function');
    });
    if (this.#taken) throw this.#reply.broken('used', 'the reply can be read only once');
    this.#taken = true;
    this.#onProgress = options.onProgress;
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined;
    try {
      const block = await this.#reply.body.next();
      // The reply was canceled during the wait.
      if (this.#ended) return undefined;
      this.#received += block?.length ?? 0;
      if (this.size !== undefined && (block ? this.#received > this.size : this.#received !== this.size)) throw this.#mismatch();
      if (block) {
        report(this.#onProgress, this.#received, this.size);
        return block;
      }
    } catch (cause) {
      throw this.#fail(cause);
    }
    this.#ended = true;
    this.#reply.complete(undefined);
    return undefined;
  }

  #mismatch(): StreamError {
    return this.#reply.broken('truncated', `received ${this.#received} bytes of a reply with a content-length of ${this.size}`);
  }

  #fail(cause: unknown): ModelsvcError {
    this.#ended = true;
    return this.#reply.failed(cause);
  }
}
