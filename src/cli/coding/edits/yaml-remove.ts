// Edits of a YAML document that are taken back.
import { isMap } from 'yaml';
import type { Path, Undo } from './edit.ts';
import {
  beforeBreak,
  blankEnd,
  colonOf,
  entryEnd,
  entryStart,
  isBlock,
  isEmpty,
  lineEnd,
  lineStart,
  pairEnd,
  type Splice,
  skipBlanks,
} from './yaml-positions.ts';
import { nameOf, type Pair, type Place, pairAt, startOf } from './yaml-tree.ts';

export interface Cut {
  /** Text that the key keeps for a value. */
  readonly blank: string | undefined;
  readonly lead: string | undefined;
  /** Whether blank lines after the member go with it. */
  readonly isToBlank: boolean;
}

/** Puts an earlier value back. */
export function putBack(text: string, place: Place, before: string, undo: Undo, isToBlank: boolean): Splice {
  const pair = pairAt(place);
  const colon = colonOf(pair);
  const end = pairEnd(text, pair);
  const to = isToBlank ? blankEnd(text, end) : end;
  if (undo.lead === ':' && place.container.flow) return { from: pair.key.range?.[1] ?? to, to, text: '' };
  if (colon === undefined) return { from: to, to, text: `: ${before}` };
  const hasOwnSpace = before === '' || /^\s/.test(before);
  if (hasOwnSpace || !pair.value || isEmpty(pair.value) || isBlock(pair.value)) return { from: colon, to, text: hasOwnSpace ? before : ` ${before}` };
  return { from: startOf(pair.value), to, text: before };
}

/** Steps to the outermost entry that goes with a removed leaf. A container that the edit made goes with its last member. */
export function removedDepth(places: readonly Place[], undo: Undo): number {
  let depth = places.length;
  while (places.length - depth < (undo.made ?? 0) && depth > 1 && hasOnlyOurs(places[depth - 1] as Place, undo.path[depth - 2])) depth--;
  return depth;
}

/** Removes the last of the places, or only its value if the edit found its key there. */
export function removeMember(text: string, places: readonly Place[], cut: Cut): readonly Splice[] {
  const place = places.at(-1) as Place;
  return cut.blank === undefined ? removeEntry(text, place, places.at(-2), cut) : emptied(text, place, cut.blank, cut);
}

/** True if a container has only the given entry, and the fields that identify it. */
function hasOnlyOurs({ container, index }: Place, step: Path[number] | undefined): boolean {
  const fields = typeof step === 'object' ? step : {};
  return container.items.every((entry, at) => at === index || (isMap(container) && Object.hasOwn(fields, nameOf(entry as Pair) ?? '')));
}

/** Takes the value of a key away, with its lines, and leaves another text. */
function emptied(text: string, place: Place, blank: string, { lead, isToBlank }: Cut): readonly Splice[] {
  const pair = pairAt(place);
  const colon = colonOf(pair) ?? pairEnd(text, pair);
  const from = lead === ':' && place.container.flow ? (pair.key.range?.[1] ?? colon) : colon;
  const to = pairEnd(text, pair);
  if (!isBlock(pair.value)) return [{ from, to, text: blank }];
  const lines = cutLines(text, entryStart(pair.value, 0), to, isToBlank);
  return [{ from, to: from, text: blank }, lines];
}

/** Removes an entry. `owner` is the place of its container. */
function removeEntry(text: string, place: Place, owner: Place | undefined, cut: Cut): readonly Splice[] {
  const { container, index } = place;
  if (!isBlock(container)) return removeFlowEntry(text, place);
  const start = entryStart(container, index);
  const end = entryEnd(text, container, index);
  if (container.items.length === 1 && owner) {
    const nothing = isMap(container) ? '{}' : '[]';
    return isMap(owner.container) ? emptied(text, owner, ` ${nothing}`, { ...cut, lead: undefined }) : [{ from: start, to: end, text: nothing }];
  }
  const isFirstOnLine = /^\s*$/.test(text.slice(lineStart(text, start), start));
  if (isFirstOnLine) return [cutLines(text, start, end, cut.isToBlank)];
  // The next entry moves up behind the dash, unless there are comments before it.
  const next = index + 1 < container.items.length ? entryStart(container, index + 1) : end;
  return [{ from: start, to: /^\s*$/.test(text.slice(end, next)) ? next : lineEnd(text, end), text: '' }];
}

function cutLines(text: string, start: number, end: number, isToBlank: boolean): Splice {
  const first = lineStart(text, start);
  const last = isToBlank ? blankEnd(text, end) : lineEnd(text, end);
  if (first > 0) return { from: beforeBreak(text, first), to: last, text: '' };
  return { from: 0, to: text.startsWith('\r\n', last) ? last + 2 : Math.min(last + 1, text.length), text: '' };
}

function removeFlowEntry(text: string, { container, index }: Place): readonly Splice[] {
  const start = entryStart(container, index);
  const end = entryEnd(text, container, index);
  const line = lineStart(text, start);
  const isFirstOnLine = line > startOf(container) && /^\s*$/.test(text.slice(line, start));
  const from = isFirstOnLine ? beforeBreak(text, line) : line + text.slice(line, start).trimEnd().length;
  const comma = skipBlanks(text, end);
  if (text[comma] === ',') {
    const isFirst = index === 0 && container.items.length > 1;
    const next = isFirst ? entryStart(container, 1) : comma + 1;
    if (isFirst && !isFirstOnLine && /^\s*$/.test(text.slice(comma + 1, next)) && comma === end) return [{ from: start, to: next, text: '' }];
    return [
      { from, to: end, text: '' },
      { from: comma, to: comma + 1, text: '' },
    ];
  }
  if (index === 0) return [{ from, to: end, text: '' }];
  const before = skipBlanks(text, entryEnd(text, container, index - 1));
  return [
    { from: before, to: before + 1, text: '' },
    { from, to: end, text: '' },
  ];
}
