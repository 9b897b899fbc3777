import type { AnthropicMessage, AnthropicMessageResponse, ChatResponse, ResponsesInputItem, ResponsesResponse } from '../../generated/types.ts';
import type { FinishError } from '../errors/answer-errors.ts';
import { validationError } from '../errors/problem.ts';
import { asked, fieldsOf, isFields, isThenable } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import type { JudgedAnswer, ReplyAnswer } from './answer.ts';
import { ChatAnswer } from './chat/answer.ts';
import type { Message } from './chat/request.ts';
import { contradiction, endingError, leakedCall } from './finish.ts';
import { MessageAnswer } from './messages/answer.ts';
import { ResponsesAnswer } from './responses/answer.ts';

/**
 * The answer of a reply of any surface, in one form: text, thought, calls with their arguments as read, and a `history` that can be sent back.
 * Use it for a tool loop of your own: a model can write arguments that the service refuses to take back, and `history` has them repaired.
 *
 * @example
 * ```ts
 * const messages = [{ role: 'user', content: 'What is the weather in Metz?' }];
 * const parameters = { type: 'object', properties: { city: { type: 'string' } } };
 * const tools = [newFunctionTool('weather', 'The weather in a city', parameters)];
 * const { calls, history } = answerOf(await c.chat().create({ model: 'glm-5.3', effort: 'low', messages, tools }));
 * const results = calls.map(({ id, arguments: text }) => ({ role: 'tool', tool_call_id: id, content: `Rain: ${text}` }));
 * await c.chat().create({ model: 'glm-5.3', effort: 'low', messages: [...messages, ...history, ...results], tools });
 * ```
 */
export function answerOf(reply: ChatResponse): JudgedAnswer<Message>;
export function answerOf(reply: AnthropicMessageResponse): JudgedAnswer<AnthropicMessage>;
export function answerOf(reply: ResponsesResponse): JudgedAnswer<ResponsesInputItem>;
export function answerOf(reply: ChatResponse | AnthropicMessageResponse | ResponsesResponse): JudgedAnswer;
export function answerOf(reply: object): JudgedAnswer {
  if (!isFields(reply))
    throw validationError('answerOf', new Problem('the reply', isThenable(reply) ? 'is a Promise: await it' : 'must be a response of the client'));
  const answer = readerOf(reply);
  const ending = (): FinishError | undefined => endingError(reply as never);
  // Not properties of the reader, so that a page for one surface does not load them.
  return Object.defineProperties(answer, { ending: { get: ending }, problem: { get: () => problemOf(answer, reply) } }) as JudgedAnswer &
    typeof answer;
}

function readerOf(reply: object): ReplyAnswer<object, object> {
  const { choices, output } = fieldsOf(reply);
  if (choices !== undefined) return new ChatAnswer(reply as never);
  return output === undefined ? new MessageAnswer(reply as never) : new ResponsesAnswer(reply as never);
}

function problemOf(answer: ReplyAnswer<object, object>, reply: object): FinishError | undefined {
  const ended = endingError(reply as never);
  const reason = ended ? undefined : answer.contradiction();
  return ended ?? (reason && contradiction(reason)) ?? leakedCall(reply, answer.surface);
}

/**
 * An error for an answer that is incomplete or contradicts itself, to throw or to show. Undefined for a natural end, a stop sequence or a tool
 * call. The client never throws it, because such an answer may be sufficient.
 *
 * The reason `leaked_tool_call` is for an answer with a tool call as text, in the notation of the model: the service did not read it, so no tool
 * runs. It is not repaired. `missing_tool_call` and `no_answer` are for a finish reason without its call or text.
 */
export function finishError(reply: ChatResponse | AnthropicMessageResponse | ResponsesResponse): FinishError | undefined;
export function finishError(caught: unknown): FinishError | undefined;
export function finishError(reply: unknown): FinishError | undefined {
  return asked(() => (isFields(reply) ? problemOf(readerOf(reply), reply) : undefined));
}
