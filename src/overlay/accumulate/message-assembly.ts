import type { AnthropicMessageResponse, AnthropicResponseBlock } from '../../generated/types.ts';
import { type AnthropicReply, withAccessors } from '../anthropic-reply.ts';
import { StreamError } from '../errors.ts';
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../json-value.ts';
import type { AnthropicStreamEvent } from '../protocols.ts';

type Block = { -readonly [Field in keyof AnthropicResponseBlock]: AnthropicResponseBlock[Field] };

interface BlockDraft {
  readonly block: Block;
  /** Pieces of a tool's input as JSON text. */
  json: string;
}

const operation = 'anthropic.stream';

/** The work of `MessageAccumulator`. With `keepMalformed` a tool's input that is not JSON stays as it came, for a reader that answers it. */
export class MessageAssembly {
  #message: AnthropicMessageResponse | undefined;
  readonly #blocks = new Map<number, BlockDraft>();
  readonly #keepMalformed: boolean;

  constructor(keepMalformed: boolean) {
    this.#keepMalformed = keepMalformed;
  }

  add(event: AnthropicStreamEvent): void {
    const { type, data: payload } = fieldsOf(event);
    const data = fieldsOf(payload);
    switch (type) {
      case 'message_start':
        this.#message = { ...given(data, 'message', 'message_start') } as unknown as AnthropicMessageResponse;
        break;
      case 'content_block_start':
        this.#blocks.set(indexOf(data), { block: { ...given(data, 'content_block', 'content_block_start') } as unknown as Block, json: '' });
        break;
      case 'content_block_delta':
        addDelta(this.#draft(indexOf(data)), fieldsOf(data['delta']));
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
    return withAccessors({ ...this.#message, content: drafts.map(([index, draft]) => finished(index, draft, this.#keepMalformed)) });
  }

  #draft(index: number): BlockDraft {
    const draft = this.#blocks.get(index);
    if (!draft) throw new StreamError(operation, 'malformed', `the stream continues block ${index}, which never began`);
    return draft;
  }

  #finish({ delta, usage }: Fields): void {
    const message = this.#message;
    if (!message) throw new StreamError(operation, 'malformed', 'the stream has no message_start');
    // Counts that the end leaves out stand as the start gave them.
    this.#message = { ...message, ...fieldsOf(delta), usage: { ...fieldsOf(message.usage), ...fieldsOf(usage) } } as AnthropicMessageResponse;
  }
}

function indexOf({ index }: Fields): number {
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw new StreamError(operation, 'malformed', 'a block of the stream has an index that is no whole number');
  return index;
}

function given(data: Fields, name: string, type: string): Fields {
  const value = data[name];
  if (!isFields(value)) throw new StreamError(operation, 'malformed', `the ${type} of the stream has no ${name}`);
  return value;
}

function addDelta(draft: BlockDraft, delta: Fields): void {
  const { block } = draft;
  const { type } = delta;
  if (type === 'text_delta') block.text = textOf(block.text) + textOf(delta['text']);
  else if (type === 'thinking_delta') block.thinking = textOf(block.thinking) + textOf(delta['thinking']);
  else if (type === 'signature_delta') block.signature = textOf(block.signature) + textOf(delta['signature']);
  else if (type === 'input_json_delta') draft.json += textOf(delta['partial_json']);
  else if (type === 'citations_delta') block.citations = [...listOf(block.citations), delta['citation']] as NonNullable<Block['citations']>;
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
