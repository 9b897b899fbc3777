import type { ChatChunk, ChatResponse } from '../../generated/types.ts';
import { ChatAssembly } from './chat-assembly.ts';

/** Puts the chunks of a chat stream together to what `create` would have returned. Costs a few assignments a chunk. */
export class ChatAccumulator extends ChatAssembly {
  constructor() {
    super(false);
  }
}

/** Read a chat stream to its end, as the response that `create` returns: tool calls assembled, reasoning, usage and sources included. */
export async function collectChat(stream: AsyncIterable<ChatChunk>): Promise<ChatResponse> {
  const accumulator = new ChatAccumulator();
  for await (const chunk of stream) accumulator.add(chunk);
  return accumulator.response;
}
