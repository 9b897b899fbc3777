/** An entry of the line. */
export interface Waiter {
  readonly priority: number;
  /** Order within a priority: the lowest is the first. */
  readonly ticket: number;
  /** Set once the entry has left. */
  left?: boolean;
}

/** The waiting calls: by priority, then by ticket. Leaving costs constant time, because an entry is only marked until its turn comes. */
export class Line<W extends Waiter> {
  #entries: W[] = [];
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  join(waiter: W): void {
    let [low, high] = [this.#head, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(waiter, this.#entries[middle] as W)) high = middle;
      else low = middle + 1;
    }
    this.#entries.splice(low, 0, waiter);
    this.#size++;
  }

  leave(waiter: W): void {
    if (waiter.left) return;
    waiter.left = true;
    // At most half of the entries are marked, so that joining stays fast and memory does not grow.
    if (--this.#size * 2 < this.#entries.length) this.#compact();
  }

  /** The first in line. */
  get first(): W | undefined {
    while (this.#entries[this.#head]?.left) this.#head++;
    return this.#entries[this.#head];
  }

  /** Take all out. */
  clear(): W[] {
    this.#compact();
    const all = this.#entries;
    for (const one of all) one.left = true;
    this.#entries = [];
    this.#size = 0;
    return all;
  }

  #compact(): void {
    // Those before the head have gone, and one of them can be behind it again.
    this.#entries = this.#entries.slice(this.#head).filter(({ left }) => !left);
    this.#head = 0;
  }
}

/** The limits that hold a waiting call. */
export interface Limits {
  /** Its ceiling. */
  readonly max: number;
  /** True if its ceiling is the only one. */
  readonly bold: boolean;
}

/**
 * A line for each combination of limits. A call that its limits hold keeps its turn, and holds only those behind it with the same limits.
 * The cost of a look grows with the number of combinations, not of calls.
 */
export class Lanes<W extends Waiter & Limits> {
  readonly #lanes = new Map<number, Line<W>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The highest ceiling of a waiting call; 0 if none waits. */
  get highest(): number {
    return Math.max(0, ...[...this.#lanes.keys()].map(Math.abs));
  }

  join(waiter: W): void {
    const key = keyOf(waiter);
    let lane = this.#lanes.get(key);
    if (!lane) this.#lanes.set(key, (lane = new Line()));
    lane.join(waiter);
    this.#size++;
  }

  leave(waiter: W): void {
    const key = keyOf(waiter);
    const lane = this.#lanes.get(key);
    if (!lane || waiter.left) return;
    lane.leave(waiter);
    this.#size--;
    if (lane.size === 0) this.#lanes.delete(key);
  }

  /** The first in line among those whose limits let them go. */
  first(isFree: (limits: Limits) => boolean): W | undefined {
    let best: W | undefined;
    for (const { first } of this.#lanes.values()) if (first && isFree(first) && (!best || isBefore(first, best))) best = first;
    return best;
  }

  /** Take all out. */
  clear(): W[] {
    const all = [...this.#lanes.values()].flatMap((lane) => lane.clear());
    this.#lanes.clear();
    this.#size = 0;
    return all;
  }
}

/** A ceiling is positive. */
function keyOf({ max, bold }: Limits): number {
  return bold ? -max : max;
}

function isBefore(one: Waiter, other: Waiter): boolean {
  return one.priority > other.priority || (one.priority === other.priority && one.ticket < other.ticket);
}
