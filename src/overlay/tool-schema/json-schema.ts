import { isFields } from '../json/json-value.ts';

/** A JSON Schema in object form. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A value in a schema position: `true` accepts every value, `false` rejects every value. */
export type Subschema = JsonSchema | boolean;

export type MutableSchema = Record<string, unknown>;

export function isObject(value: unknown): value is JsonSchema {
  return isFields(value);
}

export function isSubschema(value: unknown): value is Subschema {
  return typeof value === 'boolean' || isObject(value);
}

/** Sets an own key. Assigning to `__proto__` would set the prototype instead. */
export function put(target: MutableSchema, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/** An own entry of a map with arbitrary names, including `constructor` and `__proto__`. */
export function entry(map: JsonSchema, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** Reads `properties` and similar keywords. A value that is not an object counts as empty. */
export function mapOf(value: unknown): JsonSchema {
  return isObject(value) ? value : {};
}

/** Reads `required` and similar keywords. Values that are not strings are left out. */
export function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

/** A value that is not a schema counts as `true`: it adds no constraint. */
export function asSchema(value: unknown): Subschema {
  return isSubschema(value) ? value : true;
}

export function isEmpty(schema: JsonSchema): boolean {
  for (const keyword in schema) if (Object.hasOwn(schema, keyword)) return false;
  return true;
}

/** Whether the schema is `true` or has no keywords. */
export function isTrivial(schema: Subschema): boolean {
  return schema === true || (isObject(schema) && isEmpty(schema));
}
