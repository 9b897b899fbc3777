import { isObject } from './json-value.ts';
import { Problem, validationError } from './problem.ts';

/** The items of a stream, to iterate once. Throws a ValidationError for a value that is no stream. `place` is its path. */
export function itemsOf<Item>(
  operation: string,
  stream: AsyncIterable<Item>,
  place = 'stream',
): AsyncIterable<Item> & { readonly source: AsyncIterator<Item> } {
  const open: unknown = (stream as Partial<AsyncIterable<Item>> | null | undefined)?.[Symbol.asyncIterator];
  const source: AsyncIterator<Item> | undefined = typeof open === 'function' ? open.call(stream) : undefined;
  if (typeof source?.next !== 'function') throw validationError(operation, new Problem(place, 'must be a stream or another async iterable'));
  return { source, [Symbol.asyncIterator]: () => source };
}

/** Checks a result of `next()` as `for await` does. Throws a TypeError for a result that is not an object, which would never be `done`. */
export function iterationOf<T, End>(result: IteratorResult<T, End>, place: string): IteratorResult<T, End> {
  if (isObject(result) || typeof result === 'function') return result;
  // A string is not quoted, because it may be content of the answer.
  throw new TypeError(`${place}: Iterator result ${typeof result === 'string' ? 'of type string' : String(result)} is not an object`);
}
