import { ConfigError } from '../../errors/errors.ts';

/** A call that can be stopped. */
interface Stoppable {
  abort(reason: unknown): void;
}

/** The calls in flight on one client, so that closing the client aborts them. */
export class Lifetime {
  readonly #calls = new Set<Stoppable>();
  #closed = false;

  add(call: Stoppable, operation: string): void {
    if (this.#closed) throw new ConfigError(`${operation}: the client is closed; create a new one with newClient`);
    this.#calls.add(call);
  }

  delete(call: Stoppable): void {
    this.#calls.delete(call);
  }

  /** Abort all calls and refuse new ones. */
  close(): void {
    this.#closed = true;
    const reason = new ConfigError('the client was closed');
    for (const call of this.#calls) call.abort(reason);
  }
}
