import { type Received, rememberInfo, responseInfo } from '../call/reply/response-info.ts';
import { isObject } from '../json/json-value.ts';

/** `data` of a monitor or account response, or `empty` if it has none. `responseInfo` accepts the result. */
export function dataOf<T extends object>(reply: Received<{ readonly data?: T | null }>, empty: T): Received<T> {
  const { data } = reply;
  // Null, and a list instead of an object, count as no data.
  const value = !isObject(data) || Array.isArray(data) !== Array.isArray(empty) ? empty : data;
  return rememberInfo(value, responseInfo(reply));
}
