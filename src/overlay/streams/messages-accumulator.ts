import type { AnthropicMessageResponse } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';
import { type Fields, fieldsOf, isFields, jsonOrUndefined, listOf, textOf } from '../json/json-value.ts';
import { isCut } from '../surfaces/finish.ts';
import { withInputText } from '../surfaces/messages/input-text.ts';
import type { AnthropicStreamEvent } from '../surfaces/messages/protocol.ts';
import { type AnthropicReply, withAccessors } from '../surfaces/messages/reply.ts';

interface BlockDraft {
  readonly block: Record<string, unknown>;
  /** Pieces of a tool's input as JSON text. */
  json: string;
  /** Citations so far, in a list that can be extended: copying it for each one takes quadratic time. */
  citations?: unknown[];
}

const operation = 'anthropic.stream';

/** Assembles the events of a message stream into the reply that `create` would return. */
export class MessageAccumulator {
  #message: AnthropicMessageResponse | undefined;
  /** Usage, once a `message_delta` has arrived. */
  #usage: object | undefined;
  readonly #blocks = new Map<number, BlockDraft>();

  add(event: AnthropicStreamEvent): void {
    const { type, data: payload } = fieldsOf(event);
    const data = fieldsOf(payload);
    switch (type) {
      case 'message_start':
        this.#message = { ...given(data, 'message', 'message_start') } as unknown as AnthropicMessageResponse;
        this.#usage = undefined;
        // After code execution, the first event may contain whole blocks.
        for (const [index, block] of listOf(this.#message.content).entries()) if (isFields(block)) this.#start(index, block);
        break;
      case 'content_block_start':
        this.#start(indexOf(data), given(data, 'content_block', 'content_block_start'));
        break;
      case 'content_block_delta':
        addDelta(this.#draft(indexOf(data)), fieldsOf(data['delta']));
        break;
      case 'message_delta':
        this.#finish(data);
        break;
      default:
        // ping, stop events, and unknown events.
        break;
    }
  }

  /** The message so far. Throws if a tool input is not JSON, unless the answer was cut off; with `keepMalformed` it is kept as text. */
  assembled(keepMalformed = false): AnthropicReply {
    if (!this.#message) throw new StreamError(operation, 'malformed', 'the stream has no message_start');
    const drafts = [...this.#blocks].sort(([a], [b]) => a - b);
    const keeps = keepMalformed || isCut(this.#message.stop_reason);
    const usage = this.#usage && { usage: { ...this.#usage } as NonNullable<AnthropicMessageResponse['usage']> };
    const content = drafts.map(([index, draft]) => finished(index, draft, keeps)) as unknown as AnthropicMessageResponse['content'];
    return withAccessors({ ...this.#message, ...usage, content });
  }

  get partial(): AnthropicReply | undefined {
    return this.#message && this.assembled(true);
  }

  #start(index: number, block: Fields): void {
    this.#blocks.set(index, { block: { ...block }, json: '' });
  }

  #draft(index: number): BlockDraft {
    const draft = this.#blocks.get(index);
    if (!draft) throw new StreamError(operation, 'malformed', `the stream continues block ${index} without its content_block_start`);
    return draft;
  }

  #finish({ type: _, delta, usage, ...rest }: Fields): void {
    const message = this.#message;
    if (!message) throw new StreamError(operation, 'malformed', 'the stream has no message_start');
    // Counts that `message_delta` omits keep their values from `message_start`.
    this.#usage ??= { ...fieldsOf(message.usage) };
    assignKnown(this.#usage, fieldsOf(usage));
    assignKnown(message, rest);
    assignKnown(message, fieldsOf(delta));
  }
}

/** Assigns fields. Null does not replace a value. */
function assignKnown(target: object, fields: Fields): void {
  const known = target as Record<string, unknown>;
  for (const [name, value] of Object.entries(fields))
    if (name !== '__proto__' && (value !== null || (known[name] ?? null) === null)) known[name] = value;
}

function indexOf({ index }: Fields): number {
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0)
    throw new StreamError(operation, 'malformed', 'a block of the stream has an index that is not a non-negative integer');
  return index;
}

function given(data: Fields, name: string, type: string): Fields {
  const value = data[name];
  if (!isFields(value)) throw new StreamError(operation, 'malformed', `the ${type} of the stream has no ${name}`);
  return value;
}

function addDelta(draft: BlockDraft, delta: Fields): void {
  const { type, ...pieces } = delta;
  const { block } = draft;
  if (type === 'input_json_delta') draft.json += textOf(pieces['partial_json']);
  else if (type === 'citations_delta') {
    draft.citations ??= [...listOf(block['citations'])];
    draft.citations.push(pieces['citation']);
    block['citations'] = draft.citations;
  } else {
    // Each other kind of delta, such as `text_delta`, has the name of the field that it continues.
    for (const [name, piece] of Object.entries(pieces))
      if (typeof piece === 'string' && typeof (block[name] ?? '') === 'string') block[name] = textOf(block[name]) + piece;
  }
}

function finished(index: number, { block, json }: BlockDraft, keepMalformed: boolean): Record<string, unknown> {
  if (json.trim() === '') return block;
  const value = jsonOrUndefined(json);
  if (value !== undefined) return { ...block, input: withInputText(value, json) };
  if (keepMalformed) return { ...block, input: json };
  throw new StreamError(operation, 'malformed', `the input of the tool call in block ${index} is not JSON (${json.length} characters)`);
}
