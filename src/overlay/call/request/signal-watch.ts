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
