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

function isBefore(one: Waiter, other: Waiter): boolean {
  return one.priority > other.priority || (one.priority === other.priority && one.ticket < other.ticket);
}
