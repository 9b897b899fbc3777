// TOML documents. The parser gives the places; lines are added and removed here, because no kept library does it in fewer bytes.
import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { type BracketStyle, changedMembers } from './brackets.ts';
import { type DocumentFormat, type DocumentText, EditProblem, type Range, type TextPart, type ValuePlace, type Write } from './edit.ts';
import { breakOf, hasBreak, indentAt, lineStart, nextLine, type Splice, spliced } from './text.ts';
import { keysText, sectionsText, TomlDate, valueText } from './toml-print.ts';
import { isPlain, put, valueAt } from './values.ts';

export const toml: DocumentFormat = {
  read,
  source: valueText,
  parse: (source) => (read(`k = ${source}\n`).value as { readonly k: unknown }).k,
  containers: { object: ['table', 'a table'], list: ['list of tables', 'a list of tables'] },
};

/** A key with its value, or the header of a table. */
interface TomlEntry extends Range {
  readonly place: ValuePlace;
  /** Absent for a header. */
  readonly value?: AST.TOMLContentNode;
  readonly key: Range;
  /** ValuePlace of the table that it is in; of a header, its own. */
  readonly section: ValuePlace;
}

function read(text: string): DocumentText {
  const entries = entriesOf(text);
  return {
    value: entries.length > 0 ? contentOfAll(entries) : undefined,
    write: (writes) => writes.reduce((now, one, at) => changed(now, at === 0 ? entries : entriesOf(now), one, breakOf(text)), text),
    parts: () => entries.flatMap(({ key, place, value }): TextPart[] => [{ ...key, kind: 'key', place }, ...(value ? partsOf(value, place) : [])]),
  };
}

function entriesOf(text: string): readonly TomlEntry[] {
  return parsed(text).body[0].body.flatMap((element): TomlEntry[] => {
    if (element.type === 'TOMLKeyValue') return [entryOf(element, [])];
    const { key, resolvedKey: place, kind, range, body } = element;
    const end = text.indexOf(']', key.range[1]) + (kind === 'array' ? 2 : 1);
    const header = { start: range[0], end };
    return [{ ...header, key: header, place, section: place }, ...body.map((member) => entryOf(member, place))];
  });
}

function entryOf(member: AST.TOMLKeyValue, section: ValuePlace): TomlEntry {
  const { key, value } = member;
  return { ...rangeOf(member), key: rangeOf(key), place: [...section, ...namesOf(key)], value, section };
}

function parsed(text: string): AST.TOMLProgram {
  try {
    // Without the line end, the parser gives a `0` at the end of a text an empty range.
    return parseTOML(`${text}\n`, { tomlVersion: '1.1' });
  } catch (error) {
    if (!(error instanceof ParseError)) throw new EditProblem('is not valid TOML');
    const reason = error.message.charAt(0).toLowerCase() + error.message.slice(1);
    throw new EditProblem(`is not valid TOML at line ${error.lineNumber}, column ${error.column + 1}: ${reason}`);
  }
}

function namesOf({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value));
}

function contentOfAll(entries: readonly TomlEntry[]): object {
  const root = {};
  for (const { place, value } of entries) assign(root, place, value && contentOf(value));
  return root;
}

/** Puts a value at a place, or a table. */
function assign(root: object, place: ValuePlace, value: unknown = {}): void {
  let container = root as Record<string | number, unknown>;
  for (const [at, step] of place.entries()) {
    const isLast = at === place.length - 1;
    if (!Object.hasOwn(container, step)) put(container, String(step), isLast ? value : typeof place[at + 1] === 'number' ? [] : {});
    container = container[step] as typeof container;
  }
}

function contentOf(node: AST.TOMLContentNode): unknown {
  if (node.type === 'TOMLArray') return node.elements.map(contentOf);
  if (node.type === 'TOMLInlineTable') {
    const table = {};
    for (const { key, value } of node.body) assign(table, namesOf(key), contentOf(value));
    return table;
  }
  if (node.kind === 'integer') return Number.isSafeInteger(node.value) ? node.value : node.bigint;
  return node.value instanceof Date ? new TomlDate((node as AST.TOMLDateTimeValue).datetime) : node.value;
}

function partsOf(node: AST.TOMLContentNode, place: ValuePlace): TextPart[] {
  if (node.type === 'TOMLArray') return node.elements.flatMap((one, at) => partsOf(one, [...place, at]));
  if (node.type !== 'TOMLInlineTable') return [{ ...rangeOf(node), kind: 'value', place }];
  return node.body.flatMap((member) => {
    const { key, place: here } = entryOf(member, place);
    return [{ ...key, kind: 'key', place: here }, ...partsOf(member.value, here)];
  });
}

function isWithin(place: ValuePlace, outer: ValuePlace): boolean {
  return outer.every((step, at) => step === place[at]);
}

/** The text after one change. */
function changed(text: string, entries: readonly TomlEntry[], { place, value }: Write, lineBreak: string): string {
  const holder = entries.find((one) => one.value && one.place.length < place.length && isWithin(place, one.place));
  if (holder?.value) return spliced(text, changesIn(text, holder.value, place.slice(holder.place.length), value));
  const old = entries.filter((one) => isWithin(one.place, place));
  const exact = old.find((one) => one.value && one.place.length === place.length);
  if (exact?.value && value !== undefined) return spliced(text, [replacement(exact.value, value)]);
  const rest = withoutLines(text, old);
  const others = old.length > 0 ? entriesOf(rest) : entries;
  if (value !== undefined) return inserted(rest, others, place, value, lineBreak);
  const container = place.slice(0, -1);
  // A table can be written only as a part of the headers in it.
  const isLost = container.length > 0 && valueAt(contentOfAll(others), container) === undefined;
  return isLost ? inserted(rest, others, container, typeof place.at(-1) === 'number' ? [] : {}, lineBreak) : rest;
}

