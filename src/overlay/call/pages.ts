import { StreamError } from '../errors/errors.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** The items of all pages, fetched as they are asked for. A cursor that comes a second time throws: the list would never end. */
export async function* pages<Item>(
  operation: string,
  first: string | undefined,
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set([first]);
  for (let cursor = first; ; ) {
    const { items, next } = await fetchPage(cursor);
    yield* items;
    if (next === undefined) return;
    if (seen.has(next)) throw new StreamError(operation, 'malformed', 'pagination did not advance: a cursor came a second time');
    seen.add(next);
    cursor = next;
  }
}
