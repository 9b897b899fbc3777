import { leavable } from '../../concurrency/leaving.ts';
import { type CallContext, type Context, fieldsOfContext, withSignal } from '../../context.ts';
import { validated } from '../../errors/problem.ts';
import { freeReplyError } from '../../errors/refusal.ts';
import { isObject } from '../../json/json-value.ts';
import { rememberInfo, responseInfo } from '../reply/response-info.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor of the next page; undefined on the last one, empty if it is missing. */
  readonly next: string | undefined;
  /** The reply, whose info the items get. */
  readonly reply?: object;
}

/** `pages` of an operation. Leaving it aborts the request of a page. */
export function pagesOf<Item>(
  operation: string,
  ctx: CallContext,
  first: string | undefined,
  fetchPage: (ctx: CallContext, cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const leaving = new AbortController();
  const context = (): Context =>
    withSignal(
      validated(operation, () => fieldsOfContext(ctx)),
      leaving.signal,
    );
  return leavable(
    operation,
    pages(operation, first, (cursor) => fetchPage(context(), cursor)),
    () => leaving.abort(),
  );
}

/** The items of all pages; each page is fetched when it is needed. Throws if a cursor repeats or is missing: the list would never end, or end too early. */
export async function* pages<Item>(
  operation: string,
  first: string | undefined,
  fetchPage: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set([first]);
  for (let cursor = first; ; ) {
    const { items, next, reply } = await fetchPage(cursor);
    const info = reply && responseInfo(reply);
    for (const item of items) yield info && isObject(item) ? rememberInfo(item, info) : item;
    if (next === undefined) return;
    if (next === '' || seen.has(next)) {
      const advice = 'The items before it are valid: narrow the list, or try again later.';
      throw freeReplyError(operation, 'pagination did not advance: the service repeated a cursor, or left it out', advice);
    }
    seen.add(next);
    cursor = next;
  }
}
