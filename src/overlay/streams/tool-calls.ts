import type { ToolCall, ToolCallDelta } from '../../generated/types.ts';
import { StreamError } from '../errors/errors.ts';
import { argumentsText, fieldsOf, labelOf, textOf, wholeArguments } from '../json/json-value.ts';
import { copied, mergeFields } from './merge.ts';

interface CallDraft {
  id: string;
  type: string;
  name: string;
  arguments: string;
  /** Other fields of the function. */
  readonly called: Record<string, unknown>;
  /** Other fields of the call, for instance of other kinds of calls. */
  readonly rest: Record<string, unknown>;
}

/**
 * Assembles the tool calls of one choice from their pieces. Services differ in the form of the pieces. An index may be missing, start at 1,
 * jump or be reused for another call. Ids may be empty, or new in every piece. A name may arrive late or in every piece.
 */
export class ToolCallAssembler {
  readonly #drafts: CallDraft[] = [];
  readonly #byIndex = new Map<number, CallDraft>();
  /** The first call with each id. */
  readonly #byId = new Map<string, CallDraft>();

  add(delta: ToolCallDelta): void {
    const { index, id: anyId, type, function: called, ...rest } = delta as ToolCallDelta & Record<string, unknown>;
    const id = labelOf(anyId);
    const { name: anyName, arguments: piece, ...ofFunction } = fieldsOf(called);
    const name = textOf(anyName);
    const kind = textOf(type);
    const draft = this.#draftFor(typeof index === 'number' ? index : undefined, id, name, name !== '' || (kind !== '' && kind !== 'function'));
    if (id !== '') {
      draft.id ||= id;
      if (!this.#byId.has(draft.id)) this.#byId.set(draft.id, draft);
    }
    draft.type = kind || draft.type;
    if (name !== '') draft.name ||= name;
    draft.arguments += argumentsText(piece);
    mergeFields(draft.called, ofFunction, 'values');
    const { custom, ...others } = rest;
    mergeFields(draft.rest, others, 'values');
    // The text of a custom tool comes in pieces, like arguments.
    mergeFields(draft.rest, { custom }, 'pieces');
  }

  /** The calls in the order of their first pieces; undefined if there are none. Throws for a function call without a name unless `keepMalformed` is true. */
  result(operation: string, keepMalformed: boolean): ToolCall[] | undefined {
    if (this.#drafts.length === 0) return undefined;
    return this.#drafts.map((draft, position) => {
      const base = { ...(copied(draft.rest) as object), id: draft.id || `call_${position + 1}`, type: draft.type };
      if (draft.type !== 'function') return base as ToolCall;
      if (draft.name === '' && !keepMalformed) throw new StreamError(operation, 'malformed', `tool call ${position + 1} of the stream has no name`);
      return { ...base, function: { ...(copied(draft.called) as object), name: draft.name, arguments: wholeArguments(draft.arguments) } } as ToolCall;
    });
  }

  /** The draft that a piece belongs to. `begins` is true for a piece with a name or a special type, which only the first piece of a call needs. */
  #draftFor(index: number | undefined, id: string, name: string, begins: boolean): CallDraft {
    const known = index === undefined ? this.#withoutIndex(id, name) : this.#byIndex.get(index);
    if (known && (id === '' || known.id === '' || known.id === id)) return known;
    // Another id under the same index is another call only with a name: some servers give every piece of a call a new id.
    if (known && (!begins || (known.name === '' && known.type === 'function'))) return this.#byId.get(id) ?? known;
    const draft: CallDraft = { id: '', type: 'function', name: '', arguments: '', called: {}, rest: {} };
    this.#drafts.push(draft);
    if (index !== undefined) this.#byIndex.set(index, draft);
    return draft;
  }

  #withoutIndex(id: string, name: string): CallDraft | undefined {
    const last = this.#drafts.at(-1);
    if (id !== '') return this.#byId.get(id) ?? (last?.id === '' && last.name === '' ? last : undefined);
    return name !== '' && last !== undefined && last.name !== '' ? undefined : last;
  }
}
