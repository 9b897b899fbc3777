import type { AnthropicContentBlock, AnthropicMessage, AnthropicMessageBody } from '../../generated/types.ts';
import { argumentsText, fieldsOf, isFields, labelOf, listOf, textOf } from '../errors/json-value.ts';
import { MessageAccumulator } from '../streams/messages-accumulator.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import type { AnthropicReply } from '../surfaces/messages/reply.ts';
import type { NextStep, RequestedCall, ToolSurface } from './surface.ts';
import { anthropicTool } from './typed-tool.ts';

type Request = Omit<AnthropicMessageBody, 'stream'>;
export type MessageToolSurface = ToolSurface<Request, AnthropicReply, AnthropicStreamEvent, AnthropicMessage>;

/** The message surface for the tool loop. The caller supplies the methods that send requests. */
export function messageSurface(calls: Pick<MessageToolSurface, 'create' | 'stream' | 'settings'>): MessageToolSurface {
  return {
    ...calls,
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
    declare: anthropicTool,
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
    read,
    results: (answered) => {
      const content = answered.map(({ id, text, isError }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: text,
        ...(isError && { is_error: true }),
      }));
      return [{ role: 'user', content }];
    },
    usage: (response) => response.usage,
  };
}

function unforced(choice: Request['tool_choice']): Request['tool_choice'] {
  if (choice?.type !== 'any' && choice?.type !== 'tool') return choice;
  return choice.disable_parallel_tool_use === undefined ? undefined : { type: 'auto', disable_parallel_tool_use: choice.disable_parallel_tool_use };
}

/** Stop reasons after which tools run; the empty one is a missing reason. Any other reason ends the loop, because a truncated answer may contain an incomplete call. */
const runs: ReadonlySet<string> = new Set(['tool_use', 'pause_turn', '']);

function read(reply: AnthropicReply, round: number): NextStep<AnthropicMessage> {
  const received = (listOf(reply.content) as AnthropicContentBlock[]).filter(isFields);
  if (received.length === 0) return { next: 'stop', messages: [], calls: [] };
  const content = received.map((block, index) => (block.type === 'tool_use' ? complete(block, `call_${round}_${index + 1}`) : block));
  const same = content.every((block, index) => block === received[index]);
  const calls = content.flatMap((block, index): RequestedCall[] =>
    block.type === 'tool_use' ? [{ id: textOf(block.id), name: textOf(block.name), arguments: argumentsText(received[index]?.input ?? {}) }] : [],
  );
  const reason = textOf(reply.stop_reason);
  const message = { role: 'assistant', content: same ? received : content };
  if (calls.length > 0 && runs.has(reason)) return { next: 'run', messages: [message], calls };
  // The service paused a long turn. It continues when it receives its message back.
  return { next: reason === 'pause_turn' ? 'continue' : 'stop', messages: [message], calls };
}

/** The block to send back: the received object, unless it lacks a field that the service requires. */
function complete(block: AnthropicContentBlock, id: string): AnthropicContentBlock {
  const isWhole = typeof block.id === 'string' && block.id !== '' && typeof block.name === 'string';
  if (isWhole && isFields(block.input)) return block;
  return {
    ...block,
    id: labelOf(block.id) || id,
    name: textOf(block.name),
    input: fieldsOf(block.input),
  };
}
