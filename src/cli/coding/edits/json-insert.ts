// The place and the text of a new member in a JSON document, in the style of its neighbors.
import type { Leaf, Path } from './edit.ts';
import { colonOf, commaFor, container as containerText, member, type Style } from './json-print.ts';
import type { Item, Node, Tree } from './json-tree.ts';

export interface Insertion {
  /** Offset of the comma that the member before needs. */
  readonly comma?: number;
  readonly at: number;
  readonly lead: string;
  readonly body: string;
  readonly trail: string;
}

/** The first value of a document that has none. */
export function insertRoot(text: string, tree: Tree, path: Path, value: Leaf): Insertion {
  const lineEnd = lineEndOf(text);
  const comment = tree.comments.at(-1);
  const at = comment?.end ?? 0;
  return {
    at,
    lead: comment ? lineEnd : '',
    body: containerText(path, value, { lineEnd, unit: '  ', indent: '', colon: ': ', comma: ', ', pad: '' }),
    trail: hasLineEnd(text.slice(at)) ? '' : lineEnd,
  };
}

/** A new last member of the container to which the items lead. */
export function insertLast(text: string, tree: Tree, root: Node, items: readonly Item[], path: Path, value: Leaf): Insertion {
  const nodes = [root, ...items.map((item) => item.value)];
  const container = nodes.at(-1) ?? root;
  const colon = colonOf(text, container.items.at(-1)) ?? colonOf(text, root.items[0]) ?? ': ';
  const style: Style = {
    lineEnd: lineEndOf(text),
    unit: unitOf(text, nodes),
    colon,
    comma: commaFor(colon),
    pad: text[container.start + 1] === ' ' ? ' ' : '',
  };
  const hasOwnLine = nodes.length === 1 || startsLine(text, nodes.at(-2), items.at(-1));
  return container.items.length > 0
    ? behindLast(text, tree, container, style, path, value)
    : inEmpty(text, tree, container, hasOwnLine, style, path, value);
}

function behindLast(text: string, tree: Tree, container: Node, style: Style, path: Path, value: Leaf): Insertion {
  const last = container.items.at(-1) as Item;
  const end = last.comma === undefined ? last.end : last.comma + 1;
  const note = afterComments(text, tree, end);
  const isOnLine = startsLine(text, container, last);
  const needed = last.comma === undefined ? ',' : '';
  const trail = last.comma === undefined ? '' : ',';
  if (!isOnLine && !note.isLineComment) {
    // Objects that follow each other on the line of a bracket: `}, {`.
    const isTall = hasLineEnd(text.slice(last.start, last.end));
    const body = member(path, value, isTall ? { ...style, indent: indentAt(text, last.end - 1) } : style);
    return { ...(needed && { comma: note.end }), at: note.end, lead: needed + gapBefore(text, container, style), body, trail };
  }
  const indent = isOnLine ? indentAt(text, last.start) : indentAt(text, container.end - 1) + style.unit;
  const body = member(path, value, { ...style, indent });
  return { ...(needed && { comma: end }), at: skipToLineEnd(text, note.end), lead: needed + style.lineEnd + indent, body, trail };
}

/** Comments in an empty container stay before the new member. */
function inEmpty(text: string, tree: Tree, container: Node, hasOwnLine: boolean, style: Style, path: Path, value: Leaf): Insertion {
  const comment = tree.comments.findLast((place) => place.start > container.start && place.end < container.end);
  const at = comment?.end ?? container.start + 1;
  const inside = text.slice(container.start + 1, container.end - 1);
  if (!hasOwnLine && !hasLineEnd(inside)) return { at, lead: comment ? ' ' : inside, body: member(path, value, style), trail: '' };
  const outer = indentAt(text, container.start);
  const isOnLine = comment && hasLineEnd(text.slice(container.start, comment.start));
  const indent = isOnLine ? indentAt(text, comment.start) : outer + style.unit;
  const lead = style.lineEnd + indent;
  const body = member(path, value, { ...style, indent });
  if (hasLineEnd(text.slice(at, container.end))) return { at: skipToLineEnd(text, at), lead, body, trail: '' };
  return { at: container.end - 1, lead, body, trail: style.lineEnd + outer };
}

/** End of the comments that follow on the line. */
function afterComments(text: string, tree: Tree, from: number): { readonly end: number; readonly isLineComment: boolean } {
  let end = from;
  let isLineComment = false;
  for (const comment of tree.comments) {
    if (comment.start < end) continue;
    if (isLineComment || !isBlank(text.slice(end, comment.start))) break;
    end = comment.end;
    isLineComment = text.startsWith('//', comment.start);
  }
  return { end, isLineComment };
}

/** White space between the members of a container in one line. */
function gapBefore(text: string, container: Node, style: Style): string {
  const [before, last] = container.items.slice(-2);
  const gap = text.slice((before?.comma ?? 0) + 1, last?.start);
  return last && isBlank(gap) ? gap : style.comma.slice(1);
}

/** True if a line end is before an item in its container. */
function startsLine(text: string, container: Node | undefined, item: Item | undefined): boolean {
  if (!container || !item) return false;
  const before = container.items[container.items.indexOf(item) - 1];
  return hasLineEnd(text.slice((before?.comma ?? container.start) + 1, item.start));
}

/** Indentation of one level: the first difference between a container on the way and its first member. */
function unitOf(text: string, nodes: readonly Node[]): string {
  for (const node of nodes) {
    const first = node.items[0];
    if (!startsLine(text, node, first) || !first) continue;
    const outer = indentAt(text, node.start);
    const inner = indentAt(text, first.start);
    if (inner.length > outer.length && inner.startsWith(outer)) return inner.slice(outer.length);
  }
  return '  ';
}

function lineEndOf(text: string): string {
  return /\r\n|\r|\n/.exec(text)?.[0] ?? '\n';
}

/** White space at the beginning of the line of an offset. */
function indentAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

/** The end of the line, if only blanks are before it. */
function skipToLineEnd(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return text[at] === '\n' || text[at] === '\r' ? at : from;
}

function isBlank(text: string): boolean {
  return /^[ \t]*$/.test(text);
}

function hasLineEnd(text: string): boolean {
  return /[\r\n]/.test(text);
}
