/** A JSON object with unknown fields. */
export type Fields = Readonly<Record<string, unknown>>;

// Readers for untrusted JSON: a value of the wrong type counts as absent.

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function isFields(value: unknown): value is Fields {
  return isObject(value) && !Array.isArray(value);
}

const noFields: Fields = Object.freeze({});

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : noFields;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** An id or a code: a string, or a number as a string. */
export function labelOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : textOf(value);
}

/** Reads a foreign value, for instance one that a `catch` got. Undefined if it throws, as a Proxy or a getter can. */
export function asked<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export function jsonOrUndefined(text: string): unknown {
  return asked<unknown>(() => JSON.parse(text));
}

/** The arguments of a tool call as text, because older servers send an object. An object too deep to serialize becomes text that is not JSON. */
export function argumentsText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value);
  } catch {
    return '[arguments nested too deeply]';
  }
}

/** The arguments of a complete call. Some servers send a blank text without arguments, which becomes `{}`. */
export function wholeArguments(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

/** True for a Promise of any realm or library. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return isObject(value) && 'then' in value && typeof value.then === 'function';
}
