import type { ResponsesInputItem, ResponsesStreamEvent } from '../../generated/types.ts';
import { argumentsText, fieldsOf, isFields, labelOf, listOf, textOf, wholeArguments } from '../errors/json-value.ts';
import { ResponseAccumulator } from '../streams/responses-accumulator.ts';
import { endingError } from '../surfaces/finish.ts';
import type { ResponsesReply } from '../surfaces/responses/reply.ts';
import type { ResponsesRequest } from '../surfaces/responses/request.ts';
import type { NextStep, RequestedCall, ToolSurface } from './surface.ts';
import { responsesTool } from './typed-tool.ts';

export type ResponsesToolSurface = ToolSurface<ResponsesRequest, ResponsesReply, ResponsesStreamEvent, ResponsesInputItem>;

/** The Responses surface for the tool loop. The caller supplies the methods that send requests. */
export function responsesSurface(calls: Pick<ResponsesToolSurface, 'create' | 'stream' | 'settings'>): ResponsesToolSurface {
  return {
    ...calls,
    collect: () => new ResponseAccumulator(),
    name: 'responses',
    conversation: 'input',
    messagesOf: ({ input }) => (typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input),
    toolsOf: (request) => request.tools ?? [],
    declared: (request) =>
      (request.tools ?? []).flatMap((tool, index) =>
        // Tools of other types run at the service.
        tool?.type === 'function' ? [{ name: tool.name ?? '', path: `tools[${index}]`, schema: tool.parameters }] : [],
      ),
    declare: responsesTool,
    next: (request, items, tools, freeChoice, last) => {
      const { stream: _stream, tool_choice: choice, ...rest } = request as ResponsesRequest & { stream?: boolean };
      const keep = choice !== undefined && (!freeChoice || choice === 'auto' || choice === 'none');
      return {
        ...rest,
        ...following(request, items, last),
        tools: [...tools] as NonNullable<ResponsesRequest['tools']>,
        ...(keep ? { tool_choice: choice } : {}),
      };
    },
    read,
    results: (answered) => answered.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
    usage: (response) => response.usage,
  };
}

/** A stored response is continued by its id, with the items that came after it. Otherwise the service needs every item again. */
function following(
  { store }: ResponsesRequest,
  items: readonly ResponsesInputItem[],
  last: ResponsesReply | undefined,
): Pick<ResponsesRequest, 'input' | 'previous_response_id'> {
  const id = store === true ? textOf(last?.id) : '';
  if (id === '') return { input: [...items] };
  const answered = items.findLastIndex((item) => item.type !== 'function_call_output');
  return { input: items.slice(answered + 1), previous_response_id: id };
}

function read(response: ResponsesReply, round: number): NextStep<ResponsesInputItem> {
  const received = (listOf(response.output) as ResponsesInputItem[]).filter(isFields);
  const messages = received.map((item, index) => (item.type === 'function_call' ? complete(item, `call_${round}_${index + 1}`) : item));
  const calls = messages.flatMap((item): RequestedCall[] =>
    item.type === 'function_call' ? [{ id: textOf(item.call_id), name: textOf(item.name), arguments: textOf(item.arguments) }] : [],
  );
  // The last call of an incomplete response may be cut off.
  const asked = calls.length > 0 && !endingError(response);
  return { next: asked ? 'run' : 'stop', messages, calls };
}

/** The item to send back: the received object, unless it lacks a field that the service requires. */
function complete(item: ResponsesInputItem, id: string): ResponsesInputItem {
  const { call_id: callId, name, arguments: text } = fieldsOf(item);
  const isWhole = typeof callId === 'string' && callId !== '' && typeof name === 'string' && typeof text === 'string' && text.trim() !== '';
  return isWhole ? item : { ...item, call_id: labelOf(callId) || id, name: textOf(name), arguments: wholeArguments(argumentsText(text)) };
}
