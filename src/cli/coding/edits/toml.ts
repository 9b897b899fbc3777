// TOML documents.
import { isDeepStrictEqual } from 'node:util';
import { type Around, type Changes, TextDraft, type TreeEdit } from './draft.ts';
import { EditProblem, type Identity, type Leaf, type Open, type Path, pathText, type Undo } from './edit.ts';
import { type Brackets, insertMember, removeMember } from './flow.ts';
import { breakOf, indentAt, isBreak, moverBy, nextLine, type Range, type Splice, spliced } from './text.ts';
import {
  endWithBlankLine,
  exactLines,
  firstHeader,
  hasOthers,
  linesOf,
  placesOf,
  removeLines,
  scopeEnd,
  separation,
  survives,
  tableEnd,
} from './toml-lines.ts';
import { headersText, headerText, isKey, keysText, memberText, valueText } from './toml-print.ts';
import { readMember, readToml } from './toml-read.ts';
import {
  contentOf,
  dropItem,
  type Item,
  type Located,
  membersOf,
  moveNode,
  type Node,
  outermost,
  putItem,
  rangeOf,
  type Tree,
  type Writable,
} from './tree.ts';

export const openToml: Open = (text) => new TextDraft(text, { read: readToml, set, undo });

const comment = /#[^\r\n]*/y;

function* set(tree: Tree, way: readonly Located[], path: Path, value: Leaf): Changes<Around> {
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
  if (!isRight) throw new EditProblem(`has no table${isKey(step) ? '' : 's in a list'} at \`${pathText(path.slice(0, way.length))}\``);
}

/** Puts other source text in the place of a value. */
function replaced({ container, item }: Located, source: string): TreeEdit {
  const { start, end } = item.value;
  const graft = ({ text }: Tree) => putItem(container, memberAt(text, container, { start: item.start, end: start + source.length }), item);
  return { splices: [{ start, end, text: source }], graft };
}

/** Reads the member of a range again. It is in the tables that its dotted key makes. */
function memberAt(text: string, container: Node, range: Range): Item {
  let item = readMember(text, container, range);
  while (item.start < 0) item = item.value.items[0] as Item;
  return item;
}

/** The table or array on the way in whose brackets or lines the members of a node are written, and the keys from there on. */
function baseOf(root: Node, way: readonly Located[], path: Path): { readonly base: Node; readonly keys: Path } {
  const nodes = [root, ...way.map(({ item }) => item.value)];
  const at = nodes.findLastIndex(({ layout }) => layout !== 'dotted');
  return { base: nodes[at] as Node, keys: path.slice(at, way.length) };
}

/** Adds a missing leaf. The way leads along the path as far as it exists. */
function* inserted(tree: Tree, way: readonly Located[], path: Path, value: Leaf): Changes<Around> {
  const { text } = tree;
  const root = tree.root as Node;
  const node = way.at(-1)?.item.value ?? root;
  const rest = path.slice(way.length);
  const missing = rest.length - 1;
  const made = root.items.length === 0 ? { made: path.length } : missing > 0 ? { made: missing } : {};
  const { base, keys } = baseOf(root, way, path);
  const steps = [...keys, ...rest];
  if (base.layout === 'flow') {
    const brackets: Brackets = { comment, unit: '  ', gap: ' ', pad: base.kind === 'map' ? ' ' : '', isTall: false };
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
  if (base.layout === 'flow') throw new EditProblem(`has a table at \`${pathText(path)}\`, which is not replaced by a value`);
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

function* undo(tree: Tree, way: readonly Located[], record: Undo): Changes<void> {
  const last = way.at(-1) as Located;
  // A table of another program has the place of our value.
  if (last.item.start < 0) return;
  if (record.before === undefined) return yield* removed(tree, way, record);
  yield tableBack(tree, last, record) ?? replaced(last, record.before);
}

/** Puts the lines of a table back to their places. Undefined if another program has changed the text around them. */
function tableBack({ text }: Tree, place: Located, record: Undo): TreeEdit | undefined {
  const { before = '', lines } = record;
  const cut = lines && exactLines(text, [], rangeOf(place.item), record);
  if (!lines || !cut) return undefined;
  const rest = spliced(text, [{ ...cut, text: '' }]);
  const result = spliced(
    rest,
    lines.map((line) => ({ start: line.at, end: line.at, text: line.text })),
  );
  const simple = spliced(text, replaced(place, before).splices);
  const roots = [result, simple].map(tried);
  if (!roots[0] || !isDeepStrictEqual(contentOf(roots[0]), contentOf(roots[1]))) return undefined;
  return {
    splices: [{ start: 0, end: text.length, text: result }],
    graft: (tree) => {
      tree.root = roots[0];
    },
  };
}

function tried(text: string): Node | undefined {
  try {
    return readToml(text);
  } catch {
    return undefined;
  }
}

/** Removes a leaf, and the containers that go with it. */
function* removed(tree: Tree, way: readonly Located[], record: Undo): Changes<void> {
  const { text } = tree;
  const { path, made = 0 } = record;
  const index = Math.max(0, outermost(way, record));
  const isWhole = path.length - 1 - index === Math.min(made, path.length - 1);
  const target = way[index] as Located;
  const written = way.findIndex(({ item }, at) => at >= index && item.start >= 0);
  const member = rangeOf((way[written] as Located).item);
  const { base } = baseOf(tree.root as Node, way.slice(0, written), path);
  const graft = () => drop(way.slice(0, index + 1));
  if (base.layout === 'flow') {
    return yield { splices: removeMember(text, base, member, comment, isWhole ? record : undefined), graft };
  }
  const exact = exactLines(text, way, member, record);
  const isCut = ({ header }: Node): boolean => exact !== undefined && header !== undefined && header.start >= exact.start && header.end <= exact.end;
  if (exact && (isCut(target.container) ? hasOthers(target) : survives(target))) {
    const headless = way.map(({ item }) => item.value as Writable<Node>).filter(isCut);
    const behead = () => {
      for (const node of headless) {
        delete node.header;
        node.layout = 'implied';
      }
      graft();
    };
    return yield { splices: [{ start: exact.start, end: endWithBlankLine(text, exact.start, exact.end), text: '' }], graft: behead };
  }
  const header = way.slice(index).find(({ item }) => item.value.header)?.item.value.header;
  const kept = path.slice(0, index);
  if (survives(target) || (target.container.kind === 'map' && !header)) return yield { splices: removeLines(text, placesOf(target.item)), graft };
  // Another program wrote the earlier container only as a part of the header: a table gets its own header, an empty list a key.
  if (target.container.kind === 'map' && header) return yield renamed(text, target, header, headerText(kept));
  yield { splices: removeLines(text, placesOf(target.item)), graft };
  yield* inserted(tree, way.slice(0, index - 1), kept, []);
}

/** Gives the header of a table without other members to the container of the table. */
function renamed(text: string, target: Located, header: Range, name: string): TreeEdit {
  const container: Writable<Node> = target.container;
  const cuts = removeLines(
    text,
    placesOf(target.item).filter(({ start }) => start !== header.start),
  );
  const splice: Splice = { ...header, text: name };
  const graft = () => {
    dropItem(target);
    Object.assign(container, { header: { start: header.start, end: header.start + name.length }, layout: 'block' });
  };
  return { splices: [splice, ...cuts].sort((a, b) => a.start - b.start), graft };
}

/** Drops the last item of a way, and the containers that have no text of their own without it. */
function drop(way: readonly Located[]): void {
  const place = way.at(-1) as Located;
  const isGone = way.length > 1 && !survives(place);
  dropItem(place);
  if (isGone) drop(way.slice(0, -1));
}
