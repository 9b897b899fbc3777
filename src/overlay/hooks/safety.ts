// A hook can neither fail a call nor change it.
import { cleanText, cleanToken } from '../errors/clean.ts';
import { isObject, isThenable } from '../errors/json-value.ts';

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

/** Copies an error: the caller may get the same object. */
export function copyOfError<T>(error: T): T {
  if (!(error instanceof Error)) return error;
  const copy: object = Object.setPrototypeOf(new Error(), Object.getPrototypeOf(error) as object);
  return Object.defineProperties(copy, Object.getOwnPropertyDescriptors(error)) as T;
}

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
