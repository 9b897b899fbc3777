import type { ChatResponse, ToolCall } from '../../../generated/types.ts';
import { argumentsText, type Fields, fieldsOf, isFields, isObject, listOf, textOf, wholeArguments } from '../../json/json-value.ts';
import { AnswerCall, type CallLabels, type Contradiction, type NextStep, objectsIn, type Readings, ReplyAnswer } from '../answer.ts';
import { isBlankPart, noText } from '../blank-text.ts';
import { FinishReasonStop, FinishReasonToolCalls } from '../constants.ts';
import type { Message } from './request.ts';

/** Finish reasons after which tools run; the empty one is a missing reason. Any other reason ends the loop, because a truncated answer may contain an incomplete call. */
const runs: ReadonlySet<string> = new Set([FinishReasonToolCalls, '']);

/** The answer of a chat response. */
export class ChatAnswer extends ReplyAnswer<ChatResponse, Message> {
  get surface(): 'chat' {
    return 'chat';
  }

  readonly #choice: Fields;

  constructor(reply: ChatResponse, round?: number, declared?: ReadonlySet<string>) {
    super(reply, round, declared);
    const choices = objectsIn(reply.choices);
    this.#choice = fieldsOf(choices.find(({ index }) => (index ?? 0) === 0) ?? choices[0]);
  }

  get #message(): Fields | undefined {
    const { message } = this.#choice;
    return isFields(message) ? message : undefined;
  }

  protected read(labels: CallLabels): Readings<Message> {
    return this.#message ? readMessage(this.#message, labels) : { calls: [], history: [] };
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
    if (this.#message && hasContent(this.#message)) return undefined;
    if (this.reason === FinishReasonToolCalls) return 'missing_tool_call';
    return this.reason === FinishReasonStop ? 'no_answer' : undefined;
  }
}

/** True for a message with a text, a call or another kind of content, for instance audio. */
function hasContent({ content, tool_calls: calls, audio }: Fields): boolean {
  return isObject(audio) || objectsIn(calls).length > 0 || textOf(content).trim() !== '' || !objectsIn(content).every(isBlankPart);
}

/** The calls of a message, and the message to send back: the received object, unless the service would refuse it. */
function readMessage(message: Fields, labels: CallLabels): Readings<Message> {
  const calls: AnswerCall[] = [];
  const received = listOf(message['tool_calls']);
  const sent = objectsIn<ToolCall>(received).map((call, index) => {
    if (!isOurs(call)) return call;
    const { name, arguments: text } = fieldsOf(call.function);
    const read = new AnswerCall(labels.id(call.id, index), textOf(name), wholeArguments(argumentsText(text)));
    calls.push(read);
    return sendable(call, read, labels.sentName(read.name));
  });
  const { role, content: parts, tool_calls: _received, ...rest } = message;
  const content = hasContent(message) ? sendableContent(parts) : noText;
  const isWhole =
    textOf(role) !== '' && content === parts && sent.length === received.length && sent.every((call, index) => call === received[index]);
  const own = { role: textOf(role) || 'assistant', ...(content !== undefined && { content }), ...(sent.length > 0 && { tool_calls: sent }) };
  return { calls, history: [(isWhole ? message : { ...rest, ...own }) as unknown as Message] };
}

function isOurs(call: ToolCall): boolean {
  return (call.type || 'function') === 'function' || isFields(call.function);
}

/** A blank text stays together with calls; together with other parts it is left out. */
function sendableContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  const parts = objectsIn(content);
  const told = parts.filter((part) => !isBlankPart(part));
  return told.length === content.length ? content : told.length > 0 ? told : parts;
}

/** The call to send back: the received object, unless the service would refuse it. */
function sendable(call: ToolCall, { id, sent }: AnswerCall, name: string): ToolCall {
  const called = fieldsOf(call.function);
  const isWhole = call.id === id && textOf(call.type) !== '' && called['name'] === name && called['arguments'] === sent;
  return isWhole ? call : { ...call, id, type: textOf(call.type) || 'function', function: { ...called, name, arguments: sent } };
}

/** The text of a message's `content`, which is a string, or for some vision models a list of parts. */
export function contentText(content: string | null | undefined | readonly { readonly text?: string | undefined }[]): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .map((part) => textOf(part['text']))
    .join('');
}
