import type { ChatChunk, ResponsesStreamEvent } from '../../generated/types.ts';
import { Leavable } from '../concurrency/leaving.ts';
import { validated } from '../errors/problem.ts';
import { iterationOf } from '../json/iteration.ts';
import { checkFields } from '../json/known-fields.ts';
import { Problem } from '../json/problem.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import { AnswerEnding } from './answer-ending.ts';
import { AnswerPieces } from './answer-pieces.ts';
import { itemsOf, sourceOf } from './items.ts';

/** A stream of any surface. */
export type AnswerStream = AsyncIterable<ChatChunk> | AsyncIterable<AnthropicStreamEvent> | AsyncIterable<ResponsesStreamEvent>;

/**
 * The text of the answer in pieces as they arrive, for every surface. Reasoning is left out. Of a chat stream only the first choice is used.
 *
 * An answer that ended early, by the token limit or a content check for instance, throws the error that `finishError` returns for the
 * complete reply, after the last text. With `incomplete: 'return'` it ends like a whole one. Default: `'throw'`.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'Write a haiku about rain.' }];
 * const stream = c.chat().stream({ model: 'glm-5.3', effort: 'low', messages });
 * for await (const text of textDeltas(stream)) console.log(text);
 * ```
 */
export function textDeltas(
  stream: AnswerStream,
  options: { readonly incomplete?: 'throw' | 'return' | undefined } = {},
): AsyncGenerator<string, void, undefined> {
  const ending = validated('textDeltas', () => throwsEnding(options)) ? new AnswerEnding(stream) : undefined;
  const pieces = new AnswerPieces();
  const text = (item: unknown): string | undefined => {
    ending?.add(item);
    return pieces.add(item).text || undefined;
  };
  const atEnd = (): void => {
    const problem = ending?.problem;
    if (problem) throw problem;
  };
  return new Leavable('textDeltas: stream', () => sourceOf<unknown>('textDeltas', stream), text, atEnd);
}

function throwsEnding(options: { readonly incomplete?: 'throw' | 'return' | undefined }): boolean {
  checkFields(options, { incomplete: 1 }, 'options');
  const { incomplete = 'throw' } = options;
  if (incomplete !== 'throw' && incomplete !== 'return') throw new Problem('options.incomplete', "must be 'throw' or 'return'");
  return incomplete === 'throw';
}

/** An item of a stream, and what it adds to the text and the thought of the answer. */
export interface AnswerDelta<Item = unknown> {
  readonly item: Item;
  readonly text: string;
  readonly thought: string;
}

/**
 * Each item of a stream with the text and the thought that it adds to the answer. For every surface, to show both. Of a chat stream only
 * the first choice is used.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'Is 91 prime?' }];
 * const stream = c.chat().stream({ model: 'glm-5.3', effort: 'low', messages });
 * for await (const { text, thought } of answerDeltas(stream)) console.log(thought === '' ? text : `(${thought})`);
 * ```
 */
export function answerDeltas<Item>(stream: AsyncIterable<Item>): AsyncGenerator<AnswerDelta<Item>, void, undefined> {
  const pieces = new AnswerPieces();
  const added = (item: Item): AnswerDelta<Item> => ({ item, ...pieces.add(item) });
  return new Leavable('answerDeltas: stream', () => sourceOf<Item>('answerDeltas', stream), added);
}

/** A web ReadableStream of items. It is not a body of a Response, which takes bytes only: use `toSSE`, or pipe texts through a TextEncoderStream. */
export interface ItemStream<T> extends Omit<ReadableStream<T>, 'getReader' | 'tee'> {
  getReader(): ReadableStreamDefaultReader<T>;
  tee(): [ItemStream<T>, ItemStream<T>];
}

/** Converts a stream to a web ReadableStream of its items. It does not read ahead. Cancel it to close the socket. For bytes use `toSSE`. */
export function toReadableStream<T>(stream: AsyncIterable<T>): ItemStream<T> {
  const iterator = itemsOf('toReadableStream', stream).source;
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { value, done } = iterationOf(await iterator.next(), 'toReadableStream: stream');
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
