// The items of a response, as its events tell them.
import type { ResponsesOutputItem } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';
import { type Fields, fieldsOf, isFields, jsonOrUndefined, labelOf, listOf, textOf, wholeArguments } from '../json/json-value.ts';
import { itemText, partsText } from '../surfaces/responses/reply.ts';
import { type Gain, gainOf, noGain, restOf } from './gain.ts';

/** An item whose text or arguments grow. */
interface ItemDraft {
  readonly item: Record<string, unknown>;
  readonly parts: Record<string, unknown>[];
  /** True once an event had the whole text, or all arguments. */
  isComplete: boolean;
  readonly isOver: boolean;
}

/** The kind of item that an event continues. */
const kinds: Readonly<Record<string, string>> = {
  'response.content_part.added': 'message',
  'response.content_part.done': 'message',
  'response.output_text.delta': 'message',
  'response.output_text.done': 'message',
  'response.reasoning_text.delta': 'reasoning',
  'response.reasoning_text.done': 'reasoning',
  'response.function_call_arguments.delta': 'function_call',
  'response.function_call_arguments.done': 'function_call',
};

const ends: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete']);

export class ResponseItems {
  readonly #isStrict: boolean;
  #end: Fields | undefined;
  /** By their index in the output. */
  readonly #items = new Map<number, ItemDraft>();
  readonly #places = new Map<string, number>();
  #next = 0;
  /** The place of the last event. */
  #place = -1;
  #isRefused = false;
  /** The last event if it was a piece of text, and the part that it belongs to. */
  #piece: { readonly type: string; readonly data: Fields; readonly kind: unknown; readonly part: Record<string, unknown> } | undefined;

  /** Strict: a piece of an item that was not added is an error, unless the service names no items. */
  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  /** True after the last response. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** Takes an event. Returns what it adds to the answer: a text counts once, as pieces or in the event after them. */
  add(type: string, data: Fields): Gain {
    const last = this.#piece;
    // Most events: the next piece of the same text.
    if (last?.type === type && isSamePlace(data, last.data) && typeof data['delta'] === 'string') {
      last.part['text'] += data['delta'];
      return gainOf(last.kind, data['delta']);
    }
    this.#piece = undefined;
    const { item, response } = data;
    if (ends.has(type) && isFields(response)) return this.#finish(response);
    if (type === 'response.output_item.added' || type === 'response.output_item.done')
      return isFields(item) ? this.#put(data, item, type === 'response.output_item.done') : noGain;
    this.#isRefused ||= type.startsWith('response.refusal');
    const part = type.startsWith('response.content_part') ? fieldsOf(data['part']) : undefined;
    const kind = part?.['type'] === 'reasoning_text' ? 'reasoning' : kinds[type];
    const piece = textOf(part ? part['text'] : (data['delta'] ?? data['text'] ?? data['arguments']));
    if (kind === undefined || piece === '') return noGain;
    const isPiece = type.endsWith('.delta');
    const draft = this.#draft(data, kind, isPiece);
    if (!draft) return noGain;
    const isCall = kind === 'function_call';
    const owner = isCall ? draft.item : this.#part(draft, data, kind);
    const field = isCall ? 'arguments' : 'text';
    const before = textOf(owner[field]);
    Object.assign(owner, part);
    owner[field] = isPiece ? before + piece : piece;
    draft.isComplete ||= type.endsWith('.done');
    if (isPiece && !isCall) this.#piece = { type, data, kind: draft.item['type'], part: owner };
    return isCall ? noGain : gainOf(draft.item['type'], isPiece ? piece : restOf(piece, before));
  }

  /** The items at the end. Items of the last response win, except over what was complete and what it has blank or not at all. */
  output(): ResponsesOutputItem[] {
    const last = this.#end;
    const own = [...this.#items].sort(([a], [b]) => a - b);
    const output = [...listOf(last?.['output'])];
    const isRefused = this.#isRefused || [...output, ...own.map(([, draft]) => itemOf(draft))].some(isRefusal);
    if (output.length === 0)
      return own.map(([, draft]) => itemOf(draft)).filter(({ type }) => !(last && isRefused && type === 'function_call')) as never;
    if (isRefused || (last?.['status'] ?? 'completed') !== 'completed') return output as never;
    const told = placesIn(
      output,
      own.map(([, { item }]) => item),
    );
    const whole = own.filter(([, draft]) => isWhole(draft));
    const kept = ({ item, parts }: ItemDraft): Fields => ({ ...itemOf({ item, parts }), ...('status' in item && { status: 'completed' }) });
    for (const [, draft] of whole) {
      const at = told.get(draft.item);
      if (at !== undefined && isBlank(fieldsOf(output[at]))) output[at] = kept(draft);
    }
    for (const [index, draft] of whole) if (!told.has(draft.item)) output.splice(Math.min(index, output.length), 0, kept(draft));
    return output as never;
  }

  /** The last response may have words that no event had. */
  #finish(response: Fields): Gain {
    const before = { output: this.output() };
    this.#end = response;
    const after = { output: this.output() };
    const rest = (type: 'message' | 'reasoning'): string => restOf(itemText(after, type), itemText(before, type));
    return { text: rest('message'), thought: rest('reasoning') };
  }

