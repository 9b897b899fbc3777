// The text of a new member of a TOML document, and its place.
import type { Fields, Leaf, Path, Step } from './edit.ts';
import { type Block, indentation, isBlank, lineEndOf, lineStart, type Member, nextLine, type Splice, skipBlanks, type Value } from './toml-scan.ts';
import type { Node, Tree } from './toml-tree.ts';

/** A member with the text that is added around it. */
interface Piece {
  readonly lead: string;
  readonly member: string;
  readonly trail: string;
}

export interface Insertion {
  readonly splices: readonly Splice[];
  readonly lead: string;
  readonly trail: string;
}

/** Inserts a missing leaf. `nodes` are those that exist along the path. */
export function insertion(text: string, tree: Tree, nodes: readonly Node[], path: Path, value: Leaf): Insertion {
  const node = nodes.at(-1) as Node;
  const rest = path.slice(nodes.length - 1);
  const { dotted, block } = node;
  if (node.value) return insertInline(text, node.value, compose(rest, value));
  if (dotted?.group.type === 'member') return insertInline(text, dotted.group.value, compose([...dotted.keys, ...rest], value));
  if (dotted && rest.every(isKey)) {
    const piece = compose([...dotted.keys, ...rest], value, equalsLike(dotted.last));
    return insertLine(text, nextLine(text, dotted.last.end), indentation(text, dotted.last.start), piece);
  }
  const isMember = rest.length === 1 && block !== undefined;
  if (isMember && (block.header || block.members.length > 0)) {
    const last = block.members.at(-1);
    const indent = indentation(text, last?.start ?? (block.header?.start as number));
    return insertLine(text, blockEnd(text, tree, block), indent, compose(rest, value, equalsLike(last)));
  }
  const header = tree.blocks[1]?.header;
  if (isMember && header) return insertAbove(text, header.start, compose(rest, value));
  const at = scopeEnd(text, tree, nodes);
  const headers = isMember ? '' : headersOf(path, nodes.length - 1, lineEndOf(text));
  const isEnded = at === 0 || text[at - 1] === '\n';
  const { member } = compose(rest.slice(-1), value);
  return put(at, { lead: separation(text, at) + headers, member, trail: isEnded ? lineEndOf(text) : '' });
}

function isKey(step: Step): step is string {
  return typeof step === 'string';
}

/** ` = `, or `=` if the neighbor is written so. */
function equalsLike(neighbor: Member | undefined): string {
  return neighbor && neighbor.value.start === neighbor.keyEnd + 1 ? '=' : ' = ';
}

/** A leaf below keys and items, on one line. */
function compose(steps: Path, value: Leaf, equals = ' = '): Piece {
  const at = steps.findIndex((step) => !isKey(step));
  if (at < 0) return { lead: '', member: `${keysText(steps)}${equals}${valueText(value)}`, trail: '' };
  const { lead, member, trail } = compose(steps.slice(at + 1), value);
  const item = `{ ${fieldLines(steps[at] as Fields).join(', ')}, ${lead}`;
  if (at === 0) return { lead: item, member, trail: `${trail} }` };
  return { lead: `${keysText(steps.slice(0, at))} = [${item}`, member, trail: `${trail} }]` };
}

/** The headers of the tables from a step of the path to its last table. */
function headersOf(path: Path, from: number, lineEnd: string): string {
  const sections: string[] = [];
  for (let at = from; at < path.length - 1; at++) {
    const step = path[at] as Step;
    if (!isKey(step)) sections.push([`[[${keysText(path.slice(0, at))}]]`, ...fieldLines(step)].join(lineEnd));
  }
  if (isKey(path.at(-2) as Step)) sections.push(headerText(path.slice(0, -1)));
  return sections.join(lineEnd + lineEnd) + lineEnd;
}

export function headerText(path: Path): string {
  return `[${keysText(path)}]`;
}

function fieldLines(fields: Fields): string[] {
  return Object.entries(fields).map(([key, value]) => `${keysText([key])} = ${valueText(value)}`);
}

/** The keys of a path with dots, without its items. */
function keysText(steps: Path): string {
  return steps
    .filter(isKey)
    .map((key) => (/^[\w-]+$/.test(key) ? key : stringText(key)))
    .join('.');
}

export function valueText(value: Leaf): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return String(value);
  return `[${value.map(valueText).join(', ')}]`;
}

