import type { ChatChunk, ChatDelta, ChatResponse, ChatResponseMessage } from '../../generated/types.ts';
import { StreamError } from '../errors.ts';
import { ToolCallAssembler } from './tool-calls.ts';

interface ChoiceDraft {
  readonly index: number;
  readonly message: { role: string; content: string | null; reasoning_content?: string; audio?: Record<string, unknown> };
  readonly calls: ToolCallAssembler;
  finish_reason?: string;
}

const operation = 'chat.stream';

/** Puts the chunks of a chat stream together to what `create` would have returned. Costs a few assignments a chunk. */
export class ChatAccumulator {
  readonly #head: Record<string, unknown> = {};
  readonly #choices = new Map<number, ChoiceDraft>();
  readonly #keepMalformed: boolean;

  /** With `keepMalformed`, a tool call without a name stays as it came; otherwise reading the result throws. Default: false. */
  constructor(options: { readonly keepMalformed?: boolean } = {}) {
    this.#keepMalformed = options.keepMalformed ?? false;
  }

  add(chunk: ChatChunk): void {
    const { choices, ...head } = chunk;
    // Later chunks repeat id and model; usage and sources come with the last ones.
    for (const name in head) {
      const value = (head as Record<string, unknown>)[name];
      if (value !== undefined && value !== null) this.#head[name] = value;
    }
    for (const choice of choices ?? []) {
      const draft = this.#choice(choice.index ?? 0);
      if (choice.delta) addDelta(draft, choice.delta);
      if (choice.finish_reason) draft.finish_reason = choice.finish_reason;
    }
  }

  /** What has come so far. `object` says `chat.completion` only where the chunks named their own kind. */
  get response(): ChatResponse {
    const choices = [...this.#choices.values()].sort((a, b) => a.index - b.index).map((draft) => finished(draft, this.#keepMalformed));
    const head = this.#head['object'] === undefined ? this.#head : { ...this.#head, object: 'chat.completion' };
    return { id: '', ...head, choices } as ChatResponse;
  }

  #choice(index: number): ChoiceDraft {
    if (!Number.isSafeInteger(index) || index < 0)
      throw new StreamError(operation, 'malformed', 'a choice of the stream has an index that is no whole number');
    let draft = this.#choices.get(index);
    if (!draft) {
      draft = { index, message: { role: 'assistant', content: null }, calls: new ToolCallAssembler() };
      this.#choices.set(index, draft);
    }
    return draft;
  }
}

/** Read a chat stream to its end, as the response that `create` returns: tool calls assembled, reasoning, usage and sources included. */
export async function collectChat(stream: AsyncIterable<ChatChunk>): Promise<ChatResponse> {
  const accumulator = new ChatAccumulator();
  for await (const chunk of stream) accumulator.add(chunk);
  return accumulator.response;
}

function addDelta({ message, calls }: ChoiceDraft, delta: ChatDelta): void {
  if (delta.role) message.role = delta.role;
  const { content } = delta;
  if (typeof content === 'string') message.content = (message.content ?? '') + content;
  else if (content) message.content = (message.content ?? '') + content.map((part) => part.text ?? '').join('');
  if (delta.reasoning_content) message.reasoning_content = (message.reasoning_content ?? '') + delta.reasoning_content;
  if (delta.audio) {
    const { data, ...rest } = delta.audio;
    message.audio ??= {};
    const before = message.audio['data'];
    Object.assign(message.audio, rest);
    if (data !== undefined) message.audio['data'] = (typeof before === 'string' ? before : '') + data;
  }
  for (const call of delta.tool_calls ?? []) calls.add(call);
}

function finished(draft: ChoiceDraft, keepMalformed: boolean): ChatResponse['choices'][number] {
  const calls = draft.calls.result(operation, keepMalformed);
  const { audio } = draft.message;
  const message = { ...draft.message, ...(audio ? { audio: { ...audio } } : {}), ...(calls ? { tool_calls: calls } : {}) } as ChatResponseMessage;
  return { index: draft.index, message, ...(draft.finish_reason === undefined ? {} : { finish_reason: draft.finish_reason }) };
}
