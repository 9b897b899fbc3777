import type { AnthropicContentBlock, AnthropicMessage, AnthropicMessageResponse } from '../../../generated/types.ts';
import { argumentsText, fieldsOf, isFields, textOf } from '../../json/json-value.ts';
import { AnswerCall, type CallLabels, type Contradiction, type NextStep, objectsIn, type Readings, ReplyAnswer } from '../answer.ts';
import { isBlankPart, noText } from '../blank-text.ts';
import { inputText } from './input-text.ts';
import { blockText } from './reply.ts';

/** Stop reasons after which tools run; the empty one is a missing reason. Any other reason ends the loop, because a truncated answer may contain an incomplete call. */
const runs: ReadonlySet<string> = new Set(['tool_use', 'pause_turn', '']);

/** The answer of a message. */
export class MessageAnswer extends ReplyAnswer<AnthropicMessageResponse, AnthropicMessage> {
  get surface(): 'messages' {
    return 'messages';
  }

  protected read(labels: CallLabels): Readings<AnthropicMessage> {
    return readBlocks(objectsIn<AnthropicContentBlock>(this.reply.content), labels);
  }

  get text(): string {
    return blockText(this.reply, 'text');
  }

  get thought(): string {
    return blockText(this.reply, 'thinking') || textOf(this.reply.reasoning_content);
  }

  get step(): NextStep {
    if (this.calls.length > 0 && runs.has(this.reason)) return 'run';
    // The service paused a long turn. It continues when it receives its message back.
    return this.reason === 'pause_turn' && this.history.length > 0 ? 'continue' : 'stop';
  }

  protected get reason(): string {
    return textOf(this.reply.stop_reason);
  }

  /** An empty turn is legal: after the results of tools the model may end without a text. */
  contradiction(): Contradiction | undefined {
    return this.reason === 'tool_use' && this.calls.length === 0 && this.text.trim() === '' ? 'missing_tool_call' : undefined;
  }
}

function readBlocks(received: readonly AnthropicContentBlock[], labels: CallLabels): Readings<AnthropicMessage> {
  const calls: AnswerCall[] = [];
  const blocks = received.map((block, index) => {
    if (block.type !== 'tool_use') return block;
    const text = inputText(block.input) ?? argumentsText(block.input ?? {});
    const call = new AnswerCall(labels.id(block.id, index), textOf(block.name), text);
    calls.push(call);
    return sendable(block, call, labels.sentName(call.name));
  });
  if (blocks.length === 0) return { calls, history: [] };
  const content = blocks.filter((block) => !isBlankPart(block));
  if (content.every(({ type }) => textOf(type).endsWith('thinking'))) content.push({ type: 'text', text: noText });
  const same = content.length === received.length && content.every((block, index) => block === received[index]);
  return { calls, history: [{ role: 'assistant', content: (same ? received : content) as AnthropicContentBlock[] }] };
}

/** The block to send back: the received object, unless the service would refuse it, or its input has lost digits. */
function sendable(block: AnthropicContentBlock, call: AnswerCall, name: string): AnthropicContentBlock {
  const { input } = block;
  const isWhole = isFields(input) && inputText(input) === undefined;
  if (isWhole && block.id === call.id && block.name === name) return block;
  return { ...block, id: call.id, name, input: isWhole ? input : fieldsOf(call.read?.value) };
}
