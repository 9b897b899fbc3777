import { AbortError } from './errors.ts';
import { unwatchSignal, watchSignal } from './signal-watch.ts';

/**
 * The caller's signals over the life of one call, with one thing at a time to stop: the exchange, the backoff or the
 * stream. Nothing of it stays on a signal once the call has settled: long-lived signals must not collect listeners.
 */
export class Cancellation {
  readonly #signals: readonly AbortSignal[];
  readonly #operation: string;
  readonly #listener: (() => void) | undefined;
  #stop: ((reason: AbortError) => void) | undefined;
  /** Set once a signal has aborted. */
  reason: AbortError | undefined;

  constructor(signals: readonly AbortSignal[], operation: string) {
    this.#signals = signals;
    this.#operation = operation;
    if (signals.length === 0) return;
    this.#listener = () => this.abort();
    for (const signal of signals) watchSignal(signal, this.#listener);
    if (signals.some((signal) => signal.aborted)) this.abort();
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
    if (this.#listener) for (const signal of this.#signals) unwatchSignal(signal, this.#listener);
  }

  /** Stop what is under way: a signal aborted, or the caller left. */
  abort(): void {
    if (this.reason) return;
    const aborted = this.#signals.find((signal) => signal.aborted);
    this.reason = new AbortError(this.#operation, aborted?.reason);
    this.#stop?.(this.reason);
  }
}
