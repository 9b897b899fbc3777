// Lines and tables of a TOML document.
import type { Undo } from './edit.ts';
import { beforeBreak, breakOf, isBlank, isBreak, lineStart, nextLine, type Range, type Splice, skipBlanks } from './text.ts';
import { type Item, type Located, membersOf, type Node, rangeOf } from './tree.ts';

/** The headers and members that an item is written in, in order. */
export function placesOf(item: Item): readonly Range[] {
  if (item.start >= 0) return [rangeOf(item)];
  return placesIn(item.value).sort((a, b) => a.start - b.start);
}

function placesIn({ header, items }: Node): Range[] {
  return [...(header ? [header] : []), ...items.flatMap(placesOf)];
}

/** True if a container still has text of its own without one of its items. */
export function survives({ container, item }: Located): boolean {
  const isWritten = container.layout === 'flow' || (container.layout === 'block' && container.kind === 'map');
  return isWritten || hasOthers({ container, item });
}

/** True if another item of the container has text. */
export function hasOthers({ container, item }: Located): boolean {
  return container.items.some((other) => other !== item && placesOf(other).length > 0);
}

/** Place after the last member of a table and the comments right below it, but above the comments of the next header. */
export function tableEnd(text: string, last: Range): number {
  const after = nextLine(text, last.end);
  let at = after;
  while (at < text.length && isComment(text, at)) at = nextLine(text, at);
  return text[skipBlanks(text, at)] === '[' ? after : at;
}

/** Place for a new header: the end of the text, or the end of the innermost item of a list on the way. */
export function scopeEnd(text: string, way: readonly Located[]): number {
  const reached = way.at(-1)?.item.value;
  const list = reached?.kind === 'list' ? reached.items.at(-1)?.value : undefined;
  const scope = list ?? way.findLast(({ container }) => container.kind === 'list')?.item.value;
  const last = scope && placesIn(scope).reduce((latest, place) => (place.end > latest.end ? place : latest));
  if (last) return tableEnd(text, last);
  let at = text.length;
  while (isBlank(text[at - 1] ?? '.')) at--;
  // White space in a last line without an end stays after the insertion.
  return at === 0 || isBreak(text[at - 1]) ? at : text.length;
}

/** Start of the first header and of the comments that belong to it. Undefined if there is no header. */
export function firstHeader(text: string): number | undefined {
  let header = 0;
  while (header < text.length && text[skipBlanks(text, header)] !== '[') header = nextLine(text, header);
  if (header === text.length) return undefined;
  while (header > 0 && isComment(text, lineStart(text, header - 1))) header = lineStart(text, header - 1);
  return header;
}

function isComment(text: string, line: number): boolean {
  return text[skipBlanks(text, line)] === '#';
}

/** The line ends that make one blank line above a place. */
export function separation(text: string, at: number): string {
  if (at === 0) return '';
  if (!isBreak(text[at - 1])) return breakOf(text).repeat(2);
  return isBlankAbove(text, at) ? '' : breakOf(text);
}

/** True if the line above the start of a line is blank. */
function isBlankAbove(text: string, start: number): boolean {
  const end = beforeBreak(text, start);
  return end < start && text.slice(lineStart(text, end), end).trim() === '';
}

/**
 * The lines of a member with the text that was added around it. Undefined if that text is different now, or if a header in it has other members.
 */
export function exactLines(text: string, way: readonly Located[], member: Range, { lead = '', trail = '' }: Undo): Range | undefined {
  const start = member.start - lead.length;
  const end = member.end + trail.length;
  if (text.slice(start, member.start) !== lead || text.slice(member.end, end) !== trail) return undefined;
  // Another program has changed our line end to CRLF.
  if (text.startsWith('\r\n', start - 1)) return undefined;
  const isWhole = start === 0 || isBreak(text[start - 1]) ? end === text.length || isBreak(text[end - 1]) : end === text.length || isBreak(text[end]);
  const lines = { start, end };
  const isAlone = way.every(({ container, item }) => {
    const { header } = item.value;
    if (!header || !isInside(header, lines)) return true;
    return (container.kind === 'list' ? placesIn(item.value) : membersOf(item.value).map(rangeOf)).every((place) => isInside(place, lines));
  });
  return isWhole && isAlone ? lines : undefined;
}

export function isInside(inner: Range, outer: Range): boolean {
  return inner.start >= outer.start && inner.end <= outer.end;
}

/** End of a range of lines, with the blank line below it if there is also one above: it was put between other lines. */
export function endWithBlankLine(text: string, start: number, end: number): number {
  const next = nextLine(text, end);
  const isBetween = start === 0 || isBlankAbove(text, start);
  return isBetween && isBreak(text[next - 1]) && text.slice(end, next).trim() === '' ? next : end;
}

/** Removes the lines of members and headers, and the blank lines that become superfluous. */
export function removeLines(text: string, places: readonly Range[]): Splice[] {
  const cuts: { start: number; end: number; text: string }[] = [];
  for (const place of places) {
    const start = lineStart(text, place.start);
    const previous = cuts.at(-1);
    if (previous?.end === start) previous.end = nextLine(text, place.end);
    else cuts.push({ start, end: nextLine(text, place.end), text: '' });
  }
  for (const cut of cuts) cut.end = endWithBlankLine(text, cut.start, cut.end);
  const last = cuts.at(-1);
  if (last?.end === text.length) last.start = startAtEnd(text, last.start);
  return cuts;
}

/** Start of a removal up to the end of the text. Blank lines above go too; a text without a line end at its end gets none. */
function startAtEnd(text: string, from: number): number {
  let start = from;
  while (start > 0 && isBlankAbove(text, start)) start = lineStart(text, beforeBreak(text, start));
  return isBreak(text.at(-1)) ? start : beforeBreak(text, start);
}

/** The lines of a table, with the comments and blank lines between them, but without the lines of others. */
export function linesOf(text: string, places: readonly Range[]): readonly Range[] {
  const lines: { start: number; end: number }[] = [];
  for (const { start, end } of places) {
    const previous = lines.at(-1);
    const isNext =
      previous &&
      text
        .slice(previous.end, start)
        .split('\n')
        .every((line) => /^\s*(?:#.*)?$/.test(line));
    if (isNext) previous.end = nextLine(text, end);
    else lines.push({ start: lineStart(text, start), end: nextLine(text, end) });
  }
  return lines.map(({ start, end }) => ({ start, end: endWithBlankLine(text, start, end) }));
}
