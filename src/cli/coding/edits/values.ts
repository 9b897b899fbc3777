// Documents as values: ways into them, copies with a change, and the differences of two.
import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../../files/json.ts';
import { hasFields, type Path, type Step, type ValuePlace, type Write } from './edit.ts';

/** The place of a path, as far as it exists, and the value there. */
export function follow(root: unknown, path: Path): { readonly place: ValuePlace; readonly value: unknown } {
  const place: (string | number)[] = [];
  let value = root;
  for (const step of path) {
    const at = placeIn(value, step);
    if (at === undefined) break;
    place.push(at);
    value = (value as Readonly<Record<string | number, unknown>>)[at];
  }
  return { place, value };
}

function placeIn(value: unknown, step: Step): string | number | undefined {
  if (typeof step === 'string') return isPlain(value) && Object.hasOwn(value, step) ? step : undefined;
  const at = Array.isArray(value) ? value.findIndex((item) => hasFields(item, step)) : -1;
  return at < 0 ? undefined : at;
}

/** The value at a path; undefined if it is absent. The root of a blank document is an empty object. */
export function find(root: unknown, path: Path): unknown {
  const { place, value } = follow(root ?? {}, path);
  return place.length === path.length ? value : undefined;
}

/** The value at a place; undefined if it is absent. */
export function valueAt(root: unknown, place: ValuePlace): unknown {
  return place.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? value[step as never] : undefined),
    root,
  );
}

/** A copy with another value at a place, or without one. */
export function withValue(root: unknown, [step, ...rest]: ValuePlace, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const list = root as readonly unknown[];
    const next = withValue(list[step], rest, value);
    return next === undefined ? list.toSpliced(step, 1) : list.toSpliced(step, 1, next);
  }
  const { [step]: old, ...others } = root as Readonly<Record<string, unknown>>;
  const next = withValue(old, rest, value);
  return next === undefined ? others : { ...(root as object), [step]: next };
}

/** The value of the last steps of a path: objects, and lists with one item. */
export function wrapped([step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  return typeof step === 'string' ? { [step]: wrapped(rest, value) } : [{ ...step, ...(wrapped(rest, value) as object) }];
}

/**
 * The changes from one value to another that shares its unchanged parts. Objects in a list are compared one by one. Places are in the
 * earlier value: items are removed from the last on, and added after the last.
 */
export function* differences(before: unknown, after: unknown, place: ValuePlace = []): Generator<Write> {
  if (before === after || (after !== undefined && isDeepStrictEqual(before, after))) return;
  if (isPlain(before) && isPlain(after)) {
    for (const key of Object.keys(before)) yield* differences(before[key], Object.hasOwn(after, key) ? after[key] : undefined, [...place, key]);
    for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) yield { place: [...place, key], value: after[key] };
    return;
  }
  const items = Array.isArray(before) && Array.isArray(after) ? changedItems(before, after) : undefined;
  if (!items) return yield { place, value: after };
  const { start, removed, added, length } = items;
  for (const [at, item] of removed.entries()) if (at < added.length) yield* differences(item, added[at], [...place, start + at]);
  for (let at = removed.length - 1; at >= added.length; at--) yield { place: [...place, start + at], value: undefined };
  for (const [at, item] of added.slice(removed.length).entries()) yield { place: [...place, length + at], value: item };
}

interface ChangedItems {
  readonly start: number;
  readonly removed: readonly unknown[];
  readonly added: readonly unknown[];
  /** Length of the earlier list. */
  readonly length: number;
}

/** The items in which two lists differ. Undefined if not all of them are objects. */
function changedItems(before: readonly unknown[], after: readonly unknown[]): ChangedItems | undefined {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && Object.is(before[start], after[start])) start++;
  let end = 0;
  while (end < most - start && Object.is(before.at(-1 - end), after.at(-1 - end))) end++;
  const [removed, added] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return [...removed, ...added].every(isPlain) ? { start, removed, added, length: before.length } : undefined;
}

/** True for an object that a format writes with braces or on lines; false for a date. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return isFields(value) && Object.getPrototypeOf(value) === Object.prototype;
}

/** Adds a key to an object. An assignment of `__proto__` would change the prototype. */
export function put(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
}
