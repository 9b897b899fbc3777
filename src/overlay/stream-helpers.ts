import type { ChatChunk } from '../generated/types.ts';
import type { AnthropicStreamEvent } from './protocols.ts';

/** The answer's text as it comes, of either surface: of a chat stream the first choice, without reasoning. */
export async function* textDeltas(stream: AsyncIterable<ChatChunk> | AsyncIterable<AnthropicStreamEvent>): AsyncGenerator<string, void, undefined> {
  for await (const item of stream) {
    const text = 'data' in item ? eventText(item) : chunkText(item);
    if (text !== '') yield text;
  }
}

function eventText({ type, data }: AnthropicStreamEvent): string {
  return type === 'content_block_delta' && data.delta.type === 'text_delta' ? data.delta.text : '';
}

function chunkText(chunk: ChatChunk): string {
  const choice = chunk.choices?.find((one) => (one.index ?? 0) === 0);
  return contentText(choice?.delta?.content);
}

/** The text of a message's `content`, which is a string, or on some vision models a list of parts. */
export function contentText(content: string | null | undefined | readonly { readonly text?: string | undefined }[]): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

/** A stream as a web ReadableStream of its items. It reads ahead no further than it is asked; cancelling it closes the socket. */
export function toReadableStream<T>(stream: AsyncIterable<T>): ReadableStream<T> {
  const iterator = stream[Symbol.asyncIterator]();
  return new ReadableStream<T>(
    {
      async pull(controller) {
        const { value, done } = await iterator.next();
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
