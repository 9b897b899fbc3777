import type { ChatChunk, ChatResponse, ResponsesStreamEvent } from '../../generated/types.ts';
import { responseInfo } from '../call/reply/response-info.ts';
import { StreamError } from '../errors/errors.ts';
import { iterationOf } from '../json/iteration.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import type { AnthropicReply } from '../surfaces/messages/reply.ts';
import type { ResponsesReply } from '../surfaces/responses/reply.ts';
import { assemblerOf } from './assembler-of.ts';
import { type Assembler, checkOneResponse, informed, withPartial } from './collect.ts';
import { itemsOf } from './items.ts';

/** A position in the stream. The loop and `response()` follow one linked list of steps, so each item is read once and both get it. */
interface StreamStep<Item> {
  next?: StreamStep<Item> & { readonly result: Promise<IteratorResult<Item, undefined>> };
}

/** A stream that also has the complete response; see `collecting`. */
export class CollectingStream<Item, Response extends object> implements AsyncIterableIterator<Item, undefined> {
  readonly #operation: string;
  readonly #source: AsyncIterator<Item, unknown>;
  #step: StreamStep<Item> = {};
  #assembler: Assembler<Item, Response> | undefined;
  #response: Promise<Response> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #iterated = false;
  #left = false;
  #complete = false;

  /** @internal Use `collecting` instead. */
  constructor(stream: AsyncIterable<Item>, operation: string = 'collecting') {
    this.#operation = operation;
    this.#source = itemsOf(operation, stream).source;
  }

  [Symbol.asyncIterator](): this {
    if (this.#iterated) throw this.#error('used', 'a stream can be iterated only once');
    this.#iterated = true;
    return this;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    if (this.#left) return Promise.resolve({ value: undefined, done: true });
    const step = this.#after(this.#step);
    this.#step = step;
    return step.result;
  }

  /** Leaves the stream and closes the socket. `response()` then rejects, unless the stream had ended. */
  async return(value?: PromiseLike<undefined> | undefined): Promise<IteratorResult<Item, undefined>> {
    this.#left = true;
    await this.#source.return?.();
    return { value: await value, done: true };
  }

  async throw(error: unknown): Promise<IteratorResult<Item, undefined>> {
    await this.return();
    throw error;
  }

  /**
   * Reads the rest of the stream and returns the response that `create` would return. Call it before, during or after the loop, as often as
   * you need. Items it reads before the loop are kept for the loop.
   *
   * Rejects with the error of the stream. Rejects with a StreamError if the loop was left, or if a tool call is malformed. The error's
   * `partial` is the response so far.
   */
  response(): Promise<Response> {
    this.#response ??= this.#collect();
    // Not an unhandled rejection: the caller may handle the same error in the loop only.
    this.#response.catch(() => undefined);
    return this.#response;
  }

  #after(step: StreamStep<Item>): NonNullable<StreamStep<Item>['next']> {
    step.next ??= { result: this.#read() };
    return step.next;
  }

  async #read(): Promise<IteratorResult<Item, undefined>> {
    try {
      const { value, done } = iterationOf(await this.#source.next(), `${this.#operation}: stream`);
      if (!done) {
        this.#add(value as Item);
        return { value: value as Item, done: false };
      }
      this.#complete ||= !this.#left;
      return { value: undefined, done };
    } catch (error) {
      this.#fail(error);
      throw error;
    } finally {
      informed(this, this.#source);
    }
  }

  /** An item that cannot be added fails `response()`, not the loop. */
  #add(item: Item): void {
    if (this.#failure) return;
    try {
      this.#assembler ??= assemblerOf(item) as never as Assembler<Item, Response>;
      this.#assembler.add(item);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error: withPartial(error, this.#assembler, this.#source) };
  }

  async #collect(): Promise<Response> {
    let step = this.#step;
    while (!this.#left) {
      const next = this.#after(step);
      if ((await next.result).done) break;
      step = next;
    }
    try {
      if (this.#failure) throw this.#failure.error;
      if (!this.#complete) throw this.#error('truncated', 'the stream was left before its end; partial has the response so far');
      if (!this.#assembler) throw this.#error('truncated', 'the stream has no items');
      return informed(this.#assembler.assembled(), this);
    } catch (error) {
      throw withPartial(error, this.#assembler, this);
    }
  }

  #error(problem: StreamError['problem'], text: string): StreamError {
    return new StreamError(this.#operation, problem, text, responseInfo(this)?.requestId);
  }
}

/**
 * Print a response while it streams, then use the complete response. The items pass through unchanged. `response()` returns the response that
 * `create` would return, with tool calls, finish reason and usage, on every surface.
 *
 * Use the result like the stream itself, also in `textDeltas`, `toReadableStream` and `responseInfo`. An error that ends the stream, a
 * StreamError, an ApiError or an AbortError for instance, has the response so far as `partial`.
 *
 * If you only need the response, `collect` needs less memory. A stream of `streamWithTools` is refused: its result
 * is `toolRun(stream)`.
 *
 * @example
 * const stream = collecting(c.chat().stream({ model: 'glm-5.3', effort: 'low', messages }));
 * for await (const text of textDeltas(stream)) process.stdout.write(text);
 * const { usage } = await stream.response();
 */
export function collecting(stream: AsyncIterable<ChatChunk>): CollectingStream<ChatChunk, ChatResponse>;
export function collecting(stream: AsyncIterable<AnthropicStreamEvent>): CollectingStream<AnthropicStreamEvent, AnthropicReply>;
export function collecting(stream: AsyncIterable<ResponsesStreamEvent>): CollectingStream<ResponsesStreamEvent, ResponsesReply>;
export function collecting<Item, Response extends object>(stream: AsyncIterable<Item>): CollectingStream<Item, Response> {
  checkOneResponse('collecting', stream);
  return new CollectingStream(stream);
}

/**
 * Read a stream to its end and return the response that `create` would return, on every surface: with tool calls, reasoning and usage, and `text()` on
 * messages and Responses. Check `finishError(response)` before you use it, because a stream can end early without an error.
 *
 * A tool call that the token limit cut off keeps the part of its arguments that arrived. Unknown fields of chat are kept: in `delta`, strings are
 * appended, lists are joined and objects are merged. Throws a StreamError if the stream has no items, or the arguments of a complete call on messages
 * are not JSON. An error that ends the stream has the response so far as `partial`.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'Write a haiku about rain.' }];
 * const response = await collect(c.chat().stream({ model: 'glm-5.3', effort: 'low', messages }));
 * console.log(response.choices[0]?.message.content, response.usage?.total_tokens);
 * ```
 */
export function collect(stream: AsyncIterable<ChatChunk>): Promise<ChatResponse>;
export function collect(stream: AsyncIterable<AnthropicStreamEvent>): Promise<AnthropicReply>;
export function collect(stream: AsyncIterable<ResponsesStreamEvent>): Promise<ResponsesReply>;
export async function collect<Item, Response extends object>(stream: AsyncIterable<Item>): Promise<Response> {
  checkOneResponse('collect', stream);
  let assembler: Assembler<Item, Response> | undefined;
  try {
    for await (const item of itemsOf('collect', stream)) {
      assembler ??= assemblerOf(item) as Assembler<never, object> as Assembler<Item, Response>;
      assembler.add(item);
    }
    if (!assembler) throw new StreamError('collect', 'truncated', 'the stream has no items', responseInfo(stream)?.requestId);
    return informed(assembler.assembled(), stream);
  } catch (error) {
    throw withPartial(error, assembler, stream);
  }
}
