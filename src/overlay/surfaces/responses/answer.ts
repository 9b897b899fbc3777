import type { ResponsesInputItem, ResponsesResponse } from '../../../generated/types.ts';
import { argumentsText, fieldsOf, labelOf, textOf, wholeArguments } from '../../json/json-value.ts';
import { AnswerCall, type Contradiction, generatedId, type NextStep, objectsIn, type Readings, ReplyAnswer } from '../answer.ts';
import { endingError } from '../finish.ts';
import { itemText } from './reply.ts';

/** The answer of a response. `round` is part of generated ids. */
export class ResponsesAnswer extends ReplyAnswer<ResponsesResponse, ResponsesInputItem> {
  get surface(): 'responses' {
    return 'responses';
  }

  protected read(round: number): Readings<ResponsesInputItem> {
    return readItems(objectsIn<ResponsesInputItem>(this.reply.output), round);
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

  /** Items of other kinds, such as those of server tools, are an answer. */
  contradiction(): Contradiction | undefined {
    const items = objectsIn(this.reply.output);
    const isSilent = items.every(({ type }) => type === 'message' || type === 'reasoning') && this.text.trim() === '';
    return isSilent && this.reason === 'completed' ? 'no_answer' : undefined;
  }
}

function readItems(received: readonly ResponsesInputItem[], round: number): Readings<ResponsesInputItem> {
  const calls: AnswerCall[] = [];
  const history = received.map((item, index) => {
    if (item.type !== 'function_call') return item;
    const { call_id: id, name, arguments: text } = fieldsOf(item);
    const call = new AnswerCall(labelOf(id) || generatedId(round, index), textOf(name), wholeArguments(argumentsText(text)));
    calls.push(call);
    return sendable(item, call);
  });
  return { calls, history };
}

/** The item to send back: the received object, unless it lacks a field that the service requires, or its arguments are not JSON. */
function sendable(item: ResponsesInputItem, { id, name, sent }: AnswerCall): ResponsesInputItem {
  const given = fieldsOf(item);
  return given['call_id'] === id && given['name'] === name && given['arguments'] === sent ? item : { ...item, call_id: id, name, arguments: sent };
}
