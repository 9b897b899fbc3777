import { AbortError } from '../errors/errors.ts';
import type { Lifetime } from './lifetime.ts';
import { unwatchSignal, watchSignal } from './signal-watch.ts';

/**
 * The caller's signals over the life of one call, with one thing at a time to stop: the exchange, the backoff or the
 * stream. Its listeners come off once the call has settled: long-lived signals must not collect them.
 */
export class Cancellation {
  readonly #signals: readonly AbortSignal[];
  readonly #operation: string;
  readonly #listener: (() => void) | undefined;
  readonly #lifetime: Lifetime | undefined;
  #stop: ((reason: AbortError) => void) | undefined;
  /** Set once a signal has aborted. */
  reason: AbortError | undefined;

  constructor(signals: readonly AbortSignal[], operation: string, lifetime?: Lifetime) {
    this.#signals = signals;
    this.#operation = operation;
    this.#lifetime = lifetime;
    lifetime?.add(this, operation);
    if (signals.length === 0) return;
    this.#listener = () => this.abort();
    for (const signal of signals) watchSignal(signal, this.#listener);
    if (abortedAmong(signals)) this.abort();
  }

  /** What to stop from now on; called at once if the call is already aborted. */
  onAbort(stop: ((reason: AbortError) => void) | undefined): void {
    this.#stop = stop;
    if (this.reason) stop?.(this.reason);
  }

  throwIfAborted(): void {
    if (this.reason) throw this.reason;
  }

  /** Wait, or throw the AbortError the moment a signal aborts. */
  async sleep(ms: number): Promise<void> {
    this.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      this.onAbort((reason) => {
        clearTimeout(timer);
        reject(reason);
      });
    });
    this.onAbort(undefined);
  }

  release(): void {
    this.#stop = undefined;
    this.#lifetime?.delete(this);
    if (this.#listener) for (const signal of this.#signals) unwatchSignal(signal, this.#listener);
  }

  /** Stop the call: a signal aborted, the caller left, or the client was closed. */
  abort(reason: unknown = abortedAmong(this.#signals)?.reason): void {
    if (this.reason) return;
    this.reason = new AbortError(this.#operation, reason);
    this.#stop?.(this.reason);
  }
}

/** The first of the signals that has aborted. */
export function abortedAmong(signals: readonly AbortSignal[]): AbortSignal | undefined {
  // Asked for each item of a stream, mostly of none.
  return signals.length === 0 ? undefined : signals.find((signal) => signal.aborted);
}

export function throwIfAborted(signals: readonly AbortSignal[], operation: string): void {
  const aborted = abortedAmong(signals);
  if (aborted) throw new AbortError(operation, aborted.reason);
}
