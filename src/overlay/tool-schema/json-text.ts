import { MAX_OBJECTS, UNMEASURED } from './limits.ts';

/** The value as JSON. Undefined for a value that JSON cannot express, and for objects that are cyclic or shared in doubling layers. */
export function jsonText(value: unknown): string | undefined {
  const objects: unknown[] = [value];
  for (const object of objects) {
    if (objects.length > MAX_OBJECTS) return undefined;
    if (typeof object === 'object' && object !== null) for (const child of Object.values(object)) if (typeof child === 'object') objects.push(child);
  }
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const utf8 = /* @__PURE__ */ new TextEncoder();

/** Bytes of the value as JSON; `UNMEASURED` if `jsonText` returns undefined. */
export function jsonBytes(value: unknown): number {
  const text = typeof value === 'string' ? JSON.stringify(value) : jsonText(value);
  if (text === undefined) return UNMEASURED;
  return /^[ -~]*$/.test(text) ? text.length : utf8.encode(text).length;
}
