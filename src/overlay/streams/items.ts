import type { LeavableSource } from '../concurrency/leaving.ts';
import { validationError } from '../errors/problem.ts';
import { Problem } from '../json/problem.ts';

/** The items of a stream, to iterate once. Throws a ValidationError for a value that is not a stream. `place` is its path. */
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

/** The items of a stream, opened by the first `next()`. */
export function sourceOf<Item>(operation: string, stream: AsyncIterable<Item>): LeavableSource<Item> {
  const { source } = itemsOf(operation, stream);
  return { next: () => source.next(), leave: () => source.return?.() };
}
