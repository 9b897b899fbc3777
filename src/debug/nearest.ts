/** The most similar name; undefined if none is similar. Case does not count. */
export function nearestName(name: string, names: readonly string[]): string | undefined {
  // The distance is at least the difference in length, so a long name is not compared.
  const given = name.toLowerCase();
  let least = Math.max(2, Math.ceil(given.length / 3)) + 1;
  let nearest: string | undefined;
  for (const one of names) {
    if (Math.abs(one.length - given.length) >= least) continue;
    const steps = distance(given, one.toLowerCase());
    if (steps < least) [least, nearest] = [steps, one];
  }
  return nearest;
}

/** Levenshtein's distance: insertions, deletions and replacements that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()];
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (letter === b[j] ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? 0;
}
