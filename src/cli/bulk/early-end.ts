// The end of a run before its last row: by Ctrl-C, SIGTERM, or a failure after which no row can be answered.

/** Ends a run: no more rows are taken, and the calls and waits in flight are aborted. */
export class EarlyEnd {
  readonly #calls = new AbortController();
  #reason: { readonly error: unknown } | undefined;
  #stopRows: (() => void) | undefined;

  /** Aborts at the end of the run. Pass it to each call. */
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
    // The sockets that have data now are read in this turn of the event loop, and their answers count.
    setImmediate(() => this.#calls.abort(error));
  }

  /** Throws the reason, if there is one. */
  check(): void {
    if (this.#reason) throw this.#reason.error;
  }

  /** The rows until the run ends. The end does not wait for the next row of the source. */
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
}
