import type { Around, DocumentFormat, TreeEdit } from './draft.ts';
import { EditProblem, type Leaf, noContainer, type Path, pathText } from './edit.ts';
import { type Brackets, hashComment, insertMember } from './flow.ts';
import { beforeBreak, breakOf, columnAt, lineEnd, lineStart, type Splice, where } from './text.ts';
import { endOf, type Located, type Node, putItem, type Tree } from './tree.ts';
import { blockLines, flowContainer, flowText, leafText, type YamlStyle } from './yaml-print.ts';
import { mergeKey, readItem, readYaml } from './yaml-read.ts';

/** The next step for each part of YAML that an edit cannot follow. */
const cures: Readonly<Record<string, string>> = {
  'an anchor': 'Remove the anchor, and write its value in place of each alias.',
  'an alias': 'Write the value of the anchor in place of the alias.',
  [mergeKey]: 'Write the keys that it merges in place of `<<`.',
  'a tag': 'Remove the tag.',
  'a key twice': 'Remove one of them.',
  'a key after `?`': 'Write it as `key: value`.',
  'a key that is no scalar': 'Write a text as the key.',
};

interface Edit extends TreeEdit {
  readonly undo: Around;
}

export const set: DocumentFormat['set'] = function* ({ text, root }, way, path, value) {
  const { undo, ...change } = edited(text, root, way, path, value);
  yield change;
  return undo;
};

function edited(text: string, root: Node | undefined, way: readonly Located[], path: Path, value: Leaf): Edit {
  if (!root) return insertFirst(text, path, value);
  checkPath(text, root, way, path);
  const place = way.at(-1);
  if (place && way.length === path.length) return replaceValue(text, place, value);
  const reached = place?.item.value ?? root;
  const missing = path.slice(way.length);
  if (reached.kind !== 'scalar') return insertLast(text, root, reached, missing, value);
  if (!place) throw noContainer('has no map at its top', 'a map');
  return fillEmpty(text, root, place, missing, value);
}

/** Refuses a path through parts of YAML that an edit of the text cannot follow. */
function checkPath(text: string, root: Node, way: readonly Located[], path: Path): void {
  const refused = (feature: string, at: number) =>
    new EditProblem(`has ${feature} at ${where(text, at)}, which an edit cannot follow`, cures[feature]);
  for (const [at, node] of [root, ...way.map(({ item }) => item.value)].entries()) {
    if (node.trait) throw refused(node.trait, node.start);
    const step = path[at];
    const isNull = node.kind === 'scalar' && node.scalar === null;
    if (step === undefined || (isNull && at > 0)) return;
    const kind = typeof step === 'string' ? 'map' : 'list';
    const name = at === 0 ? 'at its top' : `at \`${pathText(path.slice(0, at))}\``;
    if (node.kind !== kind) throw noContainer(`has no ${kind} ${name} (${where(text, node.start)})`, `a ${kind}`);
    if (node.kind !== 'map') continue;
    const found = way[at]?.item;
    const other = node.items.find(({ key, trait }) => trait === mergeKey || (key === undefined && !found));
    if (other) throw refused(other.trait === mergeKey ? mergeKey : 'a key that is no scalar', other.start);
    const twin = node.items.filter(({ key }) => key === step)[1];
    if (twin) throw refused('a key twice', twin.start);
    if (found?.trait) throw refused(found.trait, found.start);
  }
}

function replaceValue(text: string, place: Located, value: Leaf): Edit {
  const { item } = place;
  checkReplaced(text, item.value);
  const to = endOf(item.value);
  if (item.sign < 0) return { ...itemChange(place, [{ start: to, end: to, text: `: ${leafText(value)}` }]), undo: { before: '', lead: ':' } };
  // An empty value and a block are replaced from the colon on, so that the new value is on the line of the key.
  const isOnKeyLine = !isEmpty(item.value) && item.value.layout !== 'block';
  const from = isOnKeyLine ? item.value.start : item.sign;
  const splice = { start: from, end: to, text: (isOnKeyLine ? '' : ' ') + leafText(value) };
  return { ...itemChange(place, [splice]), undo: { before: text.slice(from, to) } };
}

/** Refuses to replace an anchor, because its aliases would break, and an alias. */
function checkReplaced(text: string, node: Node): void {
  if (node.trait === 'an anchor' || node.trait === 'an alias')
    throw new EditProblem(`has an anchor or an alias at ${where(text, node.start)}, which an edit cannot follow`, cures[node.trait]);
  for (const { value } of node.items) checkReplaced(text, value);
}

