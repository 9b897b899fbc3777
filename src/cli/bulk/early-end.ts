// The end of a run before its last row. A signal aborts everything; a budget that is used up, or a refusal of the account, only stops what is not sent yet.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Hook } from 'modelsvc';

/** The call of a row. */
interface RowCall {
  readonly controller: AbortController;
  /** True while an attempt is with the service, which bills it: it is then not aborted by `stop`. */
  isSent: boolean;
}

export class EarlyEnd {
  readonly #calls = new Set<RowCall>();
  readonly #current = new AsyncLocalStorage<RowCall>();
  #reason: { readonly error: unknown } | undefined;
  #stopRows: (() => void) | undefined;
  readonly #isFinal: (error: unknown) => boolean;

  /** `isFinal` is true for the error of a call after which no other one can be answered. */
  constructor(isFinal: (error: unknown) => boolean) {
    this.#isFinal = isFinal;
  }

  /** Marks the calls that are sent. Pass it to the client. */
  readonly hook: Hook<RowCall | undefined> = {
    onRequest: () => {
      const call = this.#current.getStore();
      if (call) call.isSent = true;
      return call;
    },
    // Another attempt, or another model, may follow.
    onError: (_meta, _error, call) => {
      if (!call) return;
      call.isSent = false;
      if (this.#reason) call.controller.abort(this.#reason.error);
    },
    // Here and not at the end of the call: its place already belongs to the next one, which is not sent yet.
    onRetry: (_meta, error, delayMs) => {
      if (delayMs === undefined && this.#isFinal(error)) this.stop(error);
    },
  };

  get isAsked(): boolean {
    return this.#reason !== undefined;
  }

  /** Number of calls whose answers are still awaited. */
  get sent(): number {
    return [...this.#calls].filter(({ isSent }) => isSent).length;
  }

  /** Begins no more rows. Calls that were sent end; those that wait for a place or a retry are aborted. Only the first reason counts. */
  stop(error: unknown): void {
    if (this.#reason) return;
    this.#reason = { error };
    this.#stopRows?.();
    for (const call of this.#calls) if (!call.isSent) call.controller.abort(error);
  }

  /** As `stop`, and aborts the calls that were sent, also those that a `stop` before it has left. */
  abort(error: unknown): void {
    this.stop(error);
    // The sockets that have data now are read in this turn of the event loop, and their answers count.
    setImmediate(() => {
      for (const { controller } of this.#calls) controller.abort(error);
    });
  }

  /** Throws the reason, if there is one. */
  check(): void {
    if (this.#reason) throw this.#reason.error;
  }

  /** Performs the call of a row. */
  async call<R>(ctx: Context, work: (ctx: Context) => Promise<R>): Promise<R> {
    const call: RowCall = { controller: new AbortController(), isSent: false };
    this.#calls.add(call);
    // The row was taken just before the end.
    if (this.#reason) call.controller.abort(this.#reason.error);
    try {
      return await this.#current.run(call, () => work({ ...ctx, signal: [ctx.signal ?? [], call.controller.signal].flat() }));
    } finally {
      this.#calls.delete(call);
    }
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
