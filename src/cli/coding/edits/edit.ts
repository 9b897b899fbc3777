// Edits of configuration files: one value is set in the text, and every other byte stays.

/** A step into a document: a key of an object, or the fields that identify an item of a list. */
export type Step = string | Identity;
export type Identity = Readonly<Record<string, string>>;

/** Way from the root to a value. Its last step is a key. */
export type Path = readonly Step[];

/** A value that an edit writes on one line. Objects are written leaf by leaf, so that each leaf can be taken back alone. */
export type Leaf = string | number | boolean | readonly (string | number | boolean)[];

/** How an edit is taken back. Plain data: it is stored in the record of `coding`. */
export interface Undo {
  readonly path: Path;
  /** Source text of the earlier value. Absent if there was none. */
  readonly before?: string;
  /** Number of containers above the leaf that the edit made; the length of the path if the document was blank. */
  readonly made?: number;
  /** Source text of the empty value that the topmost container replaced, as in `models:`. Its key is kept. Absent if the edit made the key. */
  readonly blank?: string;
  /** Text that the edit added before and after the inserted member, so that both can be removed again. */
  readonly lead?: string;
  readonly trail?: string;
  /** Lines of a TOML table that a value replaced, with their offsets in the text without the value. */
  readonly lines?: readonly { readonly at: number; readonly text: string }[];
}

/**
 * A text with edits. An edit keeps all other bytes: comments, order, white space, line ends. A missing member is inserted at the end of its
 * container, in the style of the document. A comment on the line of the last member stays there. Missing containers are made.
 * Do not use a draft after a failed edit.
 */
export interface Draft {
  /** The value at a path; undefined if it is absent. */
  find(path: Path): unknown;
  /** Sets one leaf. Throws an EditProblem where the text cannot be edited without a loss. */
  set(path: Path, value: Leaf): Undo;
  /**
   * Takes an edit back: restores the earlier value, or removes the member. A container that the edit made is removed too, once it is empty or
   * has only the fields that identify it. Restores the earlier bytes if there is no later edit around them. Without a value at the path, the
   * text is not changed.
   */
  undo(undo: Undo): void;
  /** The text with all edits. Throws an EditProblem if it does not have the intended value when it is parsed again. */
  finish(): string;
}

/** Begins to edit a text of one format. Throws an EditProblem if the text is not valid. */
export type Open = (text: string) => Draft;

/** A text that cannot be read or edited. The message is a predicate: `has a comma too many at line 3`. */
export class EditProblem extends Error {
  override readonly name = 'EditProblem';
  readonly #cure: string;

  /** `cure` is a sentence for a text that is not broken. */
  constructor(message: string, cure: string = 'Repair the file.') {
    super(message);
    this.#cure = cure;
  }

  get cure(): string {
    return this.#cure;
  }
}

/** The problem of a value of another type where an edit needs a container. */
export function noContainer(problem: string, written: string): EditProblem {
  return new EditProblem(problem, `Write ${written} there, or remove the value.`);
}

/** `env.PATH`, `models[name=x].url`, for messages. */
export function pathText(path: Path): string {
  return path.map((step, at) => (typeof step === 'string' ? (at === 0 ? step : `.${step}`) : `[${fieldsText(step)}]`)).join('');
}

/** A text that only equal paths share. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

function fieldsText(fields: Identity): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** True if an item of a list is the one that the fields identify. */
export function hasFields(item: unknown, fields: Identity): boolean {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  return Object.entries(fields).every(([key, value]) => (item as Readonly<Record<string, unknown>>)[key] === value);
}
