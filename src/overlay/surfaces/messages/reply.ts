import type { AnthropicMessageResponse } from '../../../generated/types.ts';
import { fieldsOf, isFields, listOf, textOf } from '../../json/json-value.ts';

/** A message with accessors. They are not enumerable, so `JSON.stringify` returns the wire body. */
export type AnthropicReply = AnthropicMessageResponse & {
  /** The text blocks joined, without reasoning. */
  text(): string;
  /** The thinking blocks joined, or `reasoning_content` if the endpoint returns that instead. */
  thinking(): string;
};

/** Adds the accessors, and gives each tool call without input an empty object. */
export function withAccessors(message: AnthropicMessageResponse): AnthropicReply {
  for (const block of listOf(message.content)) if (isFields(block) && block['type'] === 'tool_use') mendInput(block);
  Object.defineProperties(message, {
    text: { value: () => blockText(message, 'text'), enumerable: false },
    thinking: { value: () => blockText(message, 'thinking') || textOf(message.reasoning_content), enumerable: false },
  });
  return message as AnthropicReply;
}

function mendInput(block: { input?: unknown }): void {
  const { input } = block;
  if (input === undefined || input === null || (typeof input === 'string' && input.trim() === '')) block.input = {};
}

/** The text of all blocks of one kind, joined. */
export function blockText(message: unknown, field: 'text' | 'thinking'): string {
  const blocks = listOf(fieldsOf(message)['content']).map(fieldsOf);
  return blocks.map((block) => (block['type'] === field ? textOf(block[field]) : '')).join('');
}
