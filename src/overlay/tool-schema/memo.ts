let current = {};

/** Drops the results of earlier rewrites. Call it at the start of each rewrite: the caller may have changed the objects in between. */
export function forgetResults(): void {
  current = {};
}

/** Caches the results of a function during one rewrite, so that a schema shared by many references is computed once. */
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
