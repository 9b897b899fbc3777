/**
 * Calls in flight by their ceilings: `max` of their clients. A ceiling bounds the calls that have it or a lower one. Thus clients with equal
 * ceilings share them, and calls with higher ceilings can neither be held by a low one nor take its places.
 */
export class Ceilings {
  /** The lowest first; one entry for each ceiling with a call in flight. */
  readonly #entries: { readonly max: number; count: number }[] = [];
  /** The highest ceiling that is reached; 0 if none is. Calls with a higher one may start. */
  full = 0;

  add(max: number): void {
    const at = this.#entries.findIndex((entry) => entry.max >= max);
    const found = this.#entries[at];
    if (found?.max === max) found.count++;
    else this.#entries.splice(at < 0 ? this.#entries.length : at, 0, { max, count: 1 });
    this.#count();
  }

  remove(max: number): void {
    const at = this.#entries.findIndex((entry) => entry.max === max);
    const entry = this.#entries[at];
    if (entry && --entry.count === 0) this.#entries.splice(at, 1);
    this.#count();
  }

  #count(): void {
    let calls = 0;
    this.full = 0;
    for (const { max, count } of this.#entries) {
      calls += count;
      if (calls >= max) this.full = max;
    }
  }
}
