// A text with edits: they are decided on its value, written at once, and verified.
import { isDeepStrictEqual } from 'node:util';
import { type DocumentFormat, type DocumentText, EditProblem, type Leaf, type Path, pathText, type Undo } from './edit.ts';
import { differences, find, follow, isPlain, withValue, wrapped } from './values.ts';

/** Do not use a draft after a failed edit. */
export class Draft {
  readonly #format: DocumentFormat;
  readonly #text: string;
  readonly #content: DocumentText;
  readonly #changed = new Set<string>();
  #value: unknown;

  /** Throws an EditProblem if the text is not valid. */
  constructor(format: DocumentFormat, text: string) {
    this.#format = format;
    this.#text = text;
    this.#content = format.read(text);
    this.#value = this.#content.value;
  }

  /** The value at a path; undefined if it is absent. */
  find(path: Path): unknown {
    return find(this.#value, path);
  }

  /** Sets one leaf, and makes the containers that it needs. Throws an EditProblem if another value is on the way. */
  set(path: Path, value: Leaf): Undo {
    this.#changed.add(pathText(path));
    const around = this.#around(path, value);
    // It is not if the edit changes a field that identifies an item.
    if (!isDeepStrictEqual(this.find(path), value)) throw lossy([pathText(path)]);
    return { path, ...around };
  }

  #around(path: Path, value: Leaf): Omit<Undo, 'path'> {
    const { place, value: reached } = follow(this.#value, path);
    const missing = path.slice(place.length);
    const isBlank = reached === undefined || (reached === null && place.length > 0);
    if (missing.length > 0 && !isBlank) this.#checkContainer(reached, path, place.length);
    const next = missing.length === 0 || isBlank ? wrapped(missing, value) : extended(reached, missing, value);
    this.#value = withValue(this.#value, place, next);
    if (missing.length === 0) return { before: this.#sourceOf(reached, path) };
    const made = missing.length - (isBlank ? 0 : 1);
    return { ...(made > 0 && { made }), ...(isBlank && place.length > 0 && { blank: 'null' }) };
  }

  /**
   * Takes an edit back: restores the earlier value, or removes the member. A container that the edit made is removed too, once it is empty or
   * has only the fields that identify it. Without a value at the path, the text is not changed.
   */
  undo({ path, before, made = 0, blank }: Undo): void {
    this.#changed.add(pathText(path));
    const { place } = follow(this.#value, path);
    if (place.length < path.length) return;
    if (before !== undefined) {
      this.#value = withValue(this.#value, place, this.#format.parse(before));
      return;
    }
    let level = path.length - 1;
    while (level > path.length - 1 - made && level >= 0 && this.#isOnly(path, level)) level--;
    const isWhole = level === path.length - 1 - made;
    this.#value = withValue(this.#value, place.slice(0, level + 1), isWhole && blank !== undefined ? null : undefined);
  }

  /**
   * The text with all edits. `earlier` is a text that is taken instead if it has the intended value. Throws an EditProblem if the text that the
   * format has written does not have that value when it is read again.
   */
  finish(earlier?: string): string {
    if (earlier !== undefined && this.#isMeant(() => earlier)) return earlier;
    const writes = [...differences(this.#content.value, this.#value)];
    if (writes.length === 0) return this.#text;
    let text = '';
    if (!this.#isMeant(() => (text = this.#content.write(writes)))) throw lossy(this.#changed);
    return text;
  }

  #isMeant(write: () => string): boolean {
    try {
      return isDeepStrictEqual(this.#format.read(write()).value ?? {}, this.#value ?? {});
    } catch (error) {
      if (error instanceof Unsupported) throw error;
      return false;
    }
  }

  #checkContainer(value: unknown, path: Path, depth: number): void {
    const kind = typeof path[depth] === 'string' ? 'object' : 'list';
    if (kind === 'object' ? isPlain(value) : Array.isArray(value)) return;
    const [name, written] = this.#format.containers[kind];
    const place = depth === 0 ? 'its root' : `\`${pathText(path.slice(0, depth))}\``;
    throw new EditProblem(`has no ${name} at ${place}`, `Write ${written} there, or remove the value.`);
  }

  #sourceOf(value: unknown, path: Path): string {
    const source = this.#format.source(value);
    if (!isDeepStrictEqual(this.#format.parse(source), value)) throw lossy([pathText(path)]);
    return source;
  }

  /** True if the container of a step has only the next step of the path, and the fields that identify it. */
  #isOnly(path: Path, level: number): boolean {
    const container = find(this.#value, path.slice(0, level));
    if (Array.isArray(container)) return container.length === 1;
    const step = path[level - 1];
    const fields = typeof step === 'object' ? step : {};
    const entries = Object.entries(container as object);
    return entries.every(([key, value]) => key === path[level] || (Object.hasOwn(fields, key) && fields[key] === value));
  }
}

/** A part of a text that a format does not edit, with its name. */
export class Unsupported extends EditProblem {}

function extended(container: unknown, missing: Path, value: Leaf): unknown {
  const more = wrapped(missing, value);
  return Array.isArray(container) ? [...container, ...(more as readonly unknown[])] : { ...(container as object), ...(more as object) };
}

function lossy(paths: Iterable<string>): EditProblem {
  const names = [...paths].map((path) => `\`${path}\``).join(', ');
  return new EditProblem(`cannot be edited at ${names} without changing other values`, 'Write these values by hand.');
}
