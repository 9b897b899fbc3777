import type { AnthropicMessage, AnthropicMessageBody } from '../../generated/types.ts';
import type { Without } from '../json/known-fields.ts';
import { MessageAccumulator } from '../streams/messages-accumulator.ts';
import { MessageAnswer } from '../surfaces/messages/answer.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import type { AnthropicReply } from '../surfaces/messages/reply.ts';
import type { ToolSurface } from './surface.ts';

type Request = Without<AnthropicMessageBody, 'stream'>;

/** The message surface for the tool loop. */
export const messageTools: ToolSurface<Request, AnthropicReply, AnthropicStreamEvent, AnthropicMessage> = {
  collect: () => new MessageAccumulator(),
  name: 'messages',
  conversation: 'messages',
  messagesOf: (request) => request.messages,
  toolsOf: (request) => request.tools ?? [],
  declared: (request) =>
    (request.tools ?? []).flatMap((tool, index) =>
      // Tools of other types run at the service.
      (tool?.type ?? 'custom') === 'custom' ? [{ name: tool?.name, path: `tools[${index}]`, schema: tool?.input_schema }] : [],
    ),
  declare: (tool) => tool.as('messages'),
  next: (request, messages, tools, freeChoice) => {
    const { stream: _stream, tool_choice: choice, ...rest } = request as AnthropicMessageBody;
    const kept = freeChoice ? unforced(choice) : choice;
    return {
      ...rest,
      messages: [...messages],
      tools: [...tools] as NonNullable<Request['tools']>,
      ...(kept === undefined ? {} : { tool_choice: kept }),
    };
  },
  read: (response, round, declared) => new MessageAnswer(response, round, declared),
  results: (answered) => {
    const content = answered.map(({ id, text, isError }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      ...(isError && { is_error: true }),
    }));
    return [{ role: 'user', content }];
  },
};

function unforced(choice: Request['tool_choice']): Request['tool_choice'] {
  if (choice?.type !== 'any' && choice?.type !== 'tool') return choice;
  return choice.disable_parallel_tool_use === undefined ? undefined : { type: 'auto', disable_parallel_tool_use: choice.disable_parallel_tool_use };
}
