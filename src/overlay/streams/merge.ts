// Merges the pieces of fields that the protocols do not define, such as `reasoning` and `logprobs`.
import { isFields } from '../json/json-value.ts';

/** Fields whose strings are labels. Pieces repeat a label, so the last one is kept and not appended. */
const labels: ReadonlySet<string> = new Set('id type role name format status expires_at'.split(' '));
/** Types of parts that are joined if they follow each other. */
const textParts: ReadonlySet<unknown> = new Set(['text', 'thinking']);
/** Deeper values are not merged: the last one is kept. */
const maxDepth = 8;

/** How to merge strings: append them (`pieces`), or keep the last (`values`). */
type StringsAre = 'pieces' | 'values';

/**
 * Merges the fields of a piece into those so far: strings are appended, lists are joined, objects are merged, and other values are replaced.
 * Null does not replace a value. The piece is copied and never changed.
 */
export function mergeFields(target: Record<string, unknown>, piece: object, strings: StringsAre, depth = 0): void {
  // Assigning `__proto__` would replace the prototype.
  for (const [name, value] of Object.entries(piece))
    if (value !== undefined && name !== '__proto__')
      target[name] = merged(target[name], value, labels.has(name) ? 'values' : strings, strings, depth);
}

/** A copy of a value, so that later pieces do not change the original. */
export function copied(value: unknown): unknown {
  return merged(undefined, value, 'values', 'values', 0);
}

function merged(before: unknown, piece: unknown, own: StringsAre, strings: StringsAre, depth: number): unknown {
  if (piece === null || piece === '') return before ?? piece;
  if (typeof piece === 'string') return own === 'pieces' && typeof before === 'string' ? before + piece : piece;
  if (typeof piece !== 'object' || depth > maxDepth) return piece;
  if (Array.isArray(piece)) {
    const list: unknown[] = Array.isArray(before) ? before : [];
    for (const item of piece as unknown[]) mergeItem(list, item, strings, depth + 1);
    return list;
  }
  const fields = isFields(before) ? (before as Record<string, unknown>) : {};
  mergeFields(fields, piece, strings, depth + 1);
  return fields;
}

/** Adds an item to a list, or continues the last item. */
function mergeItem(list: unknown[], item: unknown, strings: StringsAre, depth: number): void {
  const last = list.at(-1);
  if (strings === 'pieces' && isFields(item) && isFields(last) && continues(last, item))
    mergeFields(last as Record<string, unknown>, item, strings, depth);
  else list.push(merged(undefined, item, strings, strings, depth));
}

function continues(last: Readonly<Record<string, unknown>>, item: Readonly<Record<string, unknown>>): boolean {
  if (last['type'] !== item['type'] || last['index'] !== item['index']) return false;
  return typeof item['index'] === 'number' || textParts.has(item['type']);
}