/** The escapes of JSON are valid in TOML, which also bans DEL. */
function stringText(value: string): string {
  return JSON.stringify(value).replaceAll('\x7f', '\\u007f');
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value < 0 ? '-inf' : 'inf';
  if (Object.is(value, -0)) return '-0.0';
  const text = String(value);
  // An integer of more than 53 bits would be read as another number.
  return Number.isSafeInteger(value) || /[.e]/.test(text) ? text : `${text}.0`;
}

function put(at: number, { lead, member, trail }: Piece): Insertion {
  return { splices: [{ start: at, end: at, text: lead + member + trail }], lead, trail };
}

/** Inserts a line of its own at the start of a line or at the end of the text. */
function insertLine(text: string, at: number, indent: string, { member }: Piece): Insertion {
  const lineEnd = lineEndOf(text);
  return text[at - 1] === '\n' ? put(at, { lead: indent, member, trail: lineEnd }) : put(at, { lead: lineEnd + indent, member, trail: '' });
}

/** Inserts a line and a blank line above the first header and the comments that belong to it. */
function insertAbove(text: string, header: number, { member }: Piece): Insertion {
  let at = lineStart(text, header);
  while (at > 0 && isComment(text, lineStart(text, at - 1))) at = lineStart(text, at - 1);
  return put(at, { lead: '', member, trail: lineEndOf(text).repeat(2) });
}

function isComment(text: string, line: number): boolean {
  return text[skipBlanks(text, line)] === '#';
}

/** Place after the last member of a block and the comments right below it, but above the comments of the next header. */
function blockEnd(text: string, tree: Tree, block: Block): number {
  const after = nextLine(text, block.members.at(-1)?.end ?? (block.header?.end as number));
  let at = after;
  while (at < text.length && isComment(text, at)) at = nextLine(text, at);
  const next = tree.blocks[tree.blocks.indexOf(block) + 1]?.header;
  return next && lineStart(text, next.start) === at ? after : at;
}

/** Place for a new header: the end of the text, or that of the innermost item of a list on the way. */
function scopeEnd(text: string, tree: Tree, nodes: readonly Node[]): number {
  const list = nodes.at(-1)?.kind === 'list' ? nodes.at(-1)?.items.at(-1) : undefined;
  const scope = list ?? nodes.findLast((node) => node.block?.header?.isItem);
  const last = scope && tree.blocks.findLast((block) => tree.owners.get(block)?.includes(scope));
  if (last) return blockEnd(text, tree, last);
  let at = text.length;
  while (isBlank(text, at - 1)) at--;
  // White space of a last line without an end stays behind the insertion.
  return at === 0 || text[at - 1] === '\n' ? at : text.length;
}

/** Line ends that make one blank line above a place. */
function separation(text: string, at: number): string {
  if (at === 0) return '';
  const lineEnd = lineEndOf(text);
  if (text[at - 1] !== '\n') return lineEnd.repeat(2);
  return text.slice(lineStart(text, at - 1), at).trim() === '' ? '' : lineEnd;
}

/** Inserts a member at the end of an inline table or an array. */
function insertInline(text: string, group: Value, piece: Piece): Insertion {
  const last = group.members.at(-1);
  if (!last) return insertFirst(text, group, piece);
  const from = last.comma === undefined ? last.end : last.comma + 1;
  const mark = skipBlanks(text, from);
  const hasComment = text[mark] === '#';
  const isFirstOnLine = skipBlanks(text, lineStart(text, last.start)) === last.start;
  const indent = isFirstOnLine ? indentation(text, last.start) : `${indentation(text, group.start)}  `;
  const space = isFirstOnLine || hasComment ? lineEndOf(text) + indent : ' ';
  const at = hasComment ? commentEnd(text, mark) : from;
  const lead = space + piece.lead;
  if (last.comma !== undefined) return put(at, { lead, member: piece.member, trail: `${piece.trail},` });
  const { splices } = put(at, { ...piece, lead });
  return { splices: [{ start: from, end: from, text: ',' }, ...splices], lead: `,${lead}`, trail: piece.trail };
}

function insertFirst(text: string, group: Value, { lead, member, trail }: Piece): Insertion {
  const inside = text.slice(group.start + 1, group.end - 1);
  if (inside.includes('\n')) {
    const indent = `${indentation(text, group.start)}  `;
    return put(group.start + 1 + inside.trimEnd().length, { lead: lineEndOf(text) + indent + lead, member, trail });
  }
  const pad = group.kind === 'table' ? ' ' : '';
  return put(group.start + 1, { lead: pad + lead, member, trail: trail + (isBlank(inside, 0) ? '' : pad) });
}

function commentEnd(text: string, mark: number): number {
  const end = text.indexOf('\n', mark);
  return text[end - 1] === '\r' ? end - 1 : end;
}
