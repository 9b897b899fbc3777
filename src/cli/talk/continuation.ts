// Conversations that go on after an answer that was stopped or has no text. The service takes user and assistant in turns, and no empty answer.
import type { WireMessage } from './question.ts';

/**
 * A conversation with the next message of the user. At its end, calls without results and an answer without text are left out, and two messages of the
 * user become one.
 */
export function continued(before: readonly WireMessage[], next: WireMessage): readonly WireMessage[] {
  const closed = withoutOpenCalls(before);
  const last = before.slice(closed.length).filter(({ type }) => type !== 'function_call');
  const answer = last.map(withoutCalls);
  const kept = [...closed, ...answer.slice(0, answer.findLastIndex(hasText) + 1)];
  const asked = kept.at(-1);
  if (asked?.role !== 'user') return [...kept, next];
  return [...kept.slice(0, -1), { ...asked, content: joined(asked['content'], next['content']) }];
}

/** The conversation without calls of tools at its end that have no results. */
export function withoutOpenCalls(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.slice(0, messages.findLastIndex((message) => roleOf(message) !== 'assistant') + 1);
}

/** The conversation without results at its end that all belong to calls which did not run: then the round had no effect. */
export function withoutIdleRound(messages: readonly WireMessage[]): readonly WireMessage[] {
  const start = messages.findLastIndex((message) => resultsOf(message).length === 0) + 1;
  const results = messages.slice(start).flatMap(resultsOf);
  return results.every((text) => text === 'error: the call was not run') ? messages.slice(0, start) : messages;
}

/** The texts of the results in a message or an item. */
function resultsOf({ role, type, content, output }: WireMessage): unknown[] {
  if (role === 'tool') return [content];
  if (type === 'function_call_output') return [output];
  const blocks = Array.isArray(content) ? (content as readonly { readonly type?: unknown; readonly content?: unknown }[]) : [];
  return blocks.filter((block) => block.type === 'tool_result').map((block) => block.content);
}

interface StoredTalk {
  readonly id?: string | undefined;
  readonly messages: readonly WireMessage[];
}

/**
 * A conversation with the exchanges that others have added to its file: `present` is the file, and both continue `before`. Their exchanges
 * come first. A file of another conversation is not kept. Messages are compared as `stored` has them, and ours stay as they are.
 */
export function merged<T extends StoredTalk>(
  conversation: T,
  before: StoredTalk,
  present: StoredTalk,
  stored: (message: WireMessage) => WireMessage = (message) => message,
): T {
  const textsOf = ({ messages }: StoredTalk): string[] => messages.map((message) => JSON.stringify(stored(message)));
  const [ours, common, theirs] = [textsOf(conversation), textsOf(before), textsOf(present)];
  const differs = common.findIndex((message, at) => message !== ours[at]);
  const shared = common.slice(0, differs < 0 ? common.length : differs);
  const isKnown = present.id !== undefined || shared.length > 0;
  const isSame = isKnown && present.id === before.id && shared.every((message, at) => message === theirs[at]);
  if (!isSame || theirs.join() === common.join()) return conversation;
  const [first, ...rest] = conversation.messages.slice(shared.length);
  const all = [...conversation.messages.slice(0, shared.length), ...present.messages.slice(shared.length)];
  return { ...conversation, messages: first ? [...continued(all, first), ...rest] : all };
}

/** Items of Responses that are not messages have no role. */
function roleOf({ role, type }: WireMessage): string {
  return role ?? (type === 'function_call_output' ? 'tool' : 'assistant');
}

/** An answer without its calls, which the service would refuse without their results. */
function withoutCalls({ tool_calls: _, ...message }: WireMessage): WireMessage {
  const { content } = message;
  return Array.isArray(content) ? { ...message, content: content.filter((block) => (block as { type?: unknown }).type !== 'tool_use') } : message;
}

function hasText(message: WireMessage): boolean {
  return messageText(message).trim() !== '';
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
