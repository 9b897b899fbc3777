import { rememberInfo, responseInfo } from '../call/reply/response-info.ts';

/** `data` of a monitor or account response, or `empty` if it has none. `responseInfo` accepts the result. */
export function dataOf<T extends object>(reply: { readonly data?: T | null }, empty: T): T {
  const { data } = reply;
  // Null, and a list in place of an object, count as no data.
  const value = typeof data !== 'object' || data === null || Array.isArray(data) !== Array.isArray(empty) ? empty : data;
  const info = responseInfo(reply);
  if (info) rememberInfo(value, info);
  return value;
}
