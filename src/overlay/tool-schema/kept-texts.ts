/** Characters of one generation: some five sets of 100 large tools. */
const MAX_CHARACTERS = 2_000_000;

let young = new Map<string, string>();
let old = new Map<string, string>();
let characters = 0;

/**
 * The text that `compute` makes of `given`, computed once while it is kept. When the young generation is full, it becomes the old one, whose
 * unused texts are forgotten. A text cannot be changed, and a caller finds one only with the whole text that it was made of.
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
