// Members between brackets, in any format: their commas, line ends and comments.
import type { Undo } from './edit.ts';
import { beforeBreak, breakOf, hasBreak, indentAt, isBlank, isBreak, type Range, type Splice, skipBlanks } from './text.ts';
import { type Item, membersOf, type Node, rangeOf } from './tree.ts';

/** A comment of YAML and TOML. */
export const hashComment: RegExp = /#[^\r\n]*/y;

/** The style between brackets, of a format and of a document. */
export interface Brackets {
  /** Pattern of a comment, with the sticky flag. */
  readonly comment: RegExp;
  /** Indentation of one level. */
  readonly unit: string;
  /** White space after a comma in one line. */
  readonly gap: string;
  /** White space inside of the brackets around a first member. */
  readonly pad: string;
  /** True if the first member of an empty container gets a line of its own. */
  readonly isTall: boolean;
}

export interface Insertion {
  readonly splices: readonly Splice[];
  /** Place of the new member in the new text. */
  readonly place: Range;
  readonly undo: Pick<Undo, 'lead' | 'trail'>;
}

/** Writes a member on a line with the given indentation; without one, the member is on the line of another. */
type Print = (indent: string | undefined) => string;

/** Adds a last member to a container. */
export function insertMember(text: string, container: Node, brackets: Brackets, print: Print): Insertion {
  const members = membersOf(container);
  const item = members.at(-1);
  if (!item) return insertFirst(text, container, brackets, print);
  const last = rangeOf(item);
  const comma = commaAfter(text, last.end, brackets.comment);
  const end = comma === undefined ? last.end : comma + 1;
  const note = commentsOnLine(text, end, brackets.comment);
  const isOnLine = startsLine(text, container, members.length - 1, brackets.comment);
  const trail = comma === undefined ? '' : ',';
  if (!isOnLine && !note.endsLine) {
    // Members that follow each other on the line of a bracket: `}, {`.
    const isTall = hasBreak(text.slice(last.start, last.end));
    const between = text.slice(commaBefore(text, members, members.length - 1, brackets.comment) ?? last.start, last.start);
    const lead = members.length > 1 && isBlank(between) ? between : brackets.gap;
    return inserted(comma === undefined ? note.end : undefined, note.end, lead, print(isTall ? indentAt(text, last.end - 1) : undefined), trail);
  }
  const indent = isOnLine ? indentAt(text, last.start) : indentAt(text, container.end - 1) + brackets.unit;
  const at = skipBlanks(text, note.end);
  return inserted(comma === undefined ? end : undefined, isBreak(text[at]) ? at : note.end, breakOf(text) + indent, print(indent), trail);
}

/** Comments in an empty container stay before the new member. */
function insertFirst(text: string, container: Node, { comment, unit, pad, isTall }: Brackets, print: Print): Insertion {
  const open = container.start + 1;
  const close = container.end - 1;
  const last = commentsIn(text, open, close, comment).at(-1);
  const at = last?.end ?? open;
  const inside = text.slice(open, close);
  if (!isTall && !hasBreak(inside)) return inserted(undefined, at, last ? ' ' : inside || pad, print(undefined), last || inside ? '' : pad);
  const outer = indentAt(text, container.start);
  const indent = last && hasBreak(text.slice(open, last.start)) ? indentAt(text, last.start) : outer + unit;
  const lead = breakOf(text) + indent;
  if (!hasBreak(text.slice(at, close))) return inserted(undefined, close, lead, print(indent), breakOf(text) + outer);
  const blanks = skipBlanks(text, at);
  return inserted(undefined, isBreak(text[blanks]) ? blanks : at, lead, print(indent), '');
}

function inserted(comma: number | undefined, at: number, lead: string, body: string, trail: string): Insertion {
  const start = at + (comma === undefined ? 0 : 1) + lead.length;
  const whole = comma === undefined ? lead : `,${lead}`;
  return {
    splices: [...(comma === undefined ? [] : [{ start: comma, end: comma, text: ',' }]), { start: at, end: at, text: lead + body + trail }],
    place: { start, end: start + body.length },
    undo: { ...(whole && { lead: whole }), ...(trail && { trail }) },
  };
}

/**
 * Removes a member with the text that the edit added around it. If that text has changed, removes the member with its comma, and with its line if it
 * is alone there.
 */
export function removeMember(
  text: string,
  container: Node,
  member: Range,
  comment: RegExp,
  exactly?: Pick<Undo, 'lead' | 'trail'>,
): readonly Splice[] {
  const cuts = (exactly && exactCuts(text, container, member, comment, exactly)) ?? tidyCuts(text, container, member, comment);
  return cuts.map((cut) => ({ ...cut, text: '' }));
}

function exactCuts(
  text: string,
  container: Node,
  member: Range,
  comment: RegExp,
  { lead = '', trail = '' }: Pick<Undo, 'lead' | 'trail'>,
): readonly Range[] | undefined {
  const hadBefore = lead.startsWith(',');
  const space = trail.replace(/^,/, '');
  const members = membersOf(container);
  const index = members.findIndex(({ start }) => start === member.start);
  if (members.length > 1 && (space !== '' || lead + trail === '')) return undefined;
  if (hadBefore && index === 0) return undefined;
  const comma = commaAfter(text, member.end, comment);
  if (comma !== undefined && comma !== member.end) return undefined;
  const end = comma === undefined ? member.end : comma + 1;
  const cut = widened(text, { start: member.start, end }, hadBefore ? lead.slice(1) : lead, space, comment);
  const previous = commaBefore(text, members, index, comment);
  if (!cut || isCommentedOut(text, previous ?? container.start + 1, cut, comment)) return undefined;
  const before = comma === undefined ? previous : undefined;
  if (before === undefined) return [cut];
  // The edit writes its comma directly after a value or a comment.
  if (/\s/.test(text[before - 2] ?? '')) return undefined;
  return [{ start: before - 1, end: before }, cut];
}

