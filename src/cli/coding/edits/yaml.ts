// The editor of YAML files. The library reads the text before and after each edit; the edit itself is a splice of the text.
import { isDeepStrictEqual } from 'node:util';
import { type Editor, EditProblem, hasFields, type Leaf, type Path, pathText, type Undo } from './edit.ts';
import { withLeaf, withoutEntry, withValue } from './intent.ts';
import { type Change, fillEmpty, insertFirst, insertLast, replaceValue } from './yaml-insert.ts';
import { columnAt, entryStart, indented, splice } from './yaml-positions.ts';
import { putBack, removedDepth, removeMember } from './yaml-remove.ts';
import { type Container, checkPath, isNull, type Place, read, type Tree, walk } from './yaml-tree.ts';

export const yamlEditor: Editor = {
  parse: (text) => read(text).value,
  find: (text, path) => valueAt(read(text).value, path),
  set(text, path, value) {
    const tree = read(text);
    const { splices, undo } = change(tree, path, value);
    const result = splice(text, splices);
    if (!isDeepStrictEqual(parsed(result)?.value, withLeaf(tree.value, path, value))) throw lossy(path);
    return { text: result, undo: { path, ...undo } };
  },
  undo(text, undo) {
    const tree = read(text);
    const { places } = walk(tree.root, undo.path);
    const last = places.at(-1);
    if (!last || places.length < undo.path.length) return text;
    return undo.before === undefined ? removed(tree, places, undo) : restored(tree, last, undo.before, undo);
  },
};

function valueAt(document: unknown, path: Path): unknown {
  let value = document;
  for (const step of path) {
    if (typeof step !== 'string') value = Array.isArray(value) ? value.find((item) => hasFields(item, step)) : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function change(tree: Tree, path: Path, value: Leaf): Change {
  const { places, reached } = walk(tree.root, path);
  checkPath(tree, path, places, reached);
  const place = places.at(-1);
  if (place && places.length === path.length) return replaceValue(tree, place, value);
  const missing = path.slice(places.length);
  if (reached === undefined) return insertFirst(tree, missing, value);
  if (reached !== null && !isNull(reached)) return insertLast(tree, reached as Container, missing, value);
  if (!place) throw new EditProblem('has no map at its top');
  return fillEmpty(tree, place, missing, value);
}

function removed({ text, value }: Tree, places: readonly Place[], undo: Undo): string {
  const depth = removedDepth(places, undo);
  const path = undo.path.slice(0, depth);
  const blank = places.length - depth === undo.made ? undo.blank : undefined;
  const intended = blank === undefined ? withoutEntry(value, path) : withValue(value, path, null);
  // A block scalar before the member may keep the blank lines after it.
  for (const isToBlank of [false, true]) {
    const result = splice(text, removeMember(text, places.slice(0, depth), { blank, lead: undo.lead, isToBlank }));
    const after = parsed(result);
    // A list at the top that loses its last item leaves a blank document.
    if (after && isDeepStrictEqual(after.value, after.root === undefined && isDeepStrictEqual(intended, []) ? {} : intended)) return result;
  }
  throw lossy(undo.path);
}

/**
 * Tries the earlier value as it is, and deeper, for a key that was moved. Then it tries both without the comment and the blank lines that follow:
 * a block scalar would take them in. A value that depends on the document, say on its version of YAML, may differ from the one read alone.
 */
function restored(tree: Tree, place: Place, before: string, undo: Undo): string {
  const { text } = tree;
  const deeper = indented(before, columnAt(text, entryStart(place.container, place.index)) + 2);
  const found = [false, true].flatMap((isToBlank) =>
    [before, deeper].flatMap((earlier) => {
      const result = splice(text, [putBack(text, place, earlier, undo, isToBlank)]);
      const after = parsed(result);
      return after && isOnlyChange(tree, after, place, undo.path) ? [{ result, value: valueAt(after.value, undo.path) }] : [];
    }),
  );
  const alone = parsed(`k:${/^\s/.test(before) ? before : ` ${before}`}\n`);
  const { result } = found.find(({ value }) => alone && isDeepStrictEqual(value, valueAt(alone.value, ['k']))) ?? found[0] ?? {};
  if (result === undefined) throw lossy(undo.path);
  return result;
}

/** True if the key is where it was, and only its value has changed. */
function isOnlyChange(before: Tree, after: Tree, { container, index }: Place, path: Path): boolean {
  const found = walk(after.root, path).places.at(-1);
  if (!found || entryStart(found.container, found.index) !== entryStart(container, index)) return false;
  return isDeepStrictEqual(after.value, withValue(before.value, path, valueAt(after.value, path)));
}

/** The tree of a text; undefined if the text is not valid. */
function parsed(text: string): Tree | undefined {
  try {
    return read(text);
  } catch {
    return undefined;
  }
}

function lossy(path: Path): EditProblem {
  return new EditProblem(`cannot be edited at \`${pathText(path)}\` without a change of something else`);
}
