// Removal of members and tables from a TOML document.
import type { Step, Undo } from './edit.ts';
import { type Block, isBlank, lineStart, type Member, nextLine, type Splice, splice, type Value } from './toml-scan.ts';
import type { Node, Tree } from './toml-tree.ts';

/** Removes a member with the text that was added around it. Undefined if that text, or something that relies on it, is different now. */
export function removeExactly(text: string, tree: Tree, leaf: Member, { lead = '', trail = '' }: Undo): string | undefined {
  const comma = lead.startsWith(',') ? 1 : 0;
  const start = leaf.start - (lead.length - comma);
  const end = leaf.end + trail.length;
  if (text.slice(start, leaf.start) !== lead.slice(comma) || text.slice(leaf.end, end) !== trail) return undefined;
  // Another program made CRLF of our line end.
  if (text[start] === '\n' && text[start - 1] === '\r') return undefined;
  let outer = leaf;
  while (outer.group.type === 'member' && outer.group.value.start >= start) outer = outer.group;
  if (outer.group.type === 'member') return removeInlineExactly(text, outer, outer.group.value, { start, end, text: lead + trail });
  const isWhole = isWholeLines(text, start, end) && isAlone(tree, start, end);
  return isWhole && comma === 0 ? splice(text, [{ start, end: endWithBlankLine(text, start, end), text: '' }]) : undefined;
}

/** True if a range begins and ends at starts of lines, or at ends of lines. */
function isWholeLines(text: string, start: number, end: number): boolean {
  if (start === 0 || text[start - 1] === '\n') return end === text.length || text[end - 1] === '\n';
  return end === text.length || /^\r?\n/.test(text.slice(end, end + 2));
}

/** True if the headers in a range can go: their members are inside of it, and so are all tables of an item. Other tables exist by their tables too. */
function isAlone({ blocks, owners }: Tree, start: number, end: number): boolean {
  const inside = blocks.filter(({ header }) => header && header.start >= start && header.start < end);
  const items = inside.filter(({ header }) => header?.isItem).map((block) => owners.get(block)?.at(-1));
  return (
    inside.every(({ members }) => members.every((member) => member.end <= end)) &&
    blocks.every((block) => inside.includes(block) || !owners.get(block)?.some((node) => items.includes(node)))
  );
}

/** End of a range of lines, with the blank line below it if there is also one above: it was put between other lines. */
function endWithBlankLine(text: string, start: number, end: number): number {
  const next = nextLine(text, end);
  const isBetween = start === 0 || isBlankAbove(text, start);
  return isBetween && text[next - 1] === '\n' && text.slice(end, next).trim() === '' ? next : end;
}

