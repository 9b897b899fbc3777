import { Cancellation } from '../call/cancellation.ts';
import { type Context, signalsOf } from '../context.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/** Shares one request among all callers while it is in flight. A caller that cancels does not affect the others; the last one to leave aborts the request. */
export class SingleFlight<T> {
  #flight: Flight<T> | undefined;

  /** Wait for the request in flight, or `start` one with a signal of its own. */
  async join(operation: string, ctx: Context, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const cancellation = new Cancellation(signalsOf(ctx), operation);
    try {
      cancellation.throwIfAborted();
      return await this.#wait(this.#flight ?? this.#depart(start), cancellation);
    } finally {
      cancellation.release();
    }
  }

  async #wait(flight: Flight<T>, cancellation: Cancellation): Promise<T> {
    flight.waiters++;
    try {
      return await new Promise<T>((resolve, reject) => {
        cancellation.onAbort(reject);
        flight.result.then(resolve, reject);
      });
    } finally {
      if (--flight.waiters === 0) {
        this.#land(flight);
        flight.controller.abort();
      }
    }
  }

  #depart(start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const controller = new AbortController();
    const flight: Flight<T> = { result: start(controller.signal), controller, waiters: 0 };
    this.#flight = flight;
    const landed = (): void => this.#land(flight);
    flight.result.then(landed, landed);
    return flight;
  }

  #land(flight: Flight<T>): void {
    if (this.#flight === flight) this.#flight = undefined;
  }
}
