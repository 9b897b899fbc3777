import { contextWithin, forgetDropped, startOperation, unwatchDropped, watchDropped, whenDropped } from '../call/operation.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { AbortError, StreamError } from '../errors/errors.ts';
import type { OperationHooks } from '../hooks/operation-hooks.ts';

/** One run of the tool loop with streamed items. */
export interface StreamedRun<Item> {
  readonly items: AsyncGenerator<Item, void, undefined>;
  /** Stops the model's stream or the running tools. */
  leave(reason: AbortError): void;
  /** Frees the signals of a run whose stream was dropped. Its call in flight ends by itself. Must not refer to the stream. */
  drop(): void;
}

/**
 * The chunks or events of all rounds of a tool loop: `for await (const chunk of stream)`. Tools run between the rounds; `onRound` marks the
 * boundary. The request is captured when the stream is created, and validated and sent when the first item is requested.
 *
 * After the end `toolRun(stream)` returns the last response, the transcript and the usage. Leaving the loop closes the socket and cancels the
 * tools.
 */
export class ToolStream<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #operation: string;
  readonly #start: (stream: ToolStream<Item>) => StreamedRun<Item>;
  readonly #hooks: OperationHooks | undefined;
  #run: StreamedRun<Item> | undefined;
  #left = false;
  #iterated = false;

  /** @internal `start` is called when the first item is requested. */
  constructor(settings: Settings, operation: string, ctx: CallContext, start: (stream: ToolStream<Item>, ctx: CallContext) => StreamedRun<Item>) {
    this.#operation = operation;
    const hooks = startOperation(settings, ctx, { kind: 'tools.run', operation, stream: true });
    this.#hooks = hooks;
    this.#start = (stream) => start(stream, contextWithin(hooks, ctx));
    watchDropped(this, hooks);
  }

  [Symbol.asyncIterator](): this {
    if (this.#iterated) throw new StreamError(this.#operation, 'used', 'a stream can be iterated only once');
    this.#iterated = true;
    return this;
  }

  async next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#left) return { value: undefined, done: true };
    try {
      this.#run ??= this.#started();
      const result = await this.#run.items.next();
      if (!result.done) return result;
      this.#forget();
      this.#hooks?.succeeded();
      return { value: undefined, done: true };
    } catch (error) {
      this.#forget();
      // A `next()` that is pending while the stream is left ends without an error.
      if (this.#left) return { value: undefined, done: true };
      this.#hooks?.failed(error);
      throw error;
    }
  }

  #started(): StreamedRun<Item> {
    const run = this.#start(this);
    whenDropped(this, run, run.drop);
    return run;
  }

  #forget(): void {
    unwatchDropped(this.#hooks);
    if (this.#run) forgetDropped(this.#run);
  }

  /** Leaves the stream: closes the socket and cancels the tools immediately. The value is ignored. */
  async return(value?: PromiseLike<undefined> | undefined): Promise<IteratorResult<Item, undefined>> {
    // A rejection of the ignored value must be handled, or it would end the process.
    Promise.resolve(value).catch(() => undefined);
    const left = this.#left;
    this.#left = true;
    this.#forget();
    if (!left && this.#run) {
      this.#run.leave(new AbortError(this.#operation, undefined));
      await this.#run.items.return().catch(() => {});
    }
    // Called last, so that hooks get the ends of the calls before the end of the run.
    this.#hooks?.succeeded({ complete: false });
    return { value: undefined, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<Item, undefined>> {
    await this.return();
    throw error;
  }
}