function removeInlineExactly(text: string, member: Member, group: Value, range: Splice): string | undefined {
  const at = group.members.indexOf(member);
  const previous = group.members[at - 1];
  const cut = { ...range, text: '' };
  const before = text.slice(previous ? (previous.comma as number) + 1 : group.start + 1, range.start);
  const isComment = before.includes('#') && !/^[ \t]*(\r?\n|#)/.test(text.slice(range.end, range.end + 200));
  if (isComment) return undefined;
  if (!range.text.startsWith(',')) {
    const isSafe = range.text.endsWith(',') || (group.members.length === 1 && member.comma === undefined);
    return isSafe ? splice(text, [cut]) : undefined;
  }
  if (previous?.comma === undefined) return undefined;
  if (before === '') return splice(text, [{ ...cut, start: previous.comma }]);
  const isLast = at === group.members.length - 1 && member.comma === undefined;
  return isLast ? splice(text, [{ start: previous.comma, end: previous.comma + 1, text: '' }, cut]) : undefined;
}

/** Removes a member, whatever is around it. */
export function removeMember(text: string, member: Member): string {
  if (member.group.type === 'block') return removeLines(text, [member]);
  const { members, start } = member.group.value;
  const at = members.indexOf(member);
  const previous = members[at - 1];
  if (member.comma !== undefined) return removeWithComma(text, member, member.comma, members.length === 1 ? start + 1 : member.start);
  const limit = previous ? (previous.comma as number) + 1 : start + 1;
  const from = startOfSpace(text, member, limit);
  // The space in an emptied container goes, but not a line end after a comment.
  const end = members.length === 1 && from === limit ? skipSpace(text, member.end) : member.end;
  const cut = { start: from, end: text[end] === '#' ? member.end : end, text: '' };
  return splice(text, previous ? [{ start: previous.comma as number, end: (previous.comma as number) + 1, text: '' }, cut] : [cut]);
}

function removeWithComma(text: string, member: Member, comma: number, from: number): string {
  const before = text.slice(from, member.start);
  const between = text.slice(member.end, comma);
  const start = before.trim() === '' ? from : member.start;
  const end = skipSpace(text, comma + 1);
  // A comment between the value and its comma stays.
  if (between.trim() !== '')
    return splice(text, [
      { start: member.start, end: member.end, text: '' },
      { start: comma, end: comma + 1, text: '' },
    ]);
  return splice(text, [{ start, end: text[end] === '#' ? comma + 1 : end, text: '' }]);
}

/** Start of the white space before a last member. A line end stays if a comment may be before it and no other line end follows. */
function startOfSpace(text: string, member: Member, limit: number): number {
  let start = member.start;
  while (start > limit && (isBlank(text, start - 1) || text[start - 1] === '\n' || text[start - 1] === '\r')) start--;
  const hasLineEnd = text.slice(start, member.start).includes('\n');
  return !hasLineEnd || start === limit || /^[ \t]*\r?\n/.test(text.slice(member.end, member.end + 200)) ? start : member.start;
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isBlank(text, at) || text[at] === '\n' || text[at] === '\r') at++;
  return at;
}

/** Removes the lines of members and headers, and blank lines that are too many then. */
function removeLines(text: string, places: readonly { readonly start: number; readonly end: number }[]): string {
  const cuts: { start: number; end: number; text: string }[] = [];
  for (const place of places) {
    const start = lineStart(text, place.start);
    const previous = cuts.at(-1);
    if (previous?.end === start) previous.end = nextLine(text, place.end);
    else cuts.push({ start, end: nextLine(text, place.end), text: '' });
  }
  for (const cut of cuts) cut.end = endWithBlankLine(text, cut.start, cut.end);
  const last = cuts.at(-1) as (typeof cuts)[number];
  if (last.end === text.length) last.start = startAtEnd(text, last.start);
  return splice(text, cuts);
}

/** Start of a removal up to the end of the text. Blank lines above go too; a text without a line end at its end gets none. */
function startAtEnd(text: string, from: number): number {
  let start = from;
  while (start > 0 && isBlankAbove(text, start)) start = lineStart(text, start - 1);
  if (text.endsWith('\n') || start === 0) return start;
  return start - (text[start - 2] === '\r' ? 2 : 1);
}

/** True if the line above the start of a line is blank. */
function isBlankAbove(text: string, start: number): boolean {
  return text[start - 1] === '\n' && text.slice(lineStart(text, start - 1), start).trim() === '';
}

/** Removes a table or list that has no members, or only those that identify it. Returns the text as it is if there are others. */
export function removeEmpty(text: string, { kind, children, items, block, member }: Node, step: Step): string {
  const isEmpty =
    kind === 'list'
      ? items.length === 0
      : kind === 'table' && [...children.keys()].every((key) => typeof step !== 'string' && Object.hasOwn(step, key));
  if (!isEmpty) return text;
  if (member) return removeMember(text, member);
  return block?.header ? removeLines(text, [block.header, ...(block as Block).members]) : text;
}

/** Turns the header of an item or table without members of its own into another one. */
export function renameHeader(text: string, { header, members }: Block, name: string): string {
  const shorter = members.length > 0 ? removeLines(text, members) : text;
  return header ? splice(shorter, [{ start: header.start, end: header.end, text: name }]) : shorter;
}
