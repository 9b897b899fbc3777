// The end of a run before its last row: by Ctrl-C, SIGTERM, or a failure that every row will have.
import { setImmediate as turn } from 'node:timers/promises';

/** Turns of the event loop without an answer, after which no answer is left that has reached this machine. */
const quietTurns = 10;

/** Ends a run: no more rows, then the answers that have arrived, then the calls in flight are aborted. */
export class EarlyEnd {
  readonly #calls = new AbortController();
  #reason: { readonly error: unknown } | undefined;
  #stopRows: (() => void) | undefined;
  #answers = 0;

  /** Aborts the calls. */
  get signal(): AbortSignal {
    return this.#calls.signal;
  }

  get isAsked(): boolean {
    return this.#reason !== undefined;
  }

  /** Ends the run for a reason. Only the first one counts. */
  ask(error: unknown): void {
    if (this.#reason) return;
    this.#reason = { error };
    this.#stopRows?.();
    void this.#abortWhenQuiet(error);
  }

  /** Throws the reason, if there is one. */
  check(): void {
    if (this.#reason) throw this.#reason.error;
  }

  /** The rows until the end. A source without a next row yet is not waited for. */
  async *rows<T>(source: AsyncIterator<T>): AsyncGenerator<T, void, undefined> {
    const stopped = { done: true, value: undefined } as const;
    while (!this.#reason) {
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        this.#stopRows = () => resolve(stopped);
        source.next().then(resolve, reject);
      });
      if (next.done) return;
      yield next.value;
    }
  }

  /** Counts the end of a call. */
  async counted<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } finally {
      this.#answers++;
    }
  }

  /** An answer may be in a socket that no code has read yet. An abort would drop it. */
  async #abortWhenQuiet(reason: unknown): Promise<void> {
    for (let seen = -1; seen !== this.#answers; ) {
      seen = this.#answers;
      for (let turns = 0; turns < quietTurns; turns++) await turn();
    }
    this.#calls.abort(reason);
  }
}
