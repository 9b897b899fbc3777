/** The name that a word misses by one letter: added, left out, replaced, or swapped with the next. */
export function nearMiss(word: string, names: readonly string[]): string | undefined {
  return names.find((name) => name !== word && isNear(word, name));
}

function isNear(word: string, name: string): boolean {
  let start = 0;
  while (start < word.length && word[start] === name[start]) start++;
  const [left, right] = [word.slice(start), name.slice(start)];
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isSwapped || left.slice(1) === right || left === right.slice(1) || left.slice(1) === right.slice(1);
}

/** The end of a sentence about an unknown word: `; did you mean json?`, or an empty text. */
export function meantHint(word: string, names: readonly string[]): string {
  const name = nearMiss(word, names);
  return name === undefined ? '' : `; did you mean ${name}?`;
}
