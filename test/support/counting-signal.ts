/** A signal that counts its listeners. */
export function countingSignal(): { readonly controller: AbortController; readonly signal: AbortSignal; listeners(): number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...values: Parameters<typeof add>) => {
    count++;
    add(...values);
  };
  signal.removeEventListener = (...values: Parameters<typeof remove>) => {
    count--;
    remove(...values);
  };
  return { controller, signal, listeners: () => count };
}
