import { isFields, isObject } from '../json/json-value.ts';
import type { JsonSchema } from '../json/schema.ts';
import { FORMS } from '../json/schema-document.ts';
import { FORBIDDEN } from './keywords.ts';

/**
 * Maximum objects and lists in a schema that is measured and kept. A shared object counts once for each place. A schema with more places is sent
 * unchanged only if they are fewer than twice its distinct objects. Real tools have a few hundred.
 */
const MAX_OBJECTS = 100_000;

/**
 * Whether the schema can be sent unchanged: no schema position has an `unfit` keyword, and the schema can be serialized. A cyclic object cannot,
 * and objects shared in doubling layers become too large.
 */
export function insideSubset(schema: JsonSchema, unfit: ReadonlySet<string> = FORBIDDEN): boolean {
  const places: object[] = [schema];
  let most = MAX_OBJECTS;
  let count = 0;
  const add = (child: object): boolean => {
    // Only shared objects have more places than one, so this bound refuses no tree, however large.
    if (++count === MAX_OBJECTS) most = Math.max(most, 2 * objectsIn(schema, unfit));
    return count < most && places.push(child) > 0;
  };
  for (let at = places.pop(); at !== undefined; at = places.pop()) if (!eachBelow(at, unfit, add)) return false;
  return true;
}

function objectsIn(schema: JsonSchema, unfit: ReadonlySet<string>): number {
  const objects = new Set<object>([schema]);
  for (const object of objects) eachBelow(object, unfit, (child) => objects.add(child).size > 0);
  return objects.size;
}

/**
 * Visits the objects and lists in schema positions directly below. A list in the place of a schema counts too, because its schemas must not be
 * sent either. Ends with `false` at an unfit keyword, or where `visit` returns `false`.
 */
function eachBelow(schema: object, unfit: ReadonlySet<string>, visit: (child: object) => boolean): boolean {
  if (Array.isArray(schema)) return eachValue(schema, visit);
  for (const keyword in schema) {
    if (unfit.has(keyword)) return false;
    const form = FORMS.get(keyword);
    const value: unknown = (schema as JsonSchema)[keyword];
    if (form === undefined || !isObject(value)) continue;
    if (form === 'map' ? isFields(value) && !eachValue(value, visit) : !visit(value)) return false;
  }
  return true;
}

function eachValue(values: object, visit: (child: object) => boolean): boolean {
  for (const name in values) {
    const value: unknown = (values as JsonSchema)[name];
    if (isObject(value) && !visit(value)) return false;
  }
  return true;
}

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

/** Counted as the bytes of data without a text. */
const UNMEASURED = 320_000;

const utf8 = /* @__PURE__ */ new TextEncoder();

/** Bytes of the value as JSON; `UNMEASURED` if `jsonText` returns undefined. */
export function jsonBytes(value: unknown): number {
  const text = typeof value === 'string' ? JSON.stringify(value) : jsonText(value);
  if (text === undefined) return UNMEASURED;
  return /^[ -~]*$/.test(text) ? text.length : utf8.encode(text).length;
}

/** Maximum characters of one generation of kept texts, which is about five sets of 100 large tools. */
const MAX_CHARACTERS = 2_000_000;

let young = new Map<string, string>();
let old = new Map<string, string>();
let characters = 0;

/**
 * Returns the text that `compute` makes of `given`, and keeps it. When the young generation is full, it becomes the old one, and the texts of the
 * old one are dropped unless they were used since. The key is the complete given text and strings cannot change, so callers cannot affect each other.
 */
export function keptText(given: string, compute: () => string): string {
  const known = young.get(given);
  if (known !== undefined) return known;
  const text = old.get(given) ?? compute();
  const size = given.length + text.length;
  if (size > MAX_CHARACTERS) return text;
  if ((characters += size) > MAX_CHARACTERS) {
    old = young;
    young = new Map();
    characters = size;
  }
  young.set(given, text);
  return text;
}
