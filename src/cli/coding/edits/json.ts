// Edits of JSON and JSONC documents.
import { isDeepStrictEqual } from 'node:util';
import { type Editor, EditProblem, type Leaf, type Path, pathText, type Undo } from './edit.ts';
import { withLeaf } from './intent.ts';
import { type Insertion, insertLast, insertRoot } from './json-insert.ts';
import { colonOf, commaFor, leafText } from './json-print.ts';
import { exactCuts, removalOf, tidyCuts } from './json-remove.ts';
import { contentOf, follow, type Item, type Node, type Place, read, type Tree, where } from './json-tree.ts';
import { latestOf } from './latest.ts';

interface Result {
  readonly text: string;
  readonly undo: Undo;
}

/** JSON as `JSON.parse` reads it. */
export const jsonEditor: Editor = editorOf(true);

/** JSON with comments and trailing commas, which stay. */
export const jsoncEditor: Editor = editorOf(false);

function editorOf(isStrict: boolean): Editor {
  const treeOf = latestOf((text) => read(text, isStrict));
  return {
    parse: (text) => contentOf(treeOf(text).root),
    find: (text, path) => valueAt(treeOf(text), path),
    set(text, path, value) {
      const tree = treeOf(text);
      const result = change(text, tree, path, value);
      const after = treeOf(result.text);
      const isRight = isDeepStrictEqual(contentOf(after.root), withLeaf(contentOf(tree.root), path, value));
      if (!isRight || !isDeepStrictEqual(valueAt(after, path), value)) throw lossy(path);
      return result;
    },
    undo(text, undo) {
      const tree = treeOf(text);
      if (!tree.root) return text;
      const { items } = follow(tree.root, undo.path);
      const item = items[undo.path.length - 1];
      if (!item) return text;
      if (undo.before === undefined) return withoutMember(text, tree, tree.root, items, undo, treeOf);
      const result = replaced(text, item.value, undo.before);
      if (!isDeepStrictEqual(valueAt(treeOf(result), undo.path), contentOf(read(undo.before, isStrict).root))) throw lossy(undo.path);
      return result;
    },
  };
}

function valueAt({ root }: Tree, path: Path): unknown {
  if (!root) return path.length === 0 ? {} : undefined;
  const { items, reached } = follow(root, path);
  return items.length === path.length ? contentOf(reached) : undefined;
}

function change(text: string, tree: Tree, path: Path, value: Leaf): Result {
  const { root } = tree;
  if (!root) return inserted(text, insertRoot(text, tree, path, value), path, path.length);
  const { items, reached } = follow(root, path);
  if (items.length === path.length) {
    const body = leafText(value, commaFor(colonOf(text, items.at(-1)) ?? ' '));
    return { text: replaced(text, reached, body), undo: { path, before: text.slice(reached.start, reached.end) } };
  }
  const kind = typeof path[items.length] === 'string' ? 'object' : 'array';
  if (reached.kind !== kind) throw new EditProblem(`has no ${kind} at ${placeText(path.slice(0, items.length))} (${where(text, reached.start)})`);
  const rest = path.slice(items.length);
  return inserted(text, insertLast(text, tree, root, items, rest, value), path, rest.length - 1);
}

function inserted(text: string, { comma, at, lead, body, trail }: Insertion, path: Path, made: number): Result {
  const added = (comma === undefined ? lead : lead.slice(1)) + body + trail;
  const head = comma === undefined ? text.slice(0, at) : `${text.slice(0, comma)},${text.slice(comma, at)}`;
  return {
    text: head + added + text.slice(at),
    undo: { path, ...(made > 0 ? { made } : {}), ...(lead ? { lead } : {}), ...(trail ? { trail } : {}) },
  };
}

function withoutMember(text: string, tree: Tree, root: Node, items: readonly Item[], undo: Undo, treeOf: (text: string) => Tree): string {
  const removal = removalOf(tree, root, items, undo);
  const rest = removal.item ? contentOf(root, removal.item) : {};
  for (const cuts of [exactCuts(text, root, removal, undo), tidyCuts(text, tree, root, removal)]) {
    const result = cuts?.reduceRight((left, cut) => replaced(left, cut, ''), text);
    if (result !== undefined && isDocument(result, rest, treeOf)) return result;
  }
  throw lossy(undo.path);
}

/** True if a text is a document with this value. A cut that is no document is one to discard. */
function isDocument(text: string, value: unknown, treeOf: (text: string) => Tree): boolean {
  try {
    return isDeepStrictEqual(contentOf(treeOf(text).root), value);
  } catch (error) {
    if (error instanceof EditProblem) return false;
    throw error;
  }
}

function replaced(text: string, { start, end }: Place, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}

function placeText(path: Path): string {
  return path.length === 0 ? 'its root' : pathText(path);
}

function lossy(path: Path): EditProblem {
  return new EditProblem(`cannot be changed at ${placeText(path)} without a loss`);
}
