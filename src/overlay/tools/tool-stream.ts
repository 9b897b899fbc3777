import { AbortError, StreamError } from '../errors/errors.ts';

/** One run as a stream sees it. */
export interface StreamedRun<Item> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** Stops whatever is under way: the model's stream or the tools. */
  leave(reason: AbortError): void;
}

/**
 * The chunks or events of all rounds of a tool loop, one after the other: `for await (const chunk of stream)`. Tools run between the rounds,
 * while no item comes; `onRound` marks the boundary. The request is taken as it is at the call; it is checked and sent when the first item is
 * asked for. After the end
 * `toolRun(stream)` has the last response whole, the transcript and the usage. Leaving the loop closes the socket and cancels the tools.
 */
export class ToolStream<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #operation: string;
  readonly #start: (stream: ToolStream<Item>) => StreamedRun<Item>;
  #run: StreamedRun<Item> | undefined;
  #left = false;
  #iterated = false;

  /** `start` is called when the first item is asked for. */
  constructor(operation: string, start: (stream: ToolStream<Item>) => StreamedRun<Item>) {
    this.#operation = operation;
    this.#start = start;
  }

  [Symbol.asyncIterator](): this {
    if (this.#iterated) throw new StreamError(this.#operation, 'used', 'a stream can be iterated only once');
    this.#iterated = true;
    return this;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#left) return { value: undefined, done: true };
    this.#run ??= this.#start(this);
    try {
      const result = await this.#run.items.next();
      return result.done ? { value: undefined, done: true } : result;
    } catch (error) {
      // Leaving is not a failure for whoever still waits for an item.
      if (this.#left) return { value: undefined, done: true };
      throw error;
    }
  }

  /** Leave the stream: frees the socket and cancels the tools at once. The value is ignored. */
  async return(value?: PromiseLike<undefined> | undefined): Promise<IteratorResult<Item, undefined>> {
    // Ignored but not unhandled: a rejection would end the process.
    Promise.resolve(value).catch(() => undefined);
    const left = this.#left;
    this.#left = true;
    if (!left && this.#run) {
      this.#run.leave(new AbortError(this.#operation, undefined));
      await this.#run.items.return().catch(() => {});
    }
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<Item, undefined>> {
    await this.return();
    throw error;
  }
}
