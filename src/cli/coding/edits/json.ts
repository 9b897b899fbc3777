// Edits of JSON and JSONC documents. An edit reads the text of its container again, and the end of all edits the whole text.
import { isDeepStrictEqual } from 'node:util';
import { type Draft, EditProblem, type Leaf, type Open, type Path, pathText, type Undo } from './edit.ts';
import { withLeaf, withValue } from './intent.ts';
import { graft } from './json-graft.ts';
import { type Insertion, insertLast, insertRoot } from './json-insert.ts';
import { colonOf, commaFor, leafText } from './json-print.ts';
import { exactCuts, removalOf, tidyCuts } from './json-remove.ts';
import { contentOf, follow, type Item, type Node, type Place, read, type Tree, where } from './json-tree.ts';

/** JSON as `JSON.parse` reads it. */
export const openJson: Open = (text) => new JsonDraft(text, true);

/** JSON with comments and trailing commas, which stay. */
export const openJsonc: Open = (text) => new JsonDraft(text, false);

class JsonDraft implements Draft {
  readonly #start: string;
  readonly #isStrict: boolean;
  #text: string;
  #tree: Tree;

  constructor(text: string, isStrict: boolean) {
    this.#start = text;
    this.#isStrict = isStrict;
    this.#text = text;
    this.#tree = read(text, isStrict);
  }

  find(path: Path): unknown {
    const { root } = this.#tree;
    if (!root) return path.length === 0 ? {} : undefined;
    const { items, reached } = follow(root, path);
    return items.length === path.length ? contentOf(reached) : undefined;
  }

  set(path: Path, value: Leaf): Undo {
    const { text, undo, container, depth } = change(this.#text, this.#tree, path, value);
    const intended = withLeaf(contentOf(container), path.slice(depth), value);
    if (this.#take(text, container, intended) && isDeepStrictEqual(this.find(path), value)) return undo;
    // A text that is not valid has a problem with a place.
    read(text, this.#isStrict);
    throw lossy(path);
  }

  undo(undo: Undo): void {
    const { path, before } = undo;
    const { root } = this.#tree;
    if (!root) return;
    const { items } = follow(root, path);
    const item = items[path.length - 1];
    if (!item) return;
    if (before === undefined) return this.#remove(root, items, undo);
    const container = items[path.length - 2]?.value ?? root;
    const earlier = contentOf(read(before, this.#isStrict).root);
    const intended = withValue(contentOf(container), path.slice(-1), earlier);
    if (!this.#take(replaced(this.#text, item.value, before), container, intended)) throw lossy(path);
  }

  finish(): string {
    const text = this.#text;
    if (text === this.#start) return text;
    if (!isDeepStrictEqual(contentOf(read(text, this.#isStrict).root), contentOf(this.#tree.root)))
      throw new EditProblem('cannot be changed without a loss');
    return text;
  }

  #remove(root: Node, items: readonly Item[], undo: Undo): void {
    const text = this.#text;
    const removal = removalOf(this.#tree, root, items, undo);
    const { container, item } = removal;
    const rest = container ? contentOf(container, item) : {};
    for (const cuts of [exactCuts(text, root, removal, undo), tidyCuts(text, this.#tree, root, removal)]) {
      const result = cuts?.reduceRight((left, cut) => replaced(left, cut, ''), text);
      // A cut that leaves another value is one to discard.
      if (result !== undefined && this.#take(result, container, rest)) return;
    }
    throw lossy(undo.path);
  }

  /** Takes over a text that differs inside of a container, or anywhere without one, if the container or the document then has the intended value. */
  #take(text: string, container: Node | undefined, intended: unknown): boolean {
    const growth = text.length - this.#text.length;
    const tree = treeOf(container ? text.slice(container.start, container.end + growth) : text, this.#isStrict);
    if (!tree || !isDeepStrictEqual(contentOf(tree.root), intended)) return false;
    const { root, comments } = tree;
    if (!container) this.#tree = tree;
    else if (root) graft(this.#tree, container, { root, comments }, growth);
    else return false;
    this.#text = text;
    return true;
  }
}

/** The tree of a text; undefined if the text is not valid. */
function treeOf(text: string, isStrict: boolean): Tree | undefined {
  try {
    return read(text, isStrict);
  } catch (error) {
    if (error instanceof EditProblem) return undefined;
    throw error;
  }
}

interface Result {
  readonly text: string;
  readonly undo: Undo;
  /** The container in which the text differs, and the steps of the path to it. Undefined for the first value of a document. */
  readonly container: Node | undefined;
  readonly depth: number;
}

function change(text: string, tree: Tree, path: Path, value: Leaf): Result {
  const { root } = tree;
  if (!root) return { ...inserted(text, insertRoot(text, tree, path, value), path, path.length), container: undefined, depth: 0 };
  const { items, reached } = follow(root, path);
  if (items.length === path.length) {
    const body = leafText(value, commaFor(colonOf(text, items.at(-1)) ?? ' '));
    const undo = { path, before: text.slice(reached.start, reached.end) };
    return { text: replaced(text, reached, body), undo, container: items.at(-2)?.value ?? root, depth: path.length - 1 };
  }
  const kind = typeof path[items.length] === 'string' ? 'object' : 'array';
  if (reached.kind !== kind) throw new EditProblem(`has no ${kind} at ${placeText(path.slice(0, items.length))} (${where(text, reached.start)})`);
  const rest = path.slice(items.length);
  const insertion = insertLast(text, tree, root, items, rest, value);
  return { ...inserted(text, insertion, path, rest.length - 1), container: reached, depth: items.length };
}

function inserted(text: string, { comma, at, lead, body, trail }: Insertion, path: Path, made: number): Pick<Result, 'text' | 'undo'> {
  const added = (comma === undefined ? lead : lead.slice(1)) + body + trail;
  const head = comma === undefined ? text.slice(0, at) : `${text.slice(0, comma)},${text.slice(comma, at)}`;
  return {
    text: head + added + text.slice(at),
    undo: { path, ...(made > 0 ? { made } : {}), ...(lead ? { lead } : {}), ...(trail ? { trail } : {}) },
  };
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
