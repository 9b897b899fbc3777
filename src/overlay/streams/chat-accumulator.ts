import type { ChatAudio, ChatChunk, ChatDelta, ChatResponse, ChatResponseMessage, ToolCallDelta } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';
import { isFields, listOf, textOf } from '../errors/json-value.ts';
import { contentText } from './helpers.ts';
import { ToolCallAssembler } from './tool-calls.ts';

interface ChoiceDraft {
  readonly index: number;
  readonly message: { role: string; content: string | null; reasoning_content?: string; audio?: Record<string, unknown> };
  readonly calls: ToolCallAssembler;
  finish_reason?: string;
}

const operation = 'chat.stream';

/** Assembles the chunks of a chat stream into the response that `create` would return. */
export class ChatAccumulator {
  readonly #head: Record<string, unknown> = {};
  readonly #choices = new Map<number, ChoiceDraft>();
  readonly #keepMalformed: boolean;

  /** With `keepMalformed`, a tool call without a name is kept; otherwise `response` throws for it. Default: false. */
  constructor(options: { readonly keepMalformed?: boolean } = {}) {
    this.#keepMalformed = options.keepMalformed ?? false;
  }

  add(chunk: ChatChunk): void {
    if (!isFields(chunk)) throw new StreamError(operation, 'malformed', 'an item of the stream is not an object');
    const { choices, ...head } = chunk;
    // Later chunks repeat id and model; usage and sources arrive in the last ones.
    for (const name in head) {
      const value = (head as Record<string, unknown>)[name];
      if (value !== undefined && value !== null) this.#head[name] = value;
    }
    for (const choice of listOf(choices)) {
      if (!isFields(choice)) continue;
      const draft = this.#choice(choice['index'] ?? 0);
      if (isFields(choice['delta'])) addDelta(draft, choice['delta']);
      const reason = textOf(choice['finish_reason']);
      if (reason !== '') draft.finish_reason = reason;
    }
  }

  /** The response so far. `object` is `chat.completion` if the chunks have an `object`, and absent otherwise. */
  get response(): ChatResponse {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index).map((draft) => finished(draft, this.#keepMalformed));
    const head = this.#head['object'] === undefined ? this.#head : { ...this.#head, object: 'chat.completion' };
    return { id: '', ...head, choices } as ChatResponse;
  }

  #choice(index: unknown): ChoiceDraft {
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
      throw new StreamError(operation, 'malformed', 'a choice of the stream has an index that is not a non-negative integer');
    let draft = this.#choices.get(index);
    if (!draft) {
      draft = { index, message: { role: 'assistant', content: null }, calls: new ToolCallAssembler() };
      this.#choices.set(index, draft);
    }
    return draft;
  }
}

/** Read a chat stream to its end and return the response that `create` would return, including tool calls, reasoning, usage and sources. */
export async function collectChat(stream: AsyncIterable<ChatChunk>): Promise<ChatResponse> {
  const accumulator = new ChatAccumulator();
  for await (const chunk of stream) accumulator.add(chunk);
  return accumulator.response;
}

function addDelta({ message, calls }: ChoiceDraft, delta: Partial<Record<keyof ChatDelta, unknown>>): void {
  const { role, content, reasoning_content: reasoning, audio, tool_calls: called } = delta;
  message.role = textOf(role) || message.role;
  if (typeof content === 'string' || Array.isArray(content)) message.content = (message.content ?? '') + contentText(content);
  if (typeof reasoning === 'string' && reasoning !== '') message.reasoning_content = (message.reasoning_content ?? '') + reasoning;
  if (isFields(audio)) {
    const { data, ...rest } = audio;
    message.audio ??= {};
    const before = textOf(message.audio['data']);
    Object.assign(message.audio, rest);
    if (typeof data === 'string') message.audio['data'] = before + data;
  }
  for (const call of listOf(called)) if (isFields(call)) calls.add(call as unknown as ToolCallDelta);
}

function finished(draft: ChoiceDraft, keepMalformed: boolean): ChatResponse['choices'][number] {
  const calls = draft.calls.result(operation, keepMalformed);
  const { audio } = draft.message;
  const message = {
    ...draft.message,
    ...(audio ? { audio: { ...audio } as Partial<ChatAudio> } : {}),
    ...(calls ? { tool_calls: calls } : {}),
  } as ChatResponseMessage;
  return { index: draft.index, message, ...(draft.finish_reason === undefined ? {} : { finish_reason: draft.finish_reason }) };
}