/** A change of an item, which is read again up to the end of the last splice. */
export function itemChange({ container, item }: Located, splices: readonly Splice[]): TreeEdit {
  const end = splices.reduce((sum, { start, end: to, text }) => sum + text.length - (to - start), splices.at(-1)?.end ?? 0);
  return { splices, graft: ({ text }) => putItem(container, readItem(text, container, { start: item.start, end }), item) };
}

/** Adds a member at the end of a container. */
function insertLast(text: string, root: Node, container: Node, path: Path, value: Leaf): Edit {
  const made = path.length > 1 ? { made: path.length - 1 } : {};
  if (container.layout === 'flow') {
    if (text[container.start] !== '{' && text[container.start] !== '[')
      throw new EditProblem(`has a map without braces at ${where(text, container.start)}`, 'Write braces around it.');
    const brackets: Brackets = { comment: hashComment, unit: ' '.repeat(styleOf(text, root).unit), gap: ' ', pad: '', isTall: false };
    const { splices, place, undo: around } = insertMember(text, container, brackets, () => flowText(path, value));
    return { splices, graft: (tree) => putItem(container, readItem(tree.text, container, place)), undo: { ...made, ...around } };
  }
  const at = lineEnd(text, endOf(container));
  const lines = linesAt(text, root, path, value, columnOf(text, container));
  const start = at + breakOf(text).length + columnOf(text, container);
  const graft = (tree: Tree) => putItem(container, readItem(tree.text, container, { start, end: at + lines.length }));
  return { splices: [{ start: at, end: at, text: lines }], graft, undo: made };
}

/** Adds a container to a key without a value. */
function fillEmpty(text: string, root: Node, place: Located, path: Path, value: Leaf): Edit {
  const { container, item } = place;
  const to = endOf(item.value);
  const from = item.sign < 0 ? to : item.sign;
  const undo = { made: path.length, blank: text.slice(from, to), ...(item.sign < 0 && { lead: ':' }) };
  if (container.layout === 'flow') {
    return { ...itemChange(place, [{ start: from, end: to, text: `${item.sign < 0 ? ': ' : ' '}${flowContainer(path, value)}` }]), undo };
  }
  const style = styleOf(text, root);
  const column = columnOf(text, container) + (typeof path[0] === 'string' ? style.unit : style.dash);
  const at = lineEnd(text, to);
  const lines = { start: at, end: at, text: linesAt(text, root, path, value, column) };
  return { ...itemChange(place, [...(from < to ? [{ start: from, end: to, text: '' }] : []), lines]), undo };
}

/** Adds the first member of a blank document, after its comments. */
function insertFirst(text: string, path: Path, value: Leaf): Edit {
  const marker = /^\.\.\.(?=\s|$)/m.exec(text)?.index ?? text.length;
  const at = beforeBreak(text, marker);
  const lines = linesAt(text, undefined, path, value, 0);
  const first = lines.slice(breakOf(text).length) + breakOf(text);
  return {
    splices: [{ start: at, end: at, text: at === 0 && (text === '' || marker === 0) ? first : lines }],
    graft: readWhole,
    undo: { made: path.length },
  };
}

export function readWhole(tree: Tree): void {
  tree.root = readYaml(tree.text);
}

function linesAt(text: string, root: Node | undefined, path: Path, value: Leaf, column: number): string {
  const start = breakOf(text) + ' '.repeat(column);
  return start + blockLines(path, value, styleOf(text, root)).join(start);
}

/** Indentation of the first map below a key, and of the first list below a key. */
function styleOf(text: string, root: Node | undefined): YamlStyle {
  let unit: number | undefined;
  let dash: number | undefined;
  const waiting: Node[] = root?.layout === 'block' ? [root] : [];
  for (let container = waiting.pop(); container && (unit === undefined || dash === undefined); container = waiting.pop()) {
    for (const { start, value } of container.items) {
      if (value.layout !== 'block') continue;
      waiting.push(value);
      if (container.kind !== 'map') continue;
      const deeper = columnAt(text, value.start) - columnAt(text, start);
      if (value.kind === 'map') unit ??= deeper > 0 ? deeper : undefined;
      else dash ??= deeper >= 0 ? deeper : undefined;
    }
  }
  return { unit: unit ?? 2, dash: dash ?? unit ?? 2 };
}

/** Column of the items of a block container. */
function columnOf(text: string, container: Node): number {
  const from = lineStart(text, container.start);
  if (!/^[ -]*$/.test(text.slice(from, container.start)))
    throw new EditProblem(`has a member that cannot be moved apart at ${where(text, container.start)}`, 'Write it on a line of its own.');
  return container.start - from;
}

/** True for a value without source text. */
export function isEmpty({ start, end }: Node): boolean {
  return start === end;
}
