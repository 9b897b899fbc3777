import type { Around, Changes, TreeEdit } from './draft.ts';
import { EditProblem, type Identity, type Leaf, noContainer, type Path, pathText } from './edit.ts';
import { type Brackets, hashComment, insertMember } from './flow.ts';
import { breakOf, indentAt, isBreak, moverBy, nextLine, type Range } from './text.ts';
import { firstHeader, linesOf, placesOf, scopeEnd, separation, tableEnd } from './toml-lines.ts';
import { headersText, isKey, keysText, memberText, valueText } from './toml-print.ts';
import { readMember, readToml } from './toml-read.ts';
import { dropItem, type Item, type Located, membersOf, moveNode, type Node, putItem, rangeOf, type Tree, type Writable } from './tree.ts';

export function* set(tree: Tree, way: readonly Located[], path: Path, value: Leaf): Changes<Around> {
  const place = way.at(-1);
  checkPath(tree.root as Node, way, path);
  if (!place || way.length < path.length) return yield* inserted(tree, way, path, value);
  const { item } = place;
  if (item.start < 0) return yield* tableReplaced(tree, way, path, value);
  const { start, end } = item.value;
  const before = tree.text.slice(start, end);
  yield replaced(place, valueText(value));
  return { before };
}

function checkPath(root: Node, way: readonly Located[], path: Path): void {
  const field = path.findIndex((step, at) => typeof path[at - 1] === 'object' && Object.hasOwn(path[at - 1] as Identity, step as string));
  if (field >= 0) throw new EditProblem(`has an item that is found by \`${pathText(path.slice(0, field + 1))}\`, a field that is not changed`);
  const { kind, items } = way.at(-1)?.item.value ?? root;
  const step = path[way.length];
  if (step === undefined) return;
  const isRight = isKey(step) ? kind === 'map' : kind === 'list' && items.every((item) => item.value.kind === 'map');
  if (!isRight)
    throw noContainer(
      `has no table${isKey(step) ? '' : 's in a list'} at \`${pathText(path.slice(0, way.length))}\``,
      isKey(step) ? 'a table' : 'a list of tables',
    );
}

/** Puts other source text in the place of a value. */
export function replaced({ container, item }: Located, source: string): TreeEdit {
  const { start, end } = item.value;
  const graft = ({ text }: Tree) => putItem(container, memberAt(text, container, { start: item.start, end: start + source.length }), item);
  return { splices: [{ start, end, text: source }], graft };
}

/** Reads the member of a range again. With a dotted key, the member is inside the tables of that key. */
function memberAt(text: string, container: Node, range: Range): Item {
  let item = readMember(text, container, range);
  while (item.start < 0) item = item.value.items[0] as Item;
  return item;
}

/** The table or array on the way in whose brackets or lines the members of a node are written, and the keys from there on. */
export function baseOf(root: Node, way: readonly Located[], path: Path): { readonly base: Node; readonly keys: Path } {
  const nodes = [root, ...way.map(({ item }) => item.value)];
  const at = nodes.findLastIndex(({ layout }) => layout !== 'dotted');
  return { base: nodes[at] as Node, keys: path.slice(at, way.length) };
}

/** Adds a missing leaf. The way leads along the path as far as it exists. */
export function* inserted(tree: Tree, way: readonly Located[], path: Path, value: Leaf): Changes<Around> {
  const { text } = tree;
  const root = tree.root as Node;
  const node = way.at(-1)?.item.value ?? root;
  const rest = path.slice(way.length);
  const missing = rest.length - 1;
  const made = root.items.length === 0 ? { made: path.length } : missing > 0 ? { made: missing } : {};
  const { base, keys } = baseOf(root, way, path);
  const steps = [...keys, ...rest];
  if (base.layout === 'flow') {
    const brackets: Brackets = { comment: hashComment, unit: '  ', gap: ' ', pad: base.kind === 'map' ? ' ' : '', isTall: false };
    const { splices, place, undo: around } = insertMember(text, base, brackets, () => memberText(steps, value));
    yield { splices, graft: (after) => putItem(node, inside(readMember(after.text, base, place), keys.length)) };
    return { ...made, ...around };
  }
  const line = lineFor(text, base, node, steps, value);
  if (line) {
    const { at, lead, member, trail } = line;
    const start = at + lead.length;
    const graft = (after: Tree) => putItem(node, inside(readMember(after.text, base, { start, end: start + member.length }), keys.length));
    yield { splices: [{ start: at, end: at, text: lead + member + trail }], graft };
    return { ...made, ...(lead && { lead }), ...(trail && { trail }) };
  }
  const at = scopeEnd(text, way);
  const isBare = node === root && missing === 0;
  const lead = separation(text, at) + (isBare ? '' : headersText(path, way.length, breakOf(text)));
  const member = memberText(path.slice(-1), value);
  const trail = at === 0 || isBreak(text[at - 1]) ? breakOf(text) : '';
  const source = lead + member + trail;
  yield {
    splices: [{ start: at, end: at, text: source }],
    graft: ({ text: after }) => join(node, tablesAt(after, at, source.length, path.slice(0, way.length))),
  };
  return { ...made, ...(lead && { lead }), ...(trail && { trail }) };
}

