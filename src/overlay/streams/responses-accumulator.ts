import type { ResponsesOutputItem, ResponsesResponse, ResponsesStreamEvent } from '../../generated/types.ts';
import type { FailureSource } from '../errors/envelope.ts';
import { StreamError } from '../errors/errors.ts';
import { apiError } from '../errors/failure.ts';
import { type Fields, fieldsOf, isFields, listOf, textOf } from '../json/json-value.ts';
import { failureOfEvent } from '../surfaces/responses/protocol.ts';
import { type ResponsesReply, withResponseAccessors } from '../surfaces/responses/reply.ts';
import { collect } from './collect.ts';

/** An item whose text grows. */
interface ItemDraft {
  readonly item: Record<string, unknown>;
  readonly parts: Record<string, unknown>[];
}

const source: FailureSource = { operation: 'responses.stream', surface: 'responses', status: 200, requestId: undefined, secrets: [] };

/** Assembles the events of a response stream into the reply that `create` would return. */
export class ResponseAccumulator {
  #head: Fields | undefined;
  #last: Fields | undefined;
  /** Items by their index in the output. */
  readonly #items = new Map<number, ItemDraft>();

  add(event: ResponsesStreamEvent): void {
    const data: Fields = fieldsOf(event);
    // Events that do not come from a stream of the client.
    const failure = failureOfEvent(textOf(data['type']), data);
    if (failure) throw apiError(failure, source);
    switch (data['type']) {
      case 'response.created':
      case 'response.in_progress':
        this.#head = fieldsOf(data['response']);
        break;
      case 'response.completed':
      case 'response.incomplete':
        if (!isFields(data['response'])) throw new StreamError('responses.stream', 'malformed', 'the last event of the stream has no response');
        this.#last = data['response'];
        break;
      case 'response.output_item.added':
      case 'response.output_item.done':
        if (isFields(data['item'])) this.#items.set(indexOf(data['output_index']), draftOf(data['item']));
        break;
      case 'response.output_text.delta':
      case 'response.reasoning_text.delta':
        append(this.#part(data), 'text', data['delta']);
        break;
      case 'response.function_call_arguments.delta':
        append(this.#draft(data).item, 'arguments', data['delta']);
        break;
      default:
        // Events that repeat what their deltas said, and unknown events.
        break;
    }
  }

  /** The response so far. */
  get response(): ResponsesReply {
    return this.assembled(true);
  }

  /** @internal */
  assembled(keepMalformed = false): ResponsesReply {
    if (!this.#last && this.#head && !keepMalformed)
      throw new StreamError('responses.stream', 'truncated', 'the stream ended before response.completed or response.incomplete');
    const whole = this.#last ?? this.#head;
    if (!whole) throw new StreamError('responses.stream', 'malformed', 'the stream has no response.created');
    const told = listOf(this.#last?.['output']);
    const assembled = [...this.#items].sort(([a], [b]) => a - b).map(([, draft]) => itemOf(draft));
    const output = told.length > 0 ? [...(told as ResponsesOutputItem[])] : assembled;
    return withResponseAccessors({ ...whole, output } as ResponsesResponse);
  }

  /** @internal */
  get partial(): ResponsesReply | undefined {
    return (this.#last ?? this.#head) && this.assembled(true);
  }

  #draft({ output_index: at }: Fields): ItemDraft {
    const draft = this.#items.get(indexOf(at));
    if (!draft) throw new StreamError('responses.stream', 'malformed', `the stream continues item ${at} without its response.output_item.added`);
    return draft;
  }

  /** The part that a delta continues. */
  #part(data: Fields): Record<string, unknown> {
    const { parts } = this.#draft(data);
    const at = indexOf(data['content_index'] ?? 0);
    if (at > parts.length) throw new StreamError('responses.stream', 'malformed', `the stream begins part ${at} of an item that has ${parts.length}`);
    parts[at] ??= { type: data['type'] === 'response.output_text.delta' ? 'output_text' : 'reasoning_text', text: '' };
    return parts[at];
  }
}

function draftOf(item: Fields): ItemDraft {
  return { item: { ...item }, parts: listOf(item['content']).map((part) => ({ ...fieldsOf(part) })) };
}

function itemOf({ item, parts }: ItemDraft): ResponsesOutputItem {
  const content = parts.length > 0 ? { content: parts.map((part) => ({ ...part })) } : {};
  return { ...item, ...content } as never as ResponsesOutputItem;
}

function append(owner: Record<string, unknown>, field: string, piece: unknown): void {
  owner[field] = textOf(owner[field]) + textOf(piece);
}

/**
 * Read a response stream to its end and return the reply that `create` would return, including `text()`, `reasoning()` and `toolCalls()`.
 * Check `status`: `incomplete` means that the output ended early. An error that ends the stream has the reply so far as `partial`.
 */
export function collectResponse(stream: AsyncIterable<ResponsesStreamEvent>): Promise<ResponsesReply> {
  return collect('collectResponse', stream, new ResponseAccumulator());
}

function indexOf(index: unknown): number {
  if (typeof index === 'number' && Number.isSafeInteger(index) && index >= 0) return index;
  throw new StreamError('responses.stream', 'malformed', 'an item of the stream has an index that is not a non-negative integer');
}
