import type { AnthropicReply } from '../anthropic-reply.ts';
import type { AnthropicStreamEvent } from '../protocols.ts';
import { MessageAssembly } from './message-assembly.ts';

/** Puts the events of a message stream together to what `create` would have returned. */
export class MessageAccumulator extends MessageAssembly {
  constructor() {
    super(false);
  }
}

/** Read a message stream to its end, as the reply that `create` returns, `text()` and `thinking()` included. */
export async function collectMessage(stream: AsyncIterable<AnthropicStreamEvent>): Promise<AnthropicReply> {
  const accumulator = new MessageAccumulator();
  for await (const event of stream) accumulator.add(event);
  return accumulator.message;
}
