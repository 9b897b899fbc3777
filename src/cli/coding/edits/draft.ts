// The draft of any format: edits on one tree, and one verification at the end.
import { isDeepStrictEqual } from 'node:util';
import { type Draft, EditProblem, type Leaf, type Path, pathText, type Undo } from './edit.ts';
import { moverOf, type Splice, spliced } from './text.ts';
import { contentOf, find, follow, type Located, moveNode, type Node, type Tree } from './tree.ts';

/** A change of the text, and the same change of the tree, made once its places have moved. At the end the text must have the value of the tree. */
export interface TreeEdit {
  readonly splices: readonly Splice[];
  graft(tree: Tree): void;
}

export interface DocumentFormat {
  /** The root of a text; undefined if it is blank. Throws an EditProblem if the text is not valid. */
  read(text: string): Node | undefined;
  /** `way` leads along the path as far as it exists. Throws an EditProblem if the value cannot be set there. */
  set(tree: Tree, way: readonly Located[], path: Path, value: Leaf): Changes<Around>;
  /** `way` leads to the end of the path. */
  undo(tree: Tree, way: readonly Located[], undo: Undo): Changes<void>;
}

/** The record of an edit without its path. */
export type Around = Omit<Undo, 'path'>;

/** Changes in order. Each is applied before the next one is worked out. */
export type Changes<T> = Generator<TreeEdit, T>;

export class TextDraft implements Draft {
  readonly #start: string;
  readonly #format: DocumentFormat;
  readonly #changed = new Set<string>();
  readonly #tree: Tree;

  constructor(text: string, format: DocumentFormat) {
    this.#start = text;
    this.#format = format;
    this.#tree = { text, root: format.read(text) };
  }

  find(path: Path): unknown {
    return find(this.#tree.root, path);
  }

  set(path: Path, value: Leaf): Undo {
    const around = this.#applied(this.#format.set(this.#tree, this.#wayAlong(path), path, value), path);
    if (!isDeepStrictEqual(this.find(path), value)) throw lossy([pathText(path)]);
    return { path, ...around };
  }

  undo(undo: Undo): void {
    const { path } = undo;
    const way = this.#wayAlong(path);
    if (way.length < path.length) return;
    this.#applied(this.#format.undo(this.#tree, way, undo), path);
  }

  finish(): string {
    const { text, root } = this.#tree;
    if (text !== this.#start && !isDeepStrictEqual(contentOf(this.#read(text)), contentOf(root))) throw lossy(this.#changed);
    return text;
  }

  #wayAlong(path: Path): readonly Located[] {
    return this.#tree.root ? follow(this.#tree.root, path).way : [];
  }

  #read(text: string): Node | undefined {
    try {
      return this.#format.read(text);
    } catch {
      throw lossy(this.#changed);
    }
  }

  #applied<T>(changes: Changes<T>, path: Path): T {
    this.#changed.add(pathText(path));
    for (let next = changes.next(); ; next = changes.next()) {
      if (next.done) return next.value;
      this.#apply(next.value, path);
    }
  }

  #apply({ splices, graft }: TreeEdit, path: Path): void {
    const tree = this.#tree;
    if (tree.root) moveNode(tree.root, moverOf(splices));
    tree.text = spliced(tree.text, splices);
    try {
      graft(tree);
    } catch (error) {
      throw error instanceof EditProblem ? lossy([pathText(path)]) : error;
    }
  }
}

/** The result of reading a text; undefined if the text is not valid. */
export function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function lossy(paths: Iterable<string>): EditProblem {
  const names = [...paths].map((path) => `\`${path}\``).join(', ');
  return new EditProblem(`cannot be edited at ${names} without changing other values`, 'Write these values by hand.');
}
