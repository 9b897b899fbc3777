// Positions in the text of a YAML document: lines, columns, and the ends of nodes without the comments after them.
import { isMap, isScalar, isSeq } from 'yaml';
import { EditProblem } from './edit.ts';
import { type Container, type Node, type Pair, startOf, type Tree } from './yaml-tree.ts';

/** A replaced range of a text. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function splice(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, text: inserted } of [...splices].sort((a, b) => a.from - b.from)) {
    result += text.slice(at, from) + inserted;
    at = to;
  }
  return result + text.slice(at);
}

export function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
}

/** The end of a line, before its line break. */
export function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  if (found < 0) return text.length;
  return found > at && text[found - 1] === '\r' ? found - 1 : found;
}

/** The start of the line break that ends at an offset; the offset itself if there is none. */
export function beforeBreak(text: string, at: number): number {
  if (text[at - 1] !== '\n') return at;
  return text[at - 2] === '\r' ? at - 2 : at - 1;
}

/** The end of a line and of the blank lines after it, before the last line break. */
export function blankEnd(text: string, at: number): number {
  const end = lineEnd(text, at);
  const next = end + (/\S/.exec(text.slice(end))?.index ?? text.length - end);
  const last = text.lastIndexOf('\n', next - 1);
  return last < end ? end : beforeBreak(text, last + 1);
}

export function lineBreak(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

export function columnAt(text: string, at: number): number {
  return at - lineStart(text, at);
}

/** A text whose lines after the first are moved so that the outermost of them is at a column. */
export function indented(text: string, column: number): string {
  const [first = '', ...lines] = text.split('\n');
  const now = lines.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, line.search(/[^ ]/))), Number.POSITIVE_INFINITY);
  return [first, ...lines.map((line) => (line.replace('\r', '').length <= now ? line : ' '.repeat(column) + line.slice(now)))].join('\n');
}

/** Column of the entries of a block container. */
export function columnOf({ text, where }: Tree, container: Container): number {
  const start = entryStart(container, 0);
  const from = lineStart(text, start);
  if (!/^[ -]*$/.test(text.slice(from, start))) throw new EditProblem(`has a member that cannot be moved apart at ${where(start)}`);
  return start - from;
}

/** Start of an entry: of its key in a map, of its dash in a block list. */
export function entryStart(container: Container, index: number): number {
  const entry = container.items[index] as Pair | Node;
  if (isMap(container)) return startOf((entry as Pair).key);
  return container.flow ? startOf(entry as Node) : (dashes(container)[index] as number);
}

function dashes(container: Container): readonly number[] {
  const token = container.srcToken;
  if (token?.type !== 'block-seq') return [];
  return token.items.flatMap(({ start }) => start.flatMap(({ type, offset }) => (type === 'seq-item-ind' ? [offset] : [])));
}

export function colonOf(pair: Pair): number | undefined {
  const colon = pair.srcToken?.sep?.find(({ type }) => type === 'map-value-ind');
  return colon && colon.offset + 1;
}

/** True for a value without source text. */
export function isEmpty(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.range?.[0] === node.range?.[1]);
}

/** End of the last entry of a container. */
export function entriesEnd(text: string, container: Container): number {
  return entryEnd(text, container, container.items.length - 1);
}

export function entryEnd(text: string, container: Container, index: number): number {
  const entry = container.items[index] as Pair | Node;
  if (isMap(container)) return pairEnd(text, entry as Pair);
  return isEmpty(entry as Node) && !container.flow ? (dashes(container)[index] as number) + 1 : nodeEnd(text, entry as Node);
}

export function pairEnd(text: string, pair: Pair): number {
  return pair.value && !isEmpty(pair.value) ? nodeEnd(text, pair.value) : (colonOf(pair) ?? pair.key.range?.[1] ?? 0);
}

export function nodeEnd(text: string, node: Node): number {
  if (isBlock(node)) return entriesEnd(text, node);
  const [start, end] = node.range ?? [0, 0];
  return isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED') ? blockScalarEnd(text, start, end) : end;
}

export function isBlock(node: Node | null): node is Container {
  return (isMap(node) || isSeq(node)) && !node.flow;
}

/** The range of a block scalar takes in the blank lines after it. They belong to it only if it keeps them or they have spaces. */
function blockScalarEnd(text: string, start: number, end: number): number {
  const solid = start + text.slice(start, end).trimEnd().length;
  const line = lineEnd(text, solid);
  const isKept = /^[|>]\d?\+/.test(text.slice(start, start + 3)) || /[^\r\n]/.test(text.slice(line, end));
  return isKept ? beforeBreak(text, end) : line;
}

/** Skips white space, line ends and comments inside of a flow collection. */
export function skipBlanks(text: string, at: number): number {
  let next = at;
  for (;;) {
    while (/\s/.test(text[next] ?? '.')) next++;
    if (text[next] !== '#') return next;
    next = lineEnd(text, next);
  }
}
