/** Blocks that can be read again from the first one. A place on disk may fail after they were read, and the reply is paid for. */
export class KeptBlocks implements AsyncIterable<Uint8Array> {
  readonly contentType: string;
  readonly size: number | undefined;
  readonly #blocks: AsyncIterable<Uint8Array>;
  readonly #read: Uint8Array[] = [];
  #source: AsyncIterator<Uint8Array> | undefined;

  constructor(blocks: AsyncIterable<Uint8Array> & { readonly contentType?: unknown; readonly size?: unknown }) {
    this.#blocks = blocks;
    this.contentType = typeof blocks.contentType === 'string' ? blocks.contentType : '';
    this.size = typeof blocks.size === 'number' ? blocks.size : undefined;
  }

  /** The end of a reader does not end the source. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; ; at++) {
      if (at === this.#read.length) {
        this.#source ??= this.#blocks[Symbol.asyncIterator]();
        const { value, done } = await this.#source.next();
        if (done) return;
        this.#read.push(value);
      }
      yield this.#read[at] as Uint8Array;
    }
  }

  async close(): Promise<void> {
    await this.#source?.return?.();
  }
}