  #put(data: Fields, item: Fields, isDone: boolean): Gain {
    const at = this.#placeOf(data, textOf(item['type']), isDone);
    const before = this.#items.get(at);
    // An item that is blank at its end does not wipe its pieces.
    const kept = isDone && before && isBlank(item) ? before : undefined;
    const own = kept?.item['arguments'] ? { arguments: kept.item['arguments'] } : {};
    const parts = kept ? kept.parts : listOf(item['content']).map((part) => ({ ...fieldsOf(part) }));
    this.#items.set(at, { item: { ...item, ...own }, parts, isComplete: isDone && item['status'] !== 'incomplete', isOver: isDone });
    this.#places.set(textOf(item['id']), at);
    return kept ? noGain : gainOf(item['type'], restOf(partsText(parts), before ? partsText(before.parts) : ''));
  }

  /** The draft of an event, which begins an item that the service did not add. A call cannot begin without a name. */
  #draft(data: Fields, kind: string, isPiece: boolean): ItemDraft | undefined {
    const at = this.#placeOf(data, kind, true);
    const known = this.#items.get(at);
    if (known) return known;
    if (this.#isStrict && isPiece && (data['output_index'] ?? undefined) !== undefined)
      throw new StreamError('responses.stream', 'malformed', `the stream continues item ${at} without its response.output_item.added`);
    const { item_id: id = '', name, call_id: call } = data;
    if (kind === 'function_call' && textOf(name) === '') return undefined;
    const own = kind === 'message' ? { role: 'assistant' } : kind === 'function_call' ? { call_id: labelOf(call), name } : {};
    const draft = { item: { ...(id !== '' && { id }), type: kind, ...own }, parts: [], isComplete: false, isOver: false };
    this.#items.set(at, draft);
    this.#places.set(textOf(id), at);
    return draft;
  }

  /** The index of the item of an event. Some servers send none: then it is the index of the same id, or the last item while it goes on. */
  #placeOf(data: Fields, kind: string, continues: boolean): number {
    const { item_id: id = fieldsOf(data['item'])['id'] } = data;
    const index = this.#index(data['output_index']);
    const last = this.#items.get(this.#place);
    if (index !== undefined) this.#place = index;
    else if (textOf(id) !== '' && this.#places.has(textOf(id))) this.#place = this.#places.get(textOf(id)) as number;
    else if (!continues || last?.item['type'] !== kind || last.isOver) this.#place = this.#next;
    this.#next = Math.max(this.#next, this.#place + 1);
    return this.#place;
  }

  #index(index: unknown): number | undefined {
    if (typeof index === 'number' && Number.isSafeInteger(index) && index >= 0) return index;
    if (!this.#isStrict || index === undefined || index === null) return undefined;
    throw new StreamError('responses.stream', 'malformed', 'an item of the stream has an index that is not a non-negative integer');
  }

  /** The part that an event is about. */
  #part({ parts }: ItemDraft, data: Fields, kind: string): Record<string, unknown> {
    const at = this.#index(data['content_index']) ?? 0;
    if (at > parts.length && this.#isStrict)
      throw new StreamError('responses.stream', 'malformed', `the stream begins part ${at} of an item that has ${parts.length}`);
    const place = Math.min(at, parts.length);
    parts[place] ??= { type: kind === 'message' ? 'output_text' : 'reasoning_text', text: '' };
    return parts[place];
  }
}

function itemOf({ item, parts }: Pick<ItemDraft, 'item' | 'parts'>): Fields {
  return { ...item, ...(parts.length > 0 && { content: parts.map((part) => ({ ...part })) }) };
}

function isRefusal(item: unknown): boolean {
  return listOf(fieldsOf(item)['content']).some((part) => fieldsOf(part)['type'] === 'refusal');
}

function isBlank({ type, content, arguments: text }: Fields): boolean {
  return type === 'function_call' ? wholeArguments(textOf(text)) === '{}' : partsText(content).trim() === '';
}

/** True for an item that was complete before the last response. */
function isWhole({ item, parts, isComplete }: ItemDraft): boolean {
  if (item['type'] !== 'function_call') return isComplete && partsText(parts).trim() !== '';
  return textOf(item['name']) !== '' && (isComplete || isFields(jsonOrUndefined(textOf(item['arguments']))));
}

/** The places of items in an output: by their id, else in order within their kind, because gateways make new ids. */
function placesIn(output: readonly unknown[], items: readonly Fields[]): Map<Fields, number> {
  const told = output.map(fieldsOf);
  const byId = new Map(told.map((item, at) => [idOf(item), at]));
  const places = new Map<Fields, number>();
  const free = new Map<unknown, number[]>();
  for (const item of items) {
    const at = idOf(item) === '' ? undefined : byId.get(idOf(item));
    if (at !== undefined) places.set(item, at);
    byId.delete(idOf(item));
  }
  const taken = new Set(places.values());
  // From the last to the first, so that `pop` takes the first.
  for (const [at, { type }] of [...told.entries()].reverse()) {
    if (taken.has(at)) continue;
    const same = free.get(type) ?? [];
    free.set(type, same);
    same.push(at);
  }
  for (const item of items) {
    const at = places.has(item) ? undefined : free.get(item['type'])?.pop();
    if (at !== undefined) places.set(item, at);
  }
  return places;
}

function isSamePlace(one: Fields, other: Fields): boolean {
  return one['output_index'] === other['output_index'] && one['content_index'] === other['content_index'] && one['item_id'] === other['item_id'];
}

function idOf({ call_id: call, id }: Fields): string {
  return labelOf(call) || textOf(id);
}
