import type { AnthropicMessageResponse } from '../../generated/types.ts';
import { fieldsOf, listOf, textOf } from '../errors/json-value.ts';

/** A message with its accessors; they are not enumerable, so JSON shows the wire body. */
export type AnthropicReply = AnthropicMessageResponse & {
  /** The text blocks joined, without reasoning. */
  text(): string;
  /** The thinking blocks joined; where the endpoint gives `reasoning_content` instead, that. */
  thinking(): string;
};

export function withAccessors(message: AnthropicMessageResponse): AnthropicReply {
  Object.defineProperties(message, {
    text: { value: () => blockText(message, 'text'), enumerable: false },
    thinking: { value: () => blockText(message, 'thinking') || textOf(message.reasoning_content), enumerable: false },
  });
  return message as AnthropicReply;
}

/** The blocks of one kind joined. What is no block of text is left out. */
export function blockText(message: unknown, field: 'text' | 'thinking'): string {
  const blocks = listOf(fieldsOf(message)['content']).map(fieldsOf);
  return blocks.map((block) => (block['type'] === field ? textOf(block[field]) : '')).join('');
}
