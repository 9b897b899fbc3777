/** Maximum characters of one generation, which is about five sets of 100 large tools. */
const MAX_CHARACTERS = 2_000_000;

let young = new Map<string, string>();
let old = new Map<string, string>();
let characters = 0;

/**
 * Returns the text that `compute` makes of `given`, and keeps it. When the young generation is full, it becomes the old one, and the texts of the
 * old one are dropped unless they were used since. The key is the complete given text and strings cannot change, so callers cannot affect each other.
 */
export function keptText(given: string, compute: () => string): string {
  const known = young.get(given);
  if (known !== undefined) return known;
  const text = old.get(given) ?? compute();
  const size = given.length + text.length;
  if (size > MAX_CHARACTERS) return text;
  if ((characters += size) > MAX_CHARACTERS) {
    old = young;
    young = new Map();
    characters = size;
  }
  young.set(given, text);
  return text;
}