function inside(item: Item, depth: number): Item {
  return depth === 0 ? item : inside(item.value.items[0] as Item, depth - 1);
}

interface TomlLine {
  readonly at: number;
  readonly lead: string;
  readonly member: string;
  readonly trail: string;
}

/** The line of a new member of a table, or of a part of it with dotted keys. Undefined if a header is needed. */
function lineFor(text: string, base: Node, node: Node, steps: Path, value: Leaf): TomlLine | undefined {
  const isDotted = node.layout === 'dotted';
  const neighbor = isDotted ? membersOf(node).at(-1) : undefined;
  if (base.kind !== 'map' || base.layout !== 'block' || (!isDotted && steps.length > 1)) return undefined;
  const last = neighbor ?? membersOf(base).at(-1);
  const member = memberText(steps, value, last && last.value.start === last.keyEnd + 1 ? '=' : ' = ');
  const place = last ? rangeOf(last) : base.header;
  const lineBreak = breakOf(text);
  if (!place) {
    const header = firstHeader(text);
    return header === undefined ? undefined : { at: header, lead: '', member, trail: lineBreak.repeat(2) };
  }
  const at = neighbor ? nextLine(text, place.end) : tableEnd(text, place);
  const indent = indentAt(text, place.start);
  return isBreak(text[at - 1]) ? { at, lead: indent, member, trail: lineBreak } : { at, lead: lineBreak + indent, member, trail: '' };
}

/** The part of new tables that is in the table at a path. */
function tablesAt(text: string, at: number, length: number, way: Path): Node {
  const root = readToml(text.slice(at, at + length));
  moveNode(root, moverBy(at));
  let node = root;
  for (const step of way) {
    const item = isKey(step) ? node.items.find(({ key }) => key === step) : node.kind === 'list' ? node.items.at(-1) : undefined;
    node = item?.value ?? node;
  }
  return node;
}

/** Adds the members of new text to a table. */
function join(node: Writable<Node>, { header, items }: Node): void {
  if (header) Object.assign(node, { header, layout: 'block' });
  node.items.push(...items);
}

/** Sets a value where a table is written on lines of its own. */
function* tableReplaced(tree: Tree, way: readonly Located[], path: Path, value: Leaf): Changes<Around> {
  const { text } = tree;
  const place = way.at(-1) as Located;
  const { base } = baseOf(tree.root as Node, way.slice(0, -1), path);
  if (base.layout === 'flow') throw new EditProblem(`has a table at \`${pathText(path)}\`, which is not replaced by a value`, 'Remove the table.');
  const before = inlineText(text, place.item.value);
  const cuts = linesOf(text, placesOf(place.item)).map((range) => ({ ...range, text: '' }));
  let removed = 0;
  const lines = cuts.map(({ start, end }) => {
    const at = start - removed;
    removed += end - start;
    return { at, text: text.slice(start, end) };
  });
  yield { splices: cuts, graft: () => dropItem(place) };
  const { lead = '', trail = '' } = yield* inserted(tree, way.slice(0, -1), path, value);
  return { before, ...(lead && { lead }), ...(trail && { trail }), lines };
}

/** A table or list with the source text of its values, between brackets. */
function inlineText(text: string, { kind, layout, start, end, items }: Node): string {
  if (layout === 'flow') return text.slice(start, end);
  const members = items.map(({ key, value }) => (key === undefined ? '' : `${keysText([key])} = `) + inlineText(text, value));
  return kind === 'map' ? `{ ${members.join(', ')} }` : `[${members.join(', ')}]`;
}
