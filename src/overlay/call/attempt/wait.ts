import type { ModelsvcError } from '../../errors/errors.ts';

/** One wait of a call for a place: its promise, its begin and its limit. */
export class Wait {
  readonly resolve: () => void;
  readonly reject: (error: ModelsvcError) => void;
  readonly #since = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(resolve: () => void, reject: (error: ModelsvcError) => void) {
    this.resolve = resolve;
    this.reject = reject;
  }

  limit(ms: number, expire: () => void): void {
    this.#timer = setTimeout(expire, ms);
  }

  /** Milliseconds waited. */
  get ms(): number {
    return performance.now() - this.#since;
  }

  /** Ends the limit. Returns the milliseconds waited. */
  end(): number {
    clearTimeout(this.#timer);
    return this.ms;
  }
}
