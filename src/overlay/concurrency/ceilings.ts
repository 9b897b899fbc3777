/**
 * Counts the calls in flight by ceiling, the `concurrency.max` of their client. A ceiling limits the number of calls with this or a lower ceiling.
 * So clients with equal ceilings share them, and a low ceiling does not delay calls with a higher one.
 */
export class Ceilings {
  readonly #counts = new Map<number, number>();
  /** The highest ceiling that is reached; 0 if none is. Calls with a higher one may start. */
  full = 0;

  /** Adds 1 at the start of a call, and -1 at its end. */
  add(max: number, change: 1 | -1): void {
    if (max === Number.POSITIVE_INFINITY) return;
    this.#counts.set(max, (this.#counts.get(max) ?? 0) + change);
    if (this.#counts.get(max) === 0) this.#counts.delete(max);
    let calls = 0;
    this.full = 0;
    for (const [ceiling, count] of [...this.#counts].sort(([one], [other]) => one - other)) {
      calls += count;
      if (calls >= ceiling) this.full = ceiling;
    }
  }
}
