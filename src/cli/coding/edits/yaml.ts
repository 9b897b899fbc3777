// YAML documents.
import { isDeepStrictEqual } from 'node:util';
import { type Around, type DocumentFormat, TextDraft, type TreeEdit } from './draft.ts';
import { EditProblem, type Leaf, type Open, type Path, pathText, type Undo } from './edit.ts';
import { type Brackets, insertMember, removeMember } from './flow.ts';
import { beforeBreak, breakOf, columnAt, lineEnd, lineStart, nextLine, type Splice, spliced, where } from './text.ts';
import { contentOf, dropItem, endOf, type Item, type Located, type Node, outermost, putItem, rangeOf, type Tree } from './tree.ts';
import { blockLines, flowContainer, flowText, leafText, type YamlStyle } from './yaml-print.ts';
import { mergeKey, readItem, readYaml } from './yaml-read.ts';

export const openYaml: Open = (text) => new TextDraft(text, { read: readYaml, set, undo });

const comment = /#[^\r\n]*/y;

interface Edit extends TreeEdit {
  readonly undo: Around;
}

const set: DocumentFormat['set'] = function* ({ text, root }, way, path, value) {
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
  if (!place) throw new EditProblem('has no map at its top');
  return fillEmpty(text, root, place, missing, value);
}

/** Refuses a path through parts of YAML that an edit of the text cannot follow. */
function checkPath(text: string, root: Node, way: readonly Located[], path: Path): void {
  const refused = (feature: string, at: number) => new EditProblem(`has ${feature} at ${where(text, at)}, which an edit cannot follow`);
  for (const [at, node] of [root, ...way.map(({ item }) => item.value)].entries()) {
    if (node.trait) throw refused(node.trait, node.start);
    const step = path[at];
    const isNull = node.kind === 'scalar' && node.scalar === null;
    if (step === undefined || (isNull && at > 0)) return;
    const kind = typeof step === 'string' ? 'map' : 'list';
    const name = at === 0 ? 'at its top' : `at \`${pathText(path.slice(0, at))}\``;
    if (node.kind !== kind) throw new EditProblem(`has no ${kind} ${name} (${where(text, node.start)})`);
    if (node.kind !== 'map') continue;
    const found = way[at]?.item;
    const other = node.items.find(({ key, trait }) => trait === mergeKey || (key === undefined && !found));
    if (other) throw refused(other.trait === mergeKey ? mergeKey : 'a key that is no scalar', other.start);
    const twin = node.items.filter(({ key }) => key === step)[1];
    if (twin) throw refused('a key twice', twin.start);
    if (found?.trait) throw refused(found.trait, found.start);
  }
}

/** Puts another value in the place of one. */
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

/** An anchor that is gone breaks its aliases. */
function checkReplaced(text: string, node: Node): void {
  if (node.trait === 'an anchor' || node.trait === 'an alias')
    throw new EditProblem(`has an anchor or an alias at ${where(text, node.start)}, which an edit cannot follow`);
  for (const { value } of node.items) checkReplaced(text, value);
}

/** A change of an item, which is read again up to the end of the last splice. */
function itemChange({ container, item }: Located, splices: readonly Splice[]): TreeEdit {
  const end = splices.reduce((sum, { start, end: to, text }) => sum + text.length - (to - start), splices.at(-1)?.end ?? 0);
  return { splices, graft: ({ text }) => putItem(container, readItem(text, container, { start: item.start, end }), item) };
}

/** Adds a member at the end of a container. */
function insertLast(text: string, root: Node, container: Node, path: Path, value: Leaf): Edit {
  const made = path.length > 1 ? { made: path.length - 1 } : {};
  if (container.layout === 'flow') {
    if (text[container.start] !== '{' && text[container.start] !== '[')
      throw new EditProblem(`has a map without braces at ${where(text, container.start)}`);
    const pad = '';
    const brackets: Brackets = { comment, unit: ' '.repeat(styleOf(text, root).unit), gap: ' ', pad, isTall: false };
    const { splices, place, undo: around } = insertMember(text, container, brackets, () => flowText(path, value));
    return { splices, graft: (tree) => putItem(container, readItem(tree.text, container, place)), undo: { ...made, ...around } };
  }
  const at = lineEnd(text, endOf(container));
  const lines = linesAt(text, root, path, value, columnOf(text, container));
  const start = at + breakOf(text).length + columnOf(text, container);
  const graft = (tree: Tree) => putItem(container, readItem(tree.text, container, { start, end: at + lines.length }));
  return { splices: [{ start: at, end: at, text: lines }], graft, undo: made };
}

/** Adds the container that a key without a value is missing. */
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

function readWhole(tree: Tree): void {
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
    throw new EditProblem(`has a member that cannot be moved apart at ${where(text, container.start)}`);
  return container.start - from;
}

/** True for a value without source text. */
function isEmpty({ start, end }: Node): boolean {
  return start === end;
}

const undo: DocumentFormat['undo'] = function* ({ text }, way, record) {
  if (record.before !== undefined) return yield restored(text, way.at(-1) as Located, record.before, record);
  const index = Math.max(0, outermost(way, record));
  const isWhole = way.length - 1 - index === (record.made ?? 0);
  const place = way[index] as Located;
  if (record.blank !== undefined && isWhole) return yield emptied(text, place, record.blank, record);
  yield removed(text, place, way[index - 1], isWhole ? record : undefined);
};

