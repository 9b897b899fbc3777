// A hook can neither fail a call nor change it.

import { isError } from '../errors/guards.ts';
import { isObject, isThenable } from '../json/json-value.ts';
import { cleanText, cleanToken } from '../secrets/clean.ts';

/** Calls a hook. Its errors are dropped. */
export function quietly<T>(fire: () => T): T | undefined {
  try {
    const result = fire();
    // An async hook is not awaited, but its rejection must not end the process. Not instanceof: other realms and libraries have other Promises.
    if (isThenable(result)) Promise.resolve(result).catch(() => undefined);
    return result;
  } catch {
    return undefined;
  }
}

/** Copies JSON that the caller gets too. Undefined for a value that cannot be copied. */
export function copyOf<T>(value: T): T | undefined {
  try {
    return structuredClone(value);
  } catch {
    return undefined;
  }
}

/** Maximum number of errors and lists in one copy. Real errors have a few causes. */
const maxErrors = 64;

/**
 * Copies an error deeply, because the caller gets the same objects or owns them, for instance the reason of an abort. A value that cannot
 * be copied is left out.
 */
export function copyOfError<T>(error: T): T {
  return copied(error, new Map()) as T;
}

function copied(value: unknown, copies: Map<object, unknown>): unknown {
  if (!isObject(value)) return value;
  if (copies.has(value)) return copies.get(value);
  const isList = Array.isArray(value);
  if (!isList && !isError(value)) return copyOf(value);
  if (copies.size >= maxErrors) return undefined;
  const copy: object = isList ? [] : Object.setPrototypeOf(new Error(), Object.getPrototypeOf(value) as object);
  // Stored before it has fields, because an error may contain itself.
  copies.set(value, copy);
  for (const name of isList ? value.keys() : new Set([...Reflect.ownKeys(value), ...errorFields])) {
    const field = quietly(() => copied(Reflect.get(value, name), copies));
    const enumerable = Object.prototype.propertyIsEnumerable.call(value, name);
    if (field !== undefined || enumerable) Object.defineProperty(copy, name, { value: field, enumerable, writable: true, configurable: true });
  }
  return copy;
}

/** Own fields of every copy, because the accessors that a copy inherits from DOMException throw. */
const errorFields = ['name', 'message', 'code', 'stack'];

/** Depth of the usage that hooks get. The service's usage has two levels. */
const maxDepth = 8;

/** A frozen copy of a usage object. Its text is cleaned, because the service may echo a key anywhere. */
export function frozenUsage(value: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value, secrets);
  if (!isObject(value)) return value;
  if (depth >= maxDepth) return undefined;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozenUsage(item, secrets, depth + 1)));
  const fields = Object.entries(value).map(([name, field]) => [cleanToken(name, secrets), frozenUsage(field, secrets, depth + 1)] as const);
  return Object.freeze(Object.fromEntries(fields));
}
