import type { ResponsesInputItem, ResponsesResponse } from '../../../generated/types.ts';
import { argumentsText, fieldsOf, textOf, wholeArguments } from '../../json/json-value.ts';
import { AnswerCall, type CallLabels, type Contradiction, type NextStep, objectsIn, type Readings, ReplyAnswer } from '../answer.ts';
import { isBlankPart, noText } from '../blank-text.ts';
import { endingError } from '../finish.ts';
import { itemText } from './reply.ts';

/** The answer of a response. */
export class ResponsesAnswer extends ReplyAnswer<ResponsesResponse, ResponsesInputItem> {
  get surface(): 'responses' {
    return 'responses';
  }

  protected read(labels: CallLabels): Readings<ResponsesInputItem> {
    return readItems(objectsIn<ResponsesInputItem>(this.reply.output), labels);
  }

  get text(): string {
    return itemText(this.reply, 'message');
  }

  get thought(): string {
    return itemText(this.reply, 'reasoning');
  }

  protected get reason(): string {
    return this.reply.status === 'in_progress' ? '' : textOf(this.reply.status);
  }

  get step(): NextStep {
    // The last call of an incomplete response may be cut off.
    return this.calls.length > 0 && !endingError(this.reply) ? 'run' : 'stop';
  }

  /** Items of other kinds, such as server tools, are an answer. */
  contradiction(): Contradiction | undefined {
    const items = objectsIn(this.reply.output);
    const isSilent = items.every(({ type }) => type === 'message' || type === 'reasoning') && this.text.trim() === '';
    return isSilent && this.reason === 'completed' ? 'no_answer' : undefined;
  }
}

function readItems(received: readonly ResponsesInputItem[], labels: CallLabels): Readings<ResponsesInputItem> {
  const calls: AnswerCall[] = [];
  const items = received.map((item, index) => {
    if (item.type !== 'function_call') return item;
    const { call_id: id, name, arguments: text } = fieldsOf(item);
    const call = new AnswerCall(labels.id(id, index), textOf(name), wholeArguments(argumentsText(text)));
    calls.push(call);
    return sendable(item, call, labels.sentName(call.name));
  });
  const history = items.filter((item) => !isBlank(item));
  if (items.length > 0 && history.every(({ type }) => type === 'reasoning'))
    history.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: noText }] });
  return { calls, history };
}

/** True for a message without a part, or with blank texts alone. */
function isBlank({ type, content }: ResponsesInputItem): boolean {
  return type === 'message' && textOf(content).trim() === '' && objectsIn(content).every(isBlankPart);
}

/** The item to send back: the received object, unless the service would refuse it. */
function sendable(item: ResponsesInputItem, { id, sent }: AnswerCall, name: string): ResponsesInputItem {
  const given = fieldsOf(item);
  return given['call_id'] === id && given['name'] === name && given['arguments'] === sent ? item : { ...item, call_id: id, name, arguments: sent };
}
