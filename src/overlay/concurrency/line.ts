/** An entry of the line. */
export interface LineEntry {
  readonly priority: number;
  /** Order within a priority: the lowest is the first. */
  readonly ticket: number;
  /** Set once the entry has left. */
  left?: boolean;
}

/** Waiting calls in order of priority, then of ticket. To leave takes constant time: the entry is only marked, and removed later. */
export class Lane<W extends LineEntry> {
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
    // Entries before the head are cut off by position: a call that left can have joined again, which clears its mark.
    this.#entries = this.#entries.slice(this.#head).filter(({ left }) => !left);
    this.#head = 0;
  }
}

/** The limits that a waiting call waits for. */
export interface Limits {
  /** Its ceiling. */
  readonly max: number;
  /** True for a call that is not retried: it waits for its ceiling only, not for the learned limit. */
  readonly ignoresLimit: boolean;
}

/**
 * The line of a gate: one lane for each combination of limits. A call that has to wait keeps its turn, and delays only the calls after it
 * in its lane. The cost of finding the next call grows with the number of lanes, not of calls.
 */
export class Line<W extends LineEntry & Limits> {
  readonly #lanes = new Map<number, Lane<W>>();
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
    if (!lane) this.#lanes.set(key, (lane = new Lane()));
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

  /** The first call in line whose limits let it start. */
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

/** The key of a lane. Ceilings are positive, so a negative key marks the calls that ignore the learned limit. */
function keyOf({ max, ignoresLimit }: Limits): number {
  return ignoresLimit ? -max : max;
}

function isBefore(one: LineEntry, other: LineEntry): boolean {
  return one.priority > other.priority || (one.priority === other.priority && one.ticket < other.ticket);
}
