import type { ResponsesInputItem, ResponsesStreamEvent } from '../../generated/types.ts';
import { textOf } from '../json/json-value.ts';
import { ResponseAccumulator } from '../streams/responses-accumulator.ts';
import { ResponsesAnswer } from '../surfaces/responses/answer.ts';
import type { ResponsesReply } from '../surfaces/responses/reply.ts';
import type { ResponsesRequest } from '../surfaces/responses/request.ts';
import type { ToolSurface } from './surface.ts';

/** The Responses surface for the tool loop. */
export const responsesTools: ToolSurface<ResponsesRequest, ResponsesReply, ResponsesStreamEvent, ResponsesInputItem> = {
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
  declare: (tool) => tool.as('responses'),
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
  read: (response, round, declared) => new ResponsesAnswer(response, round, declared),
  results: (answered) => answered.map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
};

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