function replacement(node: AST.TOMLContentNode, value: unknown): Splice {
  return { ...rangeOf(node), text: valueText(value) };
}

function rangeOf({ range: [start, end] }: AST.TOMLNode): Range {
  return { start, end };
}

/** A change inside of brackets. */
function changesIn(text: string, node: AST.TOMLContentNode, place: ValuePlace, value: unknown): readonly Splice[] {
  if (node.type === 'TOMLValue') return [];
  const isList = node.type === 'TOMLArray';
  const members = isList
    ? node.elements.map((item, at) => ({ ...rangeOf(item), place: [at], value: item }))
    : node.body.map((member) => ({ ...rangeOf(member), place: namesOf(member.key), value: member.value }));
  const holder = members.find((one) => isWithin(place, one.place));
  if (holder && holder.place.length < place.length) return changesIn(text, holder.value, place.slice(holder.place.length), value);
  if (holder && value !== undefined) return [replacement(holder.value, value)];
  const keys = isList ? '' : `${keysText(place)} = `;
  const style: BracketStyle = { gap: /(?:\s|#[^\r\n]*)*/y, unit: '  ', space: ' ', pad: isList ? '' : ' ', isTall: false };
  const removed = new Set<Range>(members.filter((one) => isWithin(one.place, place)));
  return changedMembers(text, { ...rangeOf(node), members }, removed, value === undefined ? [] : [() => keys + valueText(value)], style);
}

/** Adds a value whose container is not a value between brackets. */
function inserted(text: string, entries: readonly TomlEntry[], place: ValuePlace, value: unknown, lineBreak: string): string {
  const container = place.slice(0, -1);
  if (isPlain(value)) return withSections(text, entries, place, value, lineBreak);
  const isOpen = container.length === 0 || entries.some((one) => !one.value && isSame(one.place, container));
  const isDotted = ({ value: own, section, place: here }: TomlEntry): boolean =>
    own !== undefined && isWithin(here, container) && isWithin(container, section);
  const last = entries.findLast((one) => (isOpen ? isSame(one.section, container) : isDotted(one)));
  if (!isOpen && !last) return withSections(text, entries, container, { [String(place.at(-1))]: value }, lineBreak);
  const line = `${keysText(place.slice(last?.section.length ?? 0))} = ${valueText(value)}`;
  if (last) {
    const at = nextLine(text, last.end);
    const indented = indentAt(text, last.start) + line;
    return spliced(text, [{ start: at, end: at, text: hasBreak(text[at - 1] ?? '') ? indented + lineBreak : lineBreak + indented }]);
  }
  let at = entries[0]?.start ?? text.length;
  // The comments above a header belong to it.
  while (
    entries[0] &&
    text
      .slice(lineStart(text, at - 1), at)
      .trim()
      .startsWith('#')
  )
    at = lineStart(text, at - 1);
  if (entries[0]) return spliced(text, [{ start: at, end: at, text: line + lineBreak.repeat(2) }]);
  return text + separation(text, at, lineBreak) + line + lineBreak;
}

function isSame(one: ValuePlace, other: ValuePlace): boolean {
  return one.length === other.length && isWithin(one, other);
}

/** Adds tables at the end of the text, or of the item of a list in which they are. */
function withSections(
  text: string,
  entries: readonly TomlEntry[],
  place: ValuePlace,
  table: Readonly<Record<string, unknown>>,
  lineBreak: string,
): string {
  const scope = place.slice(0, place.findLastIndex((step, at) => typeof step === 'number' && at < place.length - 1) + 1);
  const list = typeof place.at(-1) === 'number' ? place.slice(0, -1) : scope;
  const last = list.length > 0 ? entries.findLast((one) => isWithin(one.place, list)) : undefined;
  const at = last ? nextLine(text, last.end) : text.length;
  const tail = at === text.length || hasBreak(text[at] ?? '') ? lineBreak : lineBreak.repeat(2);
  return spliced(text, [{ start: at, end: at, text: separation(text, at, lineBreak) + sectionsText(place, table, lineBreak) + tail }]);
}

/** The line ends that make one blank line above a place. */
function separation(text: string, at: number, lineBreak: string): string {
  if (at === 0) return '';
  if (!hasBreak(text[at - 1] ?? '')) return lineBreak.repeat(2);
  return blanksAbove(text, at) < at ? '' : lineBreak;
}

/** Start of the blank lines above the start of a line. */
function blanksAbove(text: string, at: number): number {
  let start = at;
  for (let line = start; line > 0; ) {
    line = lineStart(text, text.startsWith('\r\n', line - 2) ? line - 2 : line - 1);
    if (text.slice(line, start).trim() !== '') return start;
    start = line;
  }
  return start;
}

/** Removes the lines of entries, and the blank lines that become superfluous. */
function withoutLines(text: string, entries: readonly TomlEntry[]): string {
  const cuts: { start: number; end: number; readonly text: '' }[] = [];
  for (const entry of entries) {
    const [start, end] = [lineStart(text, entry.start), nextLine(text, entry.end)];
    const previous = cuts.at(-1);
    if (previous && text.slice(previous.end, start).trim() === '') previous.end = end;
    else cuts.push({ start, end, text: '' });
  }
  for (const cut of cuts) {
    const above = blanksAbove(text, cut.start);
    const below = nextLine(text, cut.end);
    if (cut.end === text.length) cut.start = above;
    else if ((above < cut.start || cut.start === 0) && text.slice(cut.end, below).trim() === '') cut.end = below;
  }
  return spliced(text, cuts);
}
