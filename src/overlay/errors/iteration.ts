import { isObject } from './json-value.ts';

/** A result of `next()`. Like the loops of the language, throws a TypeError for a result that is not an object: it would never be `done`. */
export function iterationOf<T, End>(result: IteratorResult<T, End>, place: string): IteratorResult<T, End> {
  if (isObject(result) || typeof result === 'function') return result;
  // A text can be content.
  throw new TypeError(`${place}: Iterator result ${typeof result === 'string' ? 'of type string' : String(result)} is not an object`);
}
