import type { ChatChunk, ResponsesStreamEvent } from '../../generated/types.ts';
import { Leavable } from '../concurrency/leaving.ts';
import { iterationOf } from '../json/iteration.ts';
import { fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';
import { contentText } from '../surfaces/chat/answer.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import { itemsOf, sourceOf } from './items.ts';

/** A stream of any surface. */
export type AnswerStream = AsyncIterable<ChatChunk> | AsyncIterable<AnthropicStreamEvent> | AsyncIterable<ResponsesStreamEvent>;

/**
 * The text of the answer in pieces as they arrive, for every surface. Reasoning is left out. Of a chat stream only the first choice is used.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'Write a haiku about rain.' }];
 * const stream = c.chat().stream(undefined, { model: 'glm-5.3', messages });
 * for await (const text of textDeltas(stream)) console.log(text);
 * ```
 */
export function textDeltas(stream: AnswerStream): AsyncGenerator<string, void, undefined> {
  return new Leavable('textDeltas: stream', () => sourceOf<unknown>('textDeltas', stream), textIn);
}

function textIn(item: unknown): string | undefined {
  const { data, type, choices, delta } = fieldsOf(item);
  const text = type === 'response.output_text.delta' ? textOf(delta) : data === undefined ? chunkText(choices) : eventText(type, data);
  return text === '' ? undefined : text;
}

function eventText(type: unknown, data: unknown): string {
  if (type !== 'content_block_delta') return '';
  const delta = fieldsOf(fieldsOf(data)['delta']);
  return delta['type'] === 'text_delta' ? textOf(delta['text']) : '';
}

function chunkText(choices: unknown): string {
  const first = listOf(choices).find((one) => isFields(one) && (one['index'] ?? 0) === 0);
  return contentText(fieldsOf(fieldsOf(first)['delta'])['content'] as string | undefined);
}

/** A web ReadableStream of items. It is no body of a Response, which takes bytes only: use `toSSE`, or pipe texts through a TextEncoderStream. */
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
