import type { ChatChunk, ChatResponse, ChatResponseMessage, ToolCall } from '../../generated/types.ts';
import { argumentsText, fieldsOf, isFields, labelOf, listOf, textOf } from '../errors/json-value.ts';
import { ChatAccumulator } from '../streams/chat-accumulator.ts';
import type { ChatRequest, Message } from '../surfaces/chat/request.ts';
import { FinishReasonToolCalls } from '../surfaces/constants.ts';
import type { NextStep, RequestedCall, ToolSurface } from './surface.ts';
import { chatTool } from './typed-tool.ts';

export type ChatToolSurface = ToolSurface<ChatRequest, ChatResponse, ChatChunk, Message>;

/** The chat surface for the tool loop. The caller supplies the methods that send requests. */
export function chatSurface(calls: Pick<ChatToolSurface, 'create' | 'stream' | 'settings'>): ChatToolSurface {
  return {
    ...calls,
    collect: () => new ChatAccumulator(),
    name: 'chat',
    conversation: 'messages',
    messagesOf: (request) => request.messages,
    toolsOf: (request) => request.tools ?? [],
    declared: (request) =>
      (request.tools ?? []).flatMap((tool, index) =>
        tool?.function?.name === undefined ? [] : [{ name: tool.function.name, path: `tools[${index}].function`, schema: tool.function.parameters }],
      ),
    declare: chatTool,
    next: (request, messages, tools, freeChoice) => {
      const { stream: _stream, tool_choice: choice, ...rest } = request as ChatRequest & { stream?: boolean };
      const keep = choice !== undefined && (!freeChoice || choice === 'auto' || choice === 'none');
      return { ...rest, messages: [...messages], tools: [...tools] as NonNullable<ChatRequest['tools']>, ...(keep ? { tool_choice: choice } : {}) };
    },
    read,
    results: (answered) => answered.map(({ id, text }): Message => ({ role: 'tool', tool_call_id: id, content: text })),
    usage: (response) => response.usage,
  };
}

/** Finish reasons after which tools run; the empty one is a missing reason. Any other reason ends the loop, because a truncated answer may contain an incomplete call. */
const runs: ReadonlySet<string> = new Set([FinishReasonToolCalls, '']);

function read(response: ChatResponse, round: number): NextStep<Message> {
  const choice = fieldsOf(listOf(response.choices)[0]);
  if (!isFields(choice['message'])) return { next: 'stop', messages: [], calls: [] };
  const { message, positions } = sendable(choice['message'] as unknown as ChatResponseMessage, round);
  const calls = positions.map((at): RequestedCall => {
    const call = message.tool_calls?.[at];
    return { id: call?.id ?? '', name: call?.function?.name ?? '', arguments: call?.function?.arguments ?? '' };
  });
  const asked = calls.length > 0 && runs.has((choice['finish_reason'] ?? '') as string);
  return { next: asked ? 'run' : 'stop', messages: [message as Message], calls };
}

/**
 * The message to send back, and the positions of the function calls in it. The message is the received object, unless a call lacks a field
 * that the service requires. Calls of other kinds have already run at the service.
 */
function sendable(message: ChatResponseMessage, round: number): { readonly message: ChatResponseMessage; readonly positions: readonly number[] } {
  const received = Array.isArray(message.tool_calls) ? message.tool_calls : [];
  const calls = received.map((call, index) => (isOurs(call) ? complete(call, `call_${round}_${index + 1}`) : call));
  const whole = typeof message.role === 'string' && message.role !== '' && calls.every((call, index) => call === received[index]);
  const positions = [...calls.keys()].filter((index) => isOurs(calls[index]));
  const mended = { ...message, role: textOf(message.role) || 'assistant', ...(calls.length > 0 ? { tool_calls: calls } : {}) };
  return { message: whole ? message : mended, positions };
}

function isOurs(call: ToolCall | undefined): call is ToolCall {
  return isFields(call) && ((call['type'] || 'function') === 'function' || isFields(call['function']));
}

function complete(call: ToolCall, id: string): ToolCall {
  const called = fieldsOf(call.function);
  const text = called['arguments'];
  const fine = typeof call.id === 'string' && call.id !== '' && typeof call.type === 'string' && call.type !== '';
  if (fine && typeof called['name'] === 'string' && typeof text === 'string') return call;
  const whole = { ...called, name: textOf(called['name']), arguments: argumentsText(text) };
  return { ...call, id: labelOf(call.id) || id, type: textOf(call.type) || 'function', function: whole };
}
