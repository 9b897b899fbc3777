import { rememberInfo, responseInfo } from '../call/response-info.ts';

/** `data` of a monitor or account reply, still known to `responseInfo`; `empty` where the service sent none. */
export function dataOf<T extends object>(reply: { readonly data?: T | null }, empty: T): T {
  const { data } = reply;
  // Null, and a list in place of an object, both stand for no data.
  const value = typeof data !== 'object' || data === null || Array.isArray(data) !== Array.isArray(empty) ? empty : data;
  const info = responseInfo(reply);
  if (info) rememberInfo(value, info);
  return value;
}
