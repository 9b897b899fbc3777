// Members between brackets, in JSON and in TOML: removed with their commas, or added after the last one.
import type { Range } from './edit.ts';
import { breakOf, hasBreak, indentAt, nextLine, type Splice, startsLine } from './text.ts';

/** A container from bracket to bracket, with its members. */
export interface Bracketed extends Range {
  readonly members: readonly Range[];
}

export interface BracketStyle {
  /** White space and comments, with the sticky flag. */
  readonly gap: RegExp;
  /** Indentation of one level. */
  readonly unit: string;
  /** White space after a comma. */
  readonly space: string;
  /** White space inside of the brackets of one line. */
  readonly pad: string;
  /** A first member gets a line of its own. */
  readonly isTall: boolean;
}

/** Writes a member on a line with the given indentation; without one, the member is on the line of another. */
export type Print = (indent: string | undefined) => string;

/** Removes some members of a container, and adds others after the rest. Comments stay. */
export function changedMembers(
  text: string,
  container: Bracketed,
  removed: ReadonlySet<Range>,
  added: readonly Print[],
  style: BracketStyle,
): readonly Splice[] {
  const { members } = container;
  const commaOf = ({ end }: Range): number | undefined => {
    const at = gapEnd(text, end, style.gap);
    return text[at] === ',' ? at : undefined;
  };
  const splices = [...removed].flatMap((member) => cut(text, member, commaOf(member)));
  const last = members.at(-1);
  const anchor = members.findLast((member) => !removed.has(member));
  if (!anchor) return added.length > 0 ? [...splices, firstMembers(text, container, added, style)] : splices;
  const comma = commaOf(anchor);
  const hasLastComma = last !== undefined && commaOf(last) !== undefined;
  if (added.length === 0) {
    // Most formats have no comma before the closing bracket.
    return comma === undefined || hasLastComma ? splices : [...splices, { start: comma, end: comma + 1, text: '' }];
  }
  if (comma === undefined) splices.push({ start: anchor.end, end: anchor.end, text: ',' });
  const isOnLine = startsLine(text, anchor.start);
  const note = noteEnd(text, comma === undefined ? anchor.end : comma + 1, style.gap);
  const indent = isOnLine ? indentAt(text, anchor.start) : note.endsLine ? indentAt(text, container.start) + style.unit : undefined;
  const list = listed(text, added, indent, style.space);
  return [...splices, { start: note.end, end: note.end, text: hasLastComma ? `${list},` : list }];
}

/** The first members come after the comments of an empty container, and instead of members that are removed. */
function firstMembers(text: string, { start, end, members }: Bracketed, added: readonly Print[], style: BracketStyle): Splice {
  const inside = text.slice(start + 1, end - 1);
  const isEmpty = members.length === 0;
  const at = start + 1 + (isEmpty ? inside.trimEnd().length : 0);
  const outer = indentAt(text, start);
  if (style.isTall || hasBreak(inside) || (isEmpty && inside.trim() !== '')) {
    const tail = hasBreak(text.slice(at, end - 1)) ? '' : breakOf(text) + outer;
    return { start: at, end: at, text: listed(text, added, outer + style.unit, '') + tail };
  }
  const list = listed(text, added, undefined, style.space).slice(style.space.length);
  return isEmpty ? { start: at, end: end - 1, text: style.pad + list + style.pad } : { start: at, end: at, text: style.pad + list };
}

function listed(text: string, added: readonly Print[], indent: string | undefined, space: string): string {
  const lead = indent === undefined ? space : breakOf(text) + indent;
  return added.map((print) => lead + print(indent)).join(',');
}

/** A member and its comma, with the blanks, or the line, that would be left over. */
function cut(text: string, { start, end }: Range, comma: number | undefined): Splice[] {
  const isBeside = comma !== undefined && text.slice(end, comma).trim() === '';
  const whole = tidied(text, start, isBeside ? comma + 1 : end);
  return comma === undefined || isBeside ? [whole] : [whole, { start: comma, end: comma + 1, text: '' }];
}

function tidied(text: string, start: number, end: number): Splice {
  const before = /[ \t]*$/.exec(text.slice(Math.max(0, start - 1000), start))?.[0].length ?? 0;
  let last = end;
  while (/[ \t]/.test(text[last] ?? '')) last++;
  if (!hasBreak(text[last] ?? '')) return { start, end: last, text: '' };
  if (startsLine(text, start)) return { start: start - before, end: nextLine(text, last), text: '' };
  return { start: start - before, end, text: '' };
}

/** The end of white space and comments. */
function gapEnd(text: string, from: number, gap: RegExp): number {
  gap.lastIndex = from;
  return gap.test(text) ? gap.lastIndex : from;
}

/** The end of the comments that follow on the line. `endsLine` is true if the last of them reaches the end of the line. */
function noteEnd(text: string, from: number, gap: RegExp): { readonly end: number; readonly endsLine: boolean } {
  const after = text.slice(from, gapEnd(text, from, gap));
  const [whole = '', rest] = /^(?:[ \t]*\/\*(?:[^*\r\n]|\*(?!\/))*\*\/)*([ \t]*(?:\/\/|#)[^\r\n]*)?/.exec(after) ?? [];
  return { end: from + whole.length, endsLine: rest !== undefined };
}
