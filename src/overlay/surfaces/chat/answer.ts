import type { ChatResponse, ToolCall } from '../../../generated/types.ts';
import { argumentsText, type Fields, fieldsOf, isFields, isObject, labelOf, listOf, textOf, wholeArguments } from '../../json/json-value.ts';
import { AnswerCall, type Contradiction, generatedId, type NextStep, objectsIn, type Readings, ReplyAnswer } from '../answer.ts';
import { FinishReasonStop, FinishReasonToolCalls } from '../constants.ts';
import type { Message } from './request.ts';

/** Finish reasons after which tools run; the empty one is a missing reason. Any other reason ends the loop, because a truncated answer may contain an incomplete call. */
const runs: ReadonlySet<string> = new Set([FinishReasonToolCalls, '']);

/** The answer of a chat response. `round` is part of generated ids. */
export class ChatAnswer extends ReplyAnswer<ChatResponse, Message> {
  get surface(): 'chat' {
    return 'chat';
  }

  readonly #choice: Fields;

  constructor(reply: ChatResponse, round = 1) {
    super(reply, round);
    const choices = objectsIn(reply.choices);
    this.#choice = fieldsOf(choices.find(({ index }) => (index ?? 0) === 0) ?? choices[0]);
  }

  get #message(): Fields | undefined {
    const { message } = this.#choice;
    return isFields(message) ? message : undefined;
  }

  protected read(round: number): Readings<Message> {
    return this.#message ? readMessage(this.#message, round) : { calls: [], history: [] };
  }

  get text(): string {
    return contentText(this.#message?.['content'] as string | undefined);
  }

  get thought(): string {
    return textOf(this.#message?.['reasoning_content']);
  }

  get step(): NextStep {
    return this.calls.length > 0 && runs.has(this.reason) ? 'run' : 'stop';
  }

  protected get reason(): string {
    return textOf(this.#choice['finish_reason']);
  }

  contradiction(): Contradiction | undefined {
    const { content, tool_calls: calls, audio } = this.#message ?? {};
    // Another kind of content is an answer, for instance audio.
    if (isObject(audio) || (isObject(content) && objectsIn(content).length > 0) || this.text.trim() !== '' || objectsIn(calls).length > 0)
      return undefined;
    if (this.reason === FinishReasonToolCalls) return 'missing_tool_call';
    return this.reason === FinishReasonStop ? 'no_answer' : undefined;
  }
}

/** The calls of a message, and the message to send back: the received object, unless the service would refuse it. */
function readMessage(message: Fields, round: number): Readings<Message> {
  const calls: AnswerCall[] = [];
  const received = listOf(message['tool_calls']);
  const sent = objectsIn<ToolCall>(received).map((call, index) => {
    if (!isOurs(call)) return call;
    const read = callOf(call, generatedId(round, index));
    calls.push(read);
    return sendable(call, read);
  });
  const { role, content: parts, tool_calls: _received, ...rest } = message;
  const content = Array.isArray(parts) ? objectsIn(parts) : parts;
  const isWhole =
    textOf(role) !== '' && content === parts && sent.length === received.length && sent.every((call, index) => call === received[index]);
  const own = { role: textOf(role) || 'assistant', ...('content' in message && { content }), ...(sent.length > 0 && { tool_calls: sent }) };
  return { calls, history: [(isWhole ? message : { ...rest, ...own }) as unknown as Message] };
}

function isOurs(call: ToolCall): boolean {
  return (call.type || 'function') === 'function' || isFields(call.function);
}

function callOf(call: ToolCall, id: string): AnswerCall {
  const { name, arguments: text } = fieldsOf(call.function);
  return new AnswerCall(labelOf(call.id) || id, textOf(name), wholeArguments(argumentsText(text)));
}

/** The call to send back: the received object, unless it lacks a field that the service requires, or its arguments are not JSON. */
function sendable(call: ToolCall, read: AnswerCall): ToolCall {
  const called = fieldsOf(call.function);
  const isWhole = call.id === read.id && textOf(call.type) !== '' && called['name'] === read.name && called['arguments'] === read.sent;
  if (isWhole) return call;
  return { ...call, id: read.id, type: textOf(call.type) || 'function', function: { ...called, name: read.name, arguments: read.sent } };
}

/** The text of a message's `content`, which is a string, or for some vision models a list of parts. */
export function contentText(content: string | null | undefined | readonly { readonly text?: string | undefined }[]): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => textOf(part['text']))
    .join('');
}
