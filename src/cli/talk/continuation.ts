// Conversations that go on after an answer that was stopped or has no text. The service takes user and assistant in turns, and no empty answer.
import type { WireMessage } from './question.ts';

/** A conversation with the next message of the user. At its end, an answer without text is left out, and two messages of the user become one. */
export function continued(before: readonly WireMessage[], next: WireMessage): readonly WireMessage[] {
  const kept = before.slice(0, before.findLastIndex((message) => roleOf(message) !== 'assistant' || hasText(message)) + 1);
  const last = kept.at(-1);
  if (last?.role !== 'user') return [...kept, next];
  return [...kept.slice(0, -1), { ...last, content: joined(last['content'], next['content']) }];
}

/** The conversation without calls of tools at its end that have no results. */
export function withoutOpenCalls(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.slice(0, messages.findLastIndex((message) => roleOf(message) !== 'assistant') + 1);
}

/** Items of Responses that are no messages have no role. */
function roleOf({ role, type }: WireMessage): string {
  return role ?? (type === 'function_call_output' ? 'tool' : 'assistant');
}

function hasText(message: WireMessage): boolean {
  const { tool_calls: calls } = message;
  return !(Array.isArray(calls) && calls.length > 0) && messageText(message).trim() !== '';
}

/** The text of a message of any surface, without reasoning and files. */
export function messageText({ content }: WireMessage): string {
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? (content as readonly Readonly<Record<string, unknown>>[]) : [];
  return blocks.flatMap(({ type, text }) => (/^(?:(?:in|out)put_)?text$/.test(String(type)) ? [String(text)] : [])).join('\n\n');
}

/** Both contents. Many users repeat a question that they have stopped, which is then sent once. */
function joined(first: unknown, second: unknown): unknown {
  if (JSON.stringify(first) === JSON.stringify(second)) return first;
  if (typeof first !== 'string' || typeof second !== 'string') {
    // The blocks of Responses are named by their direction.
    const blocks = [first, second].flat() as readonly { readonly type?: unknown }[];
    const type = blocks.some((block) => String(block.type).startsWith('input_')) ? 'input_text' : 'text';
    return [...blocksOf(first, type), ...blocksOf(second, type)];
  }
  return first.endsWith(`\n\n${second}`) ? first : `${first}\n\n${second}`;
}

function blocksOf(content: unknown, type: string): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type, text: content }];
}