/** True if a cut would move the text after it to the line of a comment. */
function isCommentedOut(text: string, from: number, { start, end }: Range, comment: RegExp): boolean {
  const last = commentsIn(text, from, start, comment).at(-1);
  return last !== undefined && !text.startsWith('/*', last.start) && isBlank(text.slice(last.end, start)) && !isBreak(text[skipBlanks(text, end)]);
}

/** A place with the recorded text around it. Undefined if other white space is there, or a comment that would move to the line before. */
export function widened(text: string, place: Range, lead: string, trail: string, comment: RegExp): Range | undefined {
  const start = place.start - lead.length;
  const end = place.end + trail.length;
  const isSame = text.startsWith(lead, start) && text.startsWith(trail, place.end) && commentEnd(text, skipBlanks(text, end), comment) === undefined;
  // Blanks before a line end that the edit wrote are older than the edit; all other white space there is a later change.
  const isAll = hasBreak(lead) ? text[start - 1] !== '\r' : !/\s/.test(text[start - 1] ?? '.');
  return isSame && isAll ? { start, end } : undefined;
}

function tidyCuts(text: string, container: Node, member: Range, comment: RegExp): readonly Range[] {
  const members = membersOf(container);
  if (members.length === 1 && !hasOtherComments(text, container, member, comment)) return [{ start: container.start + 1, end: container.end - 1 }];
  const index = members.findIndex(({ start }) => start === member.start);
  const after = commaAfter(text, member.end, comment);
  const comma = after ?? (commaBefore(text, members, index, comment) ?? 0) - 1;
  if (comma < 0) return [tidied(text, member.start, member.end)];
  const [start, end] = [Math.min(member.start, comma), Math.max(member.end, comma + 1)];
  const between = comma < member.start ? text.slice(comma + 1, member.start) : text.slice(member.end, comma);
  if (isBlank(between)) return [tidied(text, start, end)];
  const cuts = [tidied(text, member.start, member.end), tidied(text, comma, comma + 1)];
  return comma < member.start ? cuts.reverse() : cuts;
}

/** A place with the blanks that would be left over. */
export function tidied(text: string, start: number, end: number): Range {
  let first = start;
  while (isBlank(text[first - 1] ?? '.')) first--;
  const next = skipBlanks(text, end);
  const endsLine = next === text.length || isBreak(text[next]);
  if (endsLine && (first === 0 || isBreak(text[first - 1]))) return { start: beforeBreak(text, first), end: next };
  if (endsLine || text[next] === '}' || text[next] === ']') return { start: isBreak(text[first - 1]) ? start : first, end };
  return /[\s{[]/.test(text[start - 1] ?? ' ') && text[next] !== '#' ? { start, end: next } : { start, end };
}

/** True if a container has a comment outside of the given member. */
export function hasOtherComments(text: string, container: Node, member: Range, comment: RegExp): boolean {
  let at = container.start + 1;
  for (const item of membersOf(container)) {
    const { start, end } = rangeOf(item);
    const isOther = start !== member.start && commentsIn(text, item.keyEnd, item.value.start, comment).length > 0;
    if (isOther || commentsIn(text, at, start, comment).length > 0) return true;
    at = end;
  }
  return commentsIn(text, at, container.end, comment).length > 0;
}

/** The comments of a range, which must not contain strings. */
export function commentsIn(text: string, from: number, to: number, comment: RegExp): readonly Range[] {
  const found: Range[] = [];
  for (let at = from; at < to; ) {
    const end = commentEnd(text, at, comment);
    if (end !== undefined) found.push({ start: at, end });
    at = end ?? at + 1;
  }
  return found;
}

function commentEnd(text: string, at: number, comment: RegExp): number | undefined {
  comment.lastIndex = at;
  return comment.test(text) ? comment.lastIndex : undefined;
}

/** The end of the comments that follow on the line. `endsLine` is true if the last of them reaches the end of the line. */
function commentsOnLine(text: string, from: number, comment: RegExp): { readonly end: number; readonly endsLine: boolean } {
  let end = from;
  for (;;) {
    const start = skipBlanks(text, end);
    const next = commentEnd(text, start, comment);
    if (next === undefined) return { end, endsLine: false };
    end = next;
    if (!text.startsWith('/*', start)) return { end, endsLine: true };
  }
}

/** Offset of the comma after a member. White space and comments may be in between. */
function commaAfter(text: string, from: number, comment: RegExp): number | undefined {
  let at = from;
  for (;;) {
    while (/\s/.test(text[at] ?? '.')) at++;
    const end = commentEnd(text, at, comment);
    if (end === undefined) return text[at] === ',' ? at : undefined;
    at = end;
  }
}

/** Offset right after the comma before a member. */
function commaBefore(text: string, members: readonly Item[], index: number, comment: RegExp): number | undefined {
  const previous = members[index - 1];
  const comma = previous && commaAfter(text, rangeOf(previous).end, comment);
  return comma === undefined ? undefined : comma + 1;
}

/** True if a line end is before a member in its container. */
export function startsLine(text: string, container: Node, index: number, comment: RegExp): boolean {
  const members = membersOf(container);
  const from = commaBefore(text, members, index, comment) ?? container.start + 1;
  return hasBreak(text.slice(from, members[index]?.start));
}
