import type { AnthropicMessageResponse } from '../generated/types.ts';

/** A message with its accessors; they are not enumerable, so JSON shows the wire body. */
export type AnthropicReply = AnthropicMessageResponse & {
  /** The text blocks joined, without reasoning. */
  text(): string;
  /** The thinking blocks joined; where the endpoint gives `reasoning_content` instead, that. */
  thinking(): string;
};

export function withAccessors(message: AnthropicMessageResponse): AnthropicReply {
  Object.defineProperties(message, {
    text: { value: () => joined(message, 'text'), enumerable: false },
    thinking: { value: () => joined(message, 'thinking') || (message.reasoning_content ?? ''), enumerable: false },
  });
  return message as AnthropicReply;
}

function joined(message: AnthropicMessageResponse, field: 'text' | 'thinking'): string {
  // A reply without content is the service's slip, not a reason to throw in an accessor.
  return (message.content ?? []).map((block) => (block.type === field ? (block[field] ?? '') : '')).join('');
}
