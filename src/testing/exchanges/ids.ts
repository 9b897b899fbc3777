// Ids that the service generates, replaced by names that are the same in each recording.
import { createHash } from 'node:crypto';
import { canonical, type Json } from './form.ts';

/** The value instead of an id, in a header or where ids are hidden. */
export const idPlaceholder = '<id>';

/** The names that `IdNames` gives. */
const namedId = /\b[a-z]{1,12}_[0-9a-f]{8}_\d+\b/gi;

/**
 * A value with its ids by their places: first, second, and so on. A request names its own ids by its content, so that one changed word, or an
 * id inside a text, changes them all.
 */
export function idsByAppearance(value: Json): Json {
  const places = new Map<string, string>();
  const inOrder = (text: string): string => text.replace(namedId, (id) => places.get(id) ?? places.set(id, `<id ${places.size + 1}>`).get(id) ?? id);
  // The order of names must not count, and stays for messages.
  inOrder(canonical(value));
  return JSON.parse(inOrder(JSON.stringify(value))) as Json;
}

/** True for a text that only a generator makes: a long run of letters and digits. Names of models and tools do not count. */
export function isGenerated(text: string): boolean {
  if (text.length < 12 || text.length > 256 || !/^[\w:-]+$/.test(text)) return false;
  const runs = text.split(/[^A-Za-z0-9]+/);
  return runs.some((run) => run.length >= 12 && /\d/.test(run)) || (text.length >= 16 && /[a-z]/.test(text) && /[A-Z]/.test(text) && /\d/.test(text));
}

/** The names of the ids of one recording. */
export class IdNames {
  readonly #names = new Map<string, string>();

  /** The name of an id, and ids inside a text by their names. Unknown ids stay. */
  known(text: string): string {
    if (this.#names.size === 0) return text;
    return this.#names.get(text) ?? text.replace(/[\w:-]{12,256}/g, (token) => this.#names.get(token) ?? token);
  }

  /** Names the ids that are new. `base` is a value that is the same in each recording. */
  add(ids: Iterable<string>, base: Json): void {
    let hash: string | undefined;
    let count = 0;
    for (const id of ids) {
      hash ??= createHash('sha256').update(canonical(base)).digest('hex').slice(0, 8);
      const prefix = /^[a-z]{1,12}(?=[_-])/i.exec(id)?.[0] ?? 'id';
      count += 1;
      if (!this.#names.has(id)) this.#names.set(id, `${prefix}_${hash}_${count}`);
    }
  }
}
