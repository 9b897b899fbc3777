// Edits of settings files. They are decided on values; a format reads a value from a text, and writes the changes into it.

/** A step into a document: a key of an object, or the fields that identify an item of a list. */
export type Step = string | Identity;
export type Identity = Readonly<Record<string, string>>;

/** Way from the root to a value. Its last step is a key. */
export type Path = readonly Step[];

/** A value that an edit writes on one line. Objects are written leaf by leaf, so that each leaf can be taken back alone. */
export type Leaf = string | number | boolean | readonly (string | number | boolean)[];

/** How an edit is taken back by its key. Plain data: it is stored in the record of `coding`. */
export interface Undo {
  readonly path: Path;
  /** Source text of the earlier value, as `DocumentFormat.source` writes it. Absent if there was none. */
  readonly before?: string;
  /** Number of containers above the leaf that the edit made; the length of the path if the document was blank. */
  readonly made?: number;
  /** Present if the topmost container replaced an empty value, as in `models:`. Its key is kept. */
  readonly blank?: string;
}

/** ValuePlace of a value: keys, and the indices of items. */
export type ValuePlace = readonly (string | number)[];

/** Sets the value at a place, or removes it if it is undefined. An item beyond the end of a list is added to it. */
export interface Write {
  readonly place: ValuePlace;
  readonly value: unknown;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A key, or a value that is neither an object nor a list. Texts between the parts are signs and comments. */
export interface TextPart extends Range {
  readonly kind: 'key' | 'value' | 'opaque';
  readonly place: ValuePlace;
}

/** A text that was read. */
export interface DocumentText {
  /** Undefined for a text without a value. */
  readonly value: unknown;
  /** The text with changes. Comments, and all values that are not named, stay. The layout may change. */
  write(writes: readonly Write[]): string;
  /** For previews. In no order. */
  parts(): Iterable<TextPart>;
}

export interface DocumentFormat {
  /** Throws an EditProblem if the text is not valid. */
  read(text: string): DocumentText;
  /** The source text of a value, and the value of a source text. */
  source(value: unknown): string;
  parse(source: string): unknown;
  /** The name of an object and of a list, and how to write one. */
  readonly containers: { readonly object: readonly [name: string, written: string]; readonly list: readonly [name: string, written: string] };
}

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
