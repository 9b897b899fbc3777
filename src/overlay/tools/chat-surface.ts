import type { ChatChunk, ChatResponse } from '../../generated/types.ts';
import { ChatAccumulator } from '../streams/chat-accumulator.ts';
import { ChatAnswer } from '../surfaces/chat/answer.ts';
import type { ChatRequest, Message } from '../surfaces/chat/request.ts';
import type { ToolSurface } from './surface.ts';

/** The chat surface for the tool loop. */
export const chatTools: ToolSurface<ChatRequest, ChatResponse, ChatChunk, Message> = {
  collect: () => new ChatAccumulator(),
  name: 'chat',
  conversation: 'messages',
  messagesOf: (request) => request.messages,
  toolsOf: (request) => request.tools ?? [],
  declared: (request) =>
    (request.tools ?? []).flatMap((tool, index) =>
      tool?.function?.name === undefined ? [] : [{ name: tool.function.name, path: `tools[${index}].function`, schema: tool.function.parameters }],
    ),
  declare: (tool) => tool.as('chat'),
  next: (request, messages, tools, freeChoice) => {
    const { stream: _stream, tool_choice: choice, ...rest } = request as ChatRequest & { stream?: boolean };
    const keep = choice !== undefined && (!freeChoice || choice === 'auto' || choice === 'none');
    return { ...rest, messages: [...messages], tools: [...tools] as NonNullable<ChatRequest['tools']>, ...(keep ? { tool_choice: choice } : {}) };
  },
  read: (response, round, declared) => new ChatAnswer(response, round, declared),
  results: (answered) => answered.map(({ id, text }): Message => ({ role: 'tool', tool_call_id: id, content: text })),
};
