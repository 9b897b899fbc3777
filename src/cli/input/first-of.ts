import { usageError } from '../errors/exit.ts';

/** The first items of a list that arrives in pages; all without a limit. Leaves the pages after them unread. */
export async function firstOf<T>(items: AsyncIterable<T>, limit: number | undefined): Promise<T[]> {
  if (limit !== undefined && limit < 1) throw usageError(`--limit must be at least 1, not ${limit}`);
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length === limit) break;
  }
  return found;
}
