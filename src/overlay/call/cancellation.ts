import { AbortError } from '../errors/errors.ts';
import type { Lifetime } from './settings/lifetime.ts';

/**
 * Connects the caller's signals to one call. It stops one thing at a time: the exchange, the backoff or the stream.
 * Its listeners are removed when the call settles, so that they do not accumulate on long-lived signals.
 */
export class Cancellation {
  readonly #signals: readonly AbortSignal[];
  readonly #operation: string;
  readonly #listener: (() => void) | undefined;
  readonly #lifetime: Lifetime | undefined;
  #stop: ((reason: AbortError) => void) | undefined;
  /** Set once the call is aborted. */
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

  /** Set the function that stops the current work. It is called immediately if the call is already aborted. */
  onAbort(stop: ((reason: AbortError) => void) | undefined): void {
    this.#stop = stop;
    if (this.reason) stop?.(this.reason);
  }

  throwIfAborted(): void {
    if (this.reason) throw this.reason;
  }

  /** Wait, or throw the AbortError as soon as a signal aborts. */
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

  /** Wait for `work`, or throw the AbortError as soon as a signal aborts. */
  race(work: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.onAbort(reject);
      Promise.resolve(work).then(resolve, reject);
    }).finally(() => this.onAbort(undefined));
  }

  release(): void {
    this.#stop = undefined;
    this.#lifetime?.delete(this);
    if (this.#listener) for (const signal of this.#signals) unwatchSignal(signal, this.#listener);
  }

  /** Stop the call, because a signal aborted, the caller left, or the client was closed. */
  abort(reason: unknown = abortedAmong(this.#signals)?.reason): void {
    if (this.reason) return;
    this.reason = new AbortError(this.#operation, reason);
    this.#stop?.(this.reason);
  }
}

/** The first aborted signal. */
export function abortedAmong(signals: readonly AbortSignal[]): AbortSignal | undefined {
  // Called for each item of a stream, mostly with no signals.
  return signals.length === 0 ? undefined : signals.find((signal) => signal.aborted);
}

export function throwIfAborted(signals: readonly AbortSignal[], operation: string): void {
  const aborted = abortedAmong(signals);
  if (aborted) throw new AbortError(operation, aborted.reason);
}

/**
 * All calls on a signal share one listener. An application may pass its shutdown signal to every call, and Node warns of a leak at the
 * eleventh listener.
 */
const watched = new WeakMap<AbortSignal, { readonly callbacks: Set<() => void>; readonly listener: () => void }>();

/** Call `callback` when the signal aborts. It is not called if the signal has already aborted. */
export function watchSignal(signal: AbortSignal, callback: () => void): void {
  const known = watched.get(signal);
  if (known) {
    known.callbacks.add(callback);
    return;
  }
  const callbacks = new Set([callback]);
  const listener = (): void => {
    watched.delete(signal);
    signal.removeEventListener('abort', listener);
    for (const each of callbacks) each();
  };
  watched.set(signal, { callbacks, listener });
  signal.addEventListener('abort', listener);
}

/** Undo `watchSignal`. The listener is removed with the last callback. */
export function unwatchSignal(signal: AbortSignal, callback: () => void): void {
  const known = watched.get(signal);
  if (!known?.callbacks.delete(callback) || known.callbacks.size > 0) return;
  watched.delete(signal);
  signal.removeEventListener('abort', known.listener);
}
