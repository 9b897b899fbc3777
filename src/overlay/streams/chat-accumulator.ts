import type { ChatChunk, ChatResponse, ChatResponseMessage, ToolCallDelta } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';
import { contentText } from '../surfaces/chat/answer.ts';
import { isCut } from '../surfaces/finish.ts';
import { copied, mergeFields } from './merge.ts';
import { ToolCallAssembler } from './tool-calls.ts';

interface ChoiceDraft {
  readonly index: number;
  /** Fields of the choice besides its message, such as `logprobs`. */
  readonly rest: Record<string, unknown>;
  readonly message: { role: string; content: string | unknown[] | null; [field: string]: unknown };
  readonly calls: ToolCallAssembler;
  finish_reason?: string;
}

/** Padding of chunks, which the response of `create` does not contain. */
const padding: ReadonlySet<string> = new Set(['obfuscation', 'p']);

const operation = 'chat.stream';

/** Assembles the chunks of a chat stream into the response that `create` would return. */
export class ChatAccumulator {
  /** Without a prototype, because a chunk may have a field `__proto__`. */
  readonly #head: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  readonly #choices = new Map<number, ChoiceDraft>();

  add(chunk: ChatChunk): void {
    if (!isFields(chunk)) throw new StreamError(operation, 'malformed', 'an item of the stream is not an object');
    const { choices, ...head } = chunk;
    // Later chunks repeat id and model; usage and sources arrive in the last ones.
    for (const [name, value] of Object.entries(head)) {
      const isBlank = value === null || value === '';
      if (value === undefined || padding.has(name) || (isBlank && (name === 'usage' || this.#head[name] !== undefined))) continue;
      const before = this.#head[name];
      // The pages of a search may come in several chunks, and each may repeat those before.
      this.#head[name] = name === 'web_search' && Array.isArray(before) ? joined(before, listOf(value)) : value;
    }
    for (const choice of listOf(choices)) {
      if (!isFields(choice)) continue;
      const { index, delta, message: _whole, finish_reason: ended, ...rest } = choice;
      const draft = this.#choice(index ?? 0);
      mergeFields(draft.rest, rest, 'values');
      if (isFields(delta)) addDelta(draft, delta);
      const reason = textOf(ended);
      if (reason !== '') draft.finish_reason = reason;
    }
  }

  /**
   * The response so far. `object` is `chat.completion` if the chunks have an `object`, and absent otherwise. Throws for a tool call without a
   * name, unless the answer was cut off or `keepMalformed` is true.
   */
  assembled(keepMalformed = false): ChatResponse {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index).map((draft) => finished(draft, keepMalformed));
    const head = this.#head['object'] === undefined ? this.#head : { ...this.#head, object: 'chat.completion' };
    return { id: '', ...head, choices } as ChatResponse;
  }

  get partial(): ChatResponse | undefined {
    return this.#choices.size > 0 ? this.assembled(true) : undefined;
  }

  #choice(index: unknown): ChoiceDraft {
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
      throw new StreamError(operation, 'malformed', 'a choice of the stream has an index that is not a non-negative integer');
    let draft = this.#choices.get(index);
    if (!draft) {
      draft = { index, rest: {}, message: { role: 'assistant', content: null }, calls: new ToolCallAssembler() };
      this.#choices.set(index, draft);
    }
    return draft;
  }
}

function joined(before: readonly unknown[], more: readonly unknown[]): unknown[] {
  const known = new Set(before.map((one) => JSON.stringify(one)));
  return [...before, ...more.filter((one) => !known.has(JSON.stringify(one)))];
}

function addDelta({ message, calls }: ChoiceDraft, delta: Fields): void {
  const { role, content, reasoning_content: reasoning, audio, tool_calls: called, ...rest } = delta;
  message.role = textOf(role) || message.role;
  addContent(message, content);
  // Null in these fields means that this piece has none; `create` leaves them out.
  mergeFields(message, { ...rest, reasoning_content: reasoning ?? undefined, audio: audio ?? undefined }, 'pieces');
  for (const call of listOf(called)) if (isFields(call)) calls.add(call as unknown as ToolCallDelta);
}

/** Appends text. Content becomes a list of parts once a part is not text, for instance the reasoning of some models. */
function addContent(message: ChoiceDraft['message'], content: unknown): void {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  if (!Array.isArray(message.content) && parts.every((part) => fieldsOf(part)['type'] === 'text')) {
    if (typeof content === 'string' || parts.length > 0) message.content = (message.content ?? '') + contentText(parts as { text?: string }[]);
    return;
  }
  const before = typeof message.content === 'string' && message.content !== '' ? [{ type: 'text', text: message.content }] : [];
  if (!Array.isArray(message.content)) message.content = before;
  mergeFields(message, { content: parts }, 'pieces');
}

function finished(
  { index, rest, message: draft, calls: drafts, finish_reason }: ChoiceDraft,
  keepMalformed: boolean,
): ChatResponse['choices'][number] {
  const ending = finish_reason === undefined ? {} : { finish_reason };
  const calls = drafts.result(operation, keepMalformed || isCut(finish_reason));
  const message = { ...(copied(draft) as Fields), ...(calls ? { tool_calls: calls } : {}) } as unknown as ChatResponseMessage;
  return { ...(copied(rest) as Fields), index, message, ...ending };
}
