import type { AnthropicContentBlock, AnthropicMessage, AnthropicMessageResponse } from '../../../generated/types.ts';
import { argumentsText, fieldsOf, isFields, labelOf, textOf } from '../../json/json-value.ts';
import { AnswerCall, type Contradiction, generatedId, type NextStep, objectsIn, type Readings, ReplyAnswer } from '../answer.ts';
import { inputText } from './input-text.ts';
import { blockText } from './reply.ts';

/** Stop reasons after which tools run; the empty one is a missing reason. Any other reason ends the loop, because a truncated answer may contain an incomplete call. */
const runs: ReadonlySet<string> = new Set(['tool_use', 'pause_turn', '']);

/** The answer of a message. `round` is part of generated ids. */
export class MessageAnswer extends ReplyAnswer<AnthropicMessageResponse, AnthropicMessage> {
  get surface(): 'messages' {
    return 'messages';
  }

  protected read(round: number): Readings<AnthropicMessage> {
    return readBlocks(objectsIn<AnthropicContentBlock>(this.reply.content), round);
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

function readBlocks(received: readonly AnthropicContentBlock[], round: number): Readings<AnthropicMessage> {
  const calls: AnswerCall[] = [];
  const content = received.map((block, index) => {
    if (block.type !== 'tool_use') return block;
    const text = inputText(block.input) ?? argumentsText(block.input ?? {});
    const call = new AnswerCall(labelOf(block.id) || generatedId(round, index), textOf(block.name), text);
    calls.push(call);
    return sendable(block, call);
  });
  if (content.length === 0) return { calls, history: [] };
  const same = content.every((block, index) => block === received[index]);
  return { calls, history: [{ role: 'assistant', content: (same ? received : content) as AnthropicContentBlock[] }] };
}

/** The block to send back: the received object, unless it lacks a field that the service requires, or its input is no object or has lost digits. */
function sendable(block: AnthropicContentBlock, call: AnswerCall): AnthropicContentBlock {
  const { input } = block;
  const isWhole = isFields(input) && inputText(input) === undefined;
  if (isWhole && block.id === call.id && block.name === call.name) return block;
  return { ...block, id: call.id, name: call.name, input: isWhole ? input : fieldsOf(call.read?.value) };
}
