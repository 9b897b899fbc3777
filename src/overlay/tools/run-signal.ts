import { Cancellation } from '../call/cancellation.ts';
import type { Lifetime } from '../call/settings/lifetime.ts';
import { type Ticket, withTicket } from '../concurrency/notes.ts';
import { type CallContext, type Context, fieldsOfContext, signalsOf, withSignal } from '../context.ts';
import { AbortError } from '../errors/errors.ts';

/** The abort signal of one run. It aborts with the caller's signals, or when the caller leaves the stream. An abort does not wait for tools. */
export class RunSignal {
  readonly #cancellation: Cancellation;
  readonly #controller = new AbortController();
  readonly #aborted: Promise<never>;
  /** The ticket of the first call, shared by the others: they come before calls that began to wait after it. */
  readonly #ticket: Ticket = {};

  constructor(ctx: CallContext, operation: string, lifetime: Lifetime) {
    this.#aborted = new Promise<never>((_, reject) => {
      const { signal } = this.#controller;
      signal.addEventListener('abort', () => reject(signal.reason instanceof AbortError ? signal.reason : new AbortError(operation, signal.reason)), {
        once: true,
      });
    });
    // The rejection must not be unhandled if no work is in progress.
    this.#aborted.catch(() => {});
    this.#cancellation = new Cancellation(signalsOf(fieldsOfContext(ctx)), operation, lifetime);
    this.#cancellation.onAbort((reason) => this.#controller.abort(reason));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The caller's context with the signal and the ticket of the run. */
  contextFrom(ctx: CallContext): Context {
    return withTicket(withSignal(ctx, this.#controller.signal), this.#ticket);
  }

  throwIfAborted(): void {
    this.#cancellation.throwIfAborted();
    this.#controller.signal.throwIfAborted();
  }

  /** The result of `work`. Rejects with the AbortError as soon as the run is canceled. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#aborted]);
  }

  leave(reason: AbortError): void {
    this.#controller.abort(reason);
  }

  release(): void {
    this.#cancellation.release();
  }
}
