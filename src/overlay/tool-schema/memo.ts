let current = {};

/** Begins a rewriting. Results kept for the one before are forgotten: the caller may have changed his objects since. */
export function forgetResults(): void {
  current = {};
}

/** A function whose results are kept during one rewriting: what many references share is looked at once. */
export function remembered<Key extends object, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  let results = new WeakMap<Key, { readonly result: Result }>();
  let since = current;
  return (key) => {
    if (since !== current) {
      since = current;
      results = new WeakMap();
    }
    let known = results.get(key);
    if (known === undefined) {
      known = { result: compute(key) };
      results.set(key, known);
    }
    return known.result;
  };
}
