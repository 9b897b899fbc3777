/** At most `limit` holders at once; the others wait in order. 0 is no limit. */
export class Semaphore {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #holders = 0;

  constructor(limit: number) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  }

  /** Undefined if there is room now; otherwise resolves when there is. Every entry needs one `leave`. */
  enter(): Promise<void> | undefined {
    if (this.#holders < this.#limit) {
      this.#holders++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Hand the place to the next in line. */
  readonly leave = (): void => {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#holders--;
  };
}
