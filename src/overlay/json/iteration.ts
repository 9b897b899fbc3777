import { isObject } from './json-value.ts';

/** Checks a result of `next()` as `for await` does. Throws a TypeError for a result that is not an object, which would never be `done`. */
export function iterationOf<T, End>(result: IteratorResult<T, End>, place: string): IteratorResult<T, End> {
  if (isObject(result) || typeof result === 'function') return result;
  // A string is not quoted, because it may be content of the answer.
  throw new TypeError(`${place}: Iterator result ${typeof result === 'string' ? 'of type string' : String(result)} is not an object`);
}
