import type { AnthropicDelta, AnthropicMessageResponse, AnthropicResponseBlock } from '../../generated/types.ts';
import { type AnthropicReply, withAccessors } from '../anthropic-reply.ts';
import { StreamError } from '../errors.ts';
import type { AnthropicStreamEvent } from '../protocols.ts';

type Block = { -readonly [Field in keyof AnthropicResponseBlock]: AnthropicResponseBlock[Field] };

interface BlockDraft {
  readonly block: Block;
  /** Pieces of a tool's input as JSON text. */
  json: string;
  /** The citations so far, in a list of our own: copying it for each one takes quadratic time. */
  citations?: unknown[];
}

const operation = 'anthropic.stream';

/** Puts the events of a message stream together to what `create` would have returned. */
export class MessageAccumulator {
  #message: AnthropicMessageResponse | undefined;
  /** The usage once an end has told of it. */
  #usage: object | undefined;
  readonly #blocks = new Map<number, BlockDraft>();
  readonly #keepMalformed: boolean;

  /** With `keepMalformed`, a tool's input that is not JSON stays as it came; otherwise reading the result throws. Default: false. */
  constructor(options: { readonly keepMalformed?: boolean } = {}) {
    this.#keepMalformed = options.keepMalformed ?? false;
  }

  add({ type, data }: AnthropicStreamEvent): void {
    switch (type) {
      case 'message_start':
        this.#message = { ...data.message };
        this.#usage = undefined;
        break;
      case 'content_block_start':
        this.#blocks.set(indexOf(data), { block: { ...data.content_block }, json: '' });
        break;
      case 'content_block_delta':
        addDelta(this.#draft(indexOf(data)), data.delta);
        break;
      case 'message_delta':
        this.#finish(data);
        break;
      default:
        // ping, stops, and events that are not known yet.
        break;
    }
  }

  /** What has come so far. A tool's input that is not JSON throws. */
  get message(): AnthropicReply {
    if (!this.#message) throw new StreamError(operation, 'malformed', 'the stream has no message_start');
    const drafts = [...this.#blocks].sort(([a], [b]) => a - b);
    const usage = this.#usage && { usage: { ...this.#usage } as NonNullable<AnthropicMessageResponse['usage']> };
    return withAccessors({ ...this.#message, ...usage, content: drafts.map(([index, draft]) => finished(index, draft, this.#keepMalformed)) });
  }

  #draft(index: number): BlockDraft {
    const draft = this.#blocks.get(index);
    if (!draft) throw new StreamError(operation, 'malformed', `the stream continues block ${index}, which never began`);
    return draft;
  }

  #finish({ delta, usage }: { readonly delta: object; readonly usage?: object }): void {
    const message = this.#message;
    if (!message) throw new StreamError(operation, 'malformed', 'the stream has no message_start');
    // Counts that the end leaves out stand as the start gave them.
    this.#usage = Object.assign(this.#usage ?? { ...message.usage }, usage);
    Object.assign(message, delta);
  }
}

/** Read a message stream to its end, as the reply that `create` returns, `text()` and `thinking()` included. */
export async function collectMessage(stream: AsyncIterable<AnthropicStreamEvent>): Promise<AnthropicReply> {
  const accumulator = new MessageAccumulator();
  for await (const event of stream) accumulator.add(event);
  return accumulator.message;
}

function indexOf(data: { readonly index: number }): number {
  if (!Number.isSafeInteger(data.index) || data.index < 0)
    throw new StreamError(operation, 'malformed', 'a block of the stream has an index that is no whole number');
  return data.index;
}

function addDelta(draft: BlockDraft, delta: AnthropicDelta): void {
  const { block } = draft;
  if (delta.type === 'text_delta') block.text = (block.text ?? '') + delta.text;
  else if (delta.type === 'thinking_delta') block.thinking = (block.thinking ?? '') + delta.thinking;
  else if (delta.type === 'signature_delta') block.signature = (block.signature ?? '') + delta.signature;
  else if (delta.type === 'input_json_delta') draft.json += delta.partial_json;
  else if (delta.type === 'citations_delta') {
    draft.citations ??= Array.isArray(block.citations) ? [...block.citations] : [];
    draft.citations.push(delta.citation);
    block.citations = draft.citations as NonNullable<Block['citations']>;
  }
}

function finished(index: number, { block, json }: BlockDraft, keepMalformed: boolean): AnthropicResponseBlock {
  if (block.type !== 'tool_use') return block;
  if (json.trim() === '') return { ...block, input: block.input ?? {} };
  try {
    return { ...block, input: JSON.parse(json) as NonNullable<Block['input']> };
  } catch {
    if (keepMalformed) return { ...block, input: json as never };
    throw new StreamError(operation, 'malformed', `the input of the tool call in block ${index} is not JSON (${json.length} characters)`);
  }
}
