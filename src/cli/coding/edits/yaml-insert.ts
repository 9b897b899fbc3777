// New members of a YAML document, and new values of its members.
import { isAlias, isMap, isNode, visit } from 'yaml';
import { EditProblem, type Leaf, type Path, type Undo } from './edit.ts';
import {
  beforeBreak,
  colonOf,
  columnAt,
  columnOf,
  entriesEnd,
  entryStart,
  isBlock,
  isEmpty,
  lineBreak,
  lineEnd,
  lineStart,
  pairEnd,
  type Splice,
  skipBlanks,
} from './yaml-positions.ts';
import { blockLines, flowContainer, flowText, leafText, type Style } from './yaml-print.ts';
import { type Container, type Node, type Pair, type Place, pairAt, startOf, type Tree } from './yaml-tree.ts';

/** An edit, and all of its record but the path. */
export interface Change {
  readonly splices: readonly Splice[];
  readonly undo: Omit<Undo, 'path'>;
}

/** Puts another value in the place of one. */
export function replaceValue(tree: Tree, place: Place, value: Leaf): Change {
  const pair = pairAt(place);
  const old = pair.value;
  const colon = colonOf(pair);
  if (!old || colon === undefined) {
    const at = pairEnd(tree.text, pair);
    return { splices: [{ from: at, to: at, text: `: ${leafText(value)}` }], undo: { before: '', lead: ':' } };
  }
  checkReplaced(tree, old);
  // An empty value and a block are replaced from the colon on, so that the new value is on the line of the key.
  const isOnKeyLine = !isEmpty(old) && !isBlock(old);
  const from = isOnKeyLine ? startOf(old) : colon;
  const to = pairEnd(tree.text, pair);
  return { splices: [{ from, to, text: (isOnKeyLine ? '' : ' ') + leafText(value) }], undo: { before: tree.text.slice(from, to) } };
}

/** An anchor that is gone breaks its aliases. */
function checkReplaced(tree: Tree, old: Node): void {
  visit(old, (_, node) => {
    if (!isNode(node) || (!isAlias(node) && !node.anchor)) return;
    throw new EditProblem(`has an anchor or an alias at ${tree.where(startOf(node as Node))}, which an edit cannot follow`);
  });
}

/** Adds a member at the end of a container. */
export function insertLast(tree: Tree, container: Container, path: Path, value: Leaf): Change {
  const splices = isBlock(container)
    ? [insertLines(tree, lineEnd(tree.text, entriesEnd(tree.text, container)), path, value, columnOf(tree, container))]
    : insertFlow(tree, container, flowText(path, value));
  return { splices, undo: madeBy(path.length - 1) };
}

/** Adds the container that a key without a value is missing. */
export function fillEmpty(tree: Tree, place: Place, path: Path, value: Leaf): Change {
  const { text } = tree;
  const pair = pairAt(place);
  const colon = colonOf(pair);
  const from = colon ?? pairEnd(text, pair);
  const to = pairEnd(text, pair);
  const undo = { made: path.length, blank: text.slice(from, to), ...(colon === undefined && { lead: ':' }) };
  if (!isBlock(place.container)) {
    return { splices: [{ from, to, text: `${colon === undefined ? ': ' : ' '}${flowContainer(path, value)}` }], undo };
  }
  const style = styleOf(tree);
  const indent = typeof path[0] === 'string' ? style.unit : style.dash;
  const lines = insertLines(tree, lineEnd(text, to), path, value, columnOf(tree, place.container) + indent);
  return { splices: [...(from < to ? [{ from, to, text: '' }] : []), lines], undo };
}

/** Adds the first member of a blank document, after its comments. */
export function insertFirst(tree: Tree, path: Path, value: Leaf): Change {
  const { text } = tree;
  const undo = madeBy(path.length);
  const lines = insertLines(tree, beforeBreak(text, text.length), path, value, 0);
  if (text !== '') return { splices: [lines], undo };
  return { splices: [{ from: 0, to: 0, text: `${lines.text.slice(1)}\n` }], undo };
}

function madeBy(made: number): Omit<Undo, 'path'> {
  return made > 0 ? { made } : {};
}

function insertLines(tree: Tree, at: number, path: Path, value: Leaf, column: number): Splice {
  const start = lineBreak(tree.text) + ' '.repeat(column);
  return { from: at, to: at, text: start + blockLines(path, value, styleOf(tree)).join(start) };
}

function insertFlow(tree: Tree, container: Container, entry: string): readonly Splice[] {
  const { text, where } = tree;
  const open = startOf(container);
  if (text[open] !== '{' && text[open] !== '[') throw new EditProblem(`has a map without braces at ${where(open)}`);
  const hasMembers = container.items.length > 0;
  const end = hasMembers ? entriesEnd(text, container) : open + 1;
  const next = hasMembers ? skipBlanks(text, end) : end;
  const hasComma = hasMembers && text[next] === ',';
  const after = hasComma ? next + 1 : end;
  const member = hasComma ? `${entry},` : entry;
  const restOfLine = text.slice(after, lineEnd(text, after));
  const isLineOver = /^[ \t]*(?:#|$)/.test(restOfLine);
  const last = hasMembers ? lastLine(text, container) : undefined;
  const isOwnLine = hasMembers ? last?.isOwn || restOfLine.trimStart().startsWith('#') : isLineOver;
  const lead = isOwnLine
    ? lineBreak(text) + (last?.isOwn ? last.indent : flowIndent(tree, open, after))
    : hasMembers || text[after] === ' '
      ? ' '
      : '';
  const at = isOwnLine && isLineOver ? lineEnd(text, after) : after;
  const comma = hasMembers && !hasComma ? [{ from: end, to: end, text: ',' }] : [];
  return [...comma, { from: at, to: at, text: lead + member }];
}

/** The text before the last member on its line; it has a line of its own if that is white space. */
function lastLine(text: string, container: Container): { readonly indent: string; readonly isOwn: boolean } {
  const start = entryStart(container, container.items.length - 1);
  const indent = text.slice(lineStart(text, start), start);
  return { indent, isOwn: /^\s*$/.test(indent) };
}

/** Indentation of a new line in a flow container on one line. It is deeper than the line where the container begins. */
function flowIndent(tree: Tree, open: number, at: number): string {
  const start = lineStart(tree.text, at);
  const indent = (/^[ \t-]*/.exec(tree.text.slice(start, at))?.[0] ?? '').replaceAll('-', ' ');
  return start > open ? indent : indent + ' '.repeat(styleOf(tree).unit);
}

/** Indentation of the first map below a key, and of the first list below a key. */
function styleOf(tree: Tree): Style {
  let unit: number | undefined;
  let dash: number | undefined;
  const waiting: Container[] = isBlock(tree.root ?? null) ? [tree.root as Container] : [];
  for (let container = waiting.pop(); container && (unit === undefined || dash === undefined); container = waiting.pop()) {
    for (const [index, entry] of container.items.entries()) {
      const node = isMap(container) ? (entry as Pair).value : (entry as Node);
      if (!isBlock(node)) continue;
      waiting.push(node);
      if (!isMap(container)) continue;
      const deeper = columnAt(tree.text, entryStart(node, 0)) - columnAt(tree.text, entryStart(container, index));
      if (isMap(node)) unit ??= deeper > 0 ? deeper : undefined;
      else dash ??= deeper >= 0 ? deeper : undefined;
    }
  }
  return { unit: unit ?? 2, dash: dash ?? unit ?? 2 };
}