/** Removes an item. The record is absent if the edit has not written all of it. */
function removed(text: string, place: Located, owner: Located | undefined, record: Undo | undefined): TreeEdit {
  const { container, item } = place;
  const graft = () => dropItem(place);
  const { start, end } = rangeOf(item);
  if (container.layout === 'flow') return { splices: removeMember(text, container, { start, end }, comment, record), graft };
  const index = container.items.indexOf(item);
  const isOnly = container.items.length === 1;
  if (isOnly && owner) {
    const nothing = container.kind === 'map' ? '{}' : '[]';
    return owner.container.kind === 'map' ? emptied(text, owner, ` ${nothing}`) : itemChange(owner, [{ start, end, text: nothing }]);
  }
  const isFirstOnLine = /^\s*$/.test(text.slice(lineStart(text, start), start));
  if (isFirstOnLine) {
    const splices = [cutLines(text, start, end, isOpen(text, container.items[index - 1]?.value, end))];
    return { splices, graft: isOnly ? readWhole : graft };
  }
  // The next item moves up behind the dash, unless there are comments before it.
  const next = container.items[index + 1]?.start ?? end;
  return { splices: [{ start, end: /^\s*$/.test(text.slice(end, next)) ? next : lineEnd(text, end), text: '' }], graft };
}

/** Takes the value of a key away, with its lines, and leaves another text. */
function emptied(text: string, { container, item }: Located, rest: string, { lead }: Pick<Undo, 'lead'> = {}): TreeEdit {
  const to = endOf(item.value);
  const colon = item.sign < 0 ? to : item.sign;
  const from = lead === ':' && container.layout === 'flow' ? item.keyEnd : colon;
  const isBlock = item.value.layout === 'block';
  const splices = isBlock
    ? [{ start: from, end: from, text: rest }, cutLines(text, item.value.start, to, false)]
    : [{ start: from, end: to, text: rest }];
  const graft = (tree: Tree) => putItem(container, readItem(tree.text, container, { start: item.start, end: from + rest.length }), item);
  return { splices, graft };
}

function cutLines(text: string, start: number, end: number, isToBlank: boolean): Splice {
  const first = lineStart(text, start);
  const last = isToBlank ? blankEnd(text, end) : lineEnd(text, end);
  return first > 0 ? { start: beforeBreak(text, first), end: last, text: '' } : { start: 0, end: nextLine(text, last), text: '' };
}

/** True if the blank lines behind an offset would become a part of a block scalar that ends right before them. */
function isOpen(text: string, node: Node | undefined, end: number): boolean {
  if (!node) return false;
  if (node.layout === 'block') return isOpen(text, node.items.at(-1)?.value, end);
  const [, head, indent = ''] = /^([|>][-+\d]*).*\r?\n(?:[ \t]*\r?\n)*( *)/.exec(text.slice(node.start, node.end)) ?? [];
  if (!head) return false;
  const blanks = text.slice(lineEnd(text, end), blankEnd(text, end)).split(/\r?\n/);
  return head.includes('+') || blanks.some((line) => line.length > indent.length);
}

/** The end of a line and of the blank lines after it, before the last line break. */
function blankEnd(text: string, at: number): number {
  const end = lineEnd(text, at);
  const next = lineStart(text, end + (/\S/.exec(text.slice(end))?.index ?? text.length - end));
  return next <= end ? end : beforeBreak(text, next);
}

/**
 * Tries the earlier value as it is, and deeper, for a key that was moved. Then it tries both without the comment and the blank lines that follow:
 * a block scalar would take them in. A value that depends on its place may differ from the one read alone.
 */
function restored(text: string, place: Located, before: string, { lead }: Undo): TreeEdit {
  const { container, item } = place;
  const { sign, value } = item;
  const end = endOf(value);
  const isFlow = container.layout === 'flow';
  const hasOwnSpace = before === '' || /^\s/.test(before);
  const fromColon = hasOwnSpace || isEmpty(value) || value.layout === 'block';
  const spliceOf = (earlier: string, isToBlank: boolean): Splice => {
    const to = isToBlank ? blankEnd(text, end) : end;
    if (lead === ':' && isFlow) return { start: item.keyEnd, end: to, text: '' };
    if (sign < 0) return { start: to, end: to, text: `: ${earlier}` };
    if (!fromColon) return { start: value.start, end: to, text: earlier };
    return { start: sign, end: to, text: hasOwnSpace ? earlier : ` ${earlier}` };
  };
  const deeper = indented(before, columnAt(text, item.start) + 2);
  const candidates = (isFlow ? [false] : [false, true]).flatMap((isToBlank) => [spliceOf(before, isToBlank), spliceOf(deeper, isToBlank)]);
  const source = `k:${hasOwnSpace ? before : ` ${before}`}\n`;
  const alone = tried(() => readItem(source, { ...container, layout: 'block' }, { start: 0, end: source.length }));
  const found = candidates.flatMap((splice) => {
    const result = spliced(text, [splice]);
    const end = splice.start + splice.text.length;
    const read = tried(() => readItem(result, container, { start: item.start, end: isFlow ? end : blankEnd(result, end) }));
    return read && read.key === item.key ? [{ splice, value: contentOf(read.value) }] : [];
  });
  const best = found.find((one) => alone && isDeepStrictEqual(one.value, contentOf(alone.value))) ?? found[0];
  if (!best) throw new EditProblem('cannot get its earlier value back');
  return itemChange(place, [best.splice]);
}

/** A text whose lines after the first are moved so that the outermost of them is at a column. */
function indented(text: string, column: number): string {
  const [first = '', ...lines] = text.split('\n');
  const now = lines.reduce((least, line) => (line.trim() === '' ? least : Math.min(least, line.search(/[^ ]/))), Number.POSITIVE_INFINITY);
  return [first, ...lines.map((line) => (line.replace('\r', '').length <= now ? line : ' '.repeat(column) + line.slice(now)))].join('\n');
}

/** The item that is read; undefined if the text is not valid. */
function tried(read: () => Item): Item | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
