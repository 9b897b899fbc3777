// One JSON Schema, as all its readers see it. A keyword with a value of the wrong form counts as absent.
import { isFields, isObject, listOf } from './json-value.ts';

/** A JSON Schema in object form. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A value in a schema position: `true` accepts every value, `false` rejects every value. */
export type Subschema = JsonSchema | boolean;

export type MutableSchema = Record<string, unknown>;

export function isSubschema(value: unknown): value is Subschema {
  return typeof value === 'boolean' || isFields(value);
}

/** A value that is not a schema counts as `true`: it adds no constraint. */
export function asSchema(value: unknown): Subschema {
  return isSubschema(value) ? value : true;
}

/** Sets an own key. Assigning to `__proto__` would set the prototype instead. */
export function put(target: MutableSchema, key: string, value: unknown): void {
  if (key === '__proto__') Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}

/**
 * A copy of the own members that have a value, with what `memberOf` makes of each. Shared objects stay shared, and cycles stay cycles. An object
 * that writes its own JSON, such as a date, is not copied.
 */
export function ownCopy(schema: object, memberOf: (key: string, value: unknown) => unknown = (_key, value) => value): MutableSchema {
  const root: MutableSchema = {};
  const copies = new Map<unknown, MutableSchema>([[schema, root]]);
  // The loop also visits objects added during it.
  for (const [original, copy] of copies)
    for (const [key, given] of Object.entries(original as object)) {
      const value = memberOf(key, given);
      if (value === undefined) continue;
      if (isObject(value) && !('toJSON' in value) && !copies.has(value)) copies.set(value, (Array.isArray(value) ? [] : {}) as MutableSchema);
      put(copy, key, copies.get(value) ?? value);
    }
  return root;
}

/** Reads `properties` and similar keywords. A value that is not an object counts as empty. */
export function mapOf(value: unknown): JsonSchema {
  return isFields(value) ? value : {};
}

/** Reads `required` and similar keywords. Values that are not strings are left out. */
export function namesOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
}

/** An own entry of a map with arbitrary names, including `constructor` and `__proto__`. */
export function entry(map: JsonSchema, name: string): unknown {
  return Object.hasOwn(map, name) ? map[name] : undefined;
}

/** The schema of the property `name`: its own, or the one of additional properties. */
export function propertyOf({ properties, additionalProperties }: JsonSchema, name: string): unknown {
  return entry(mapOf(properties), name) ?? additionalProperties;
}

/** The schemas in `allOf`, `anyOf` and `oneOf`: they apply to the same value as the schema around them. */
export function branchesOf({ allOf, anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return [allOf, anyOf, oneOf].flatMap(listOf).filter(isFields);
}

/** The values that `const` or `enum` allows, or `undefined` if the schema has neither. With both, only `const` counts. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const') && schema['const'] !== undefined) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined;
}

// A set of types is a bit mask. `number` combines `integer` with a bit for fractional numbers.
export const NULL = 1;
export const BOOLEAN = 2;
export const OBJECT = 4;
export const ARRAY = 8;
export const STRING = 16;
export const INTEGER = 32;
export const NUMBER: number = 64 | INTEGER;
export const ANY = 127;

/** The names of types, in a readable order for prompts. */
export const TYPES: ReadonlyMap<string, number> = new Map([
  ['string', STRING],
  ['number', NUMBER],
  ['integer', INTEGER],
  ['boolean', BOOLEAN],
  ['object', OBJECT],
  ['array', ARRAY],
  ['null', NULL],
]);

/** The types that `type` and `nullable` allow. All types if `type` is absent, empty, or contains an unknown name. */
export function declaredTypes({ type, nullable }: JsonSchema): number {
  if (type === undefined) return ANY;
  let types = 0;
  for (const name of Array.isArray(type) ? type : [type]) {
    const bits = TYPES.get(name as string);
    if (bits === undefined) return ANY;
    types |= bits;
  }
  if (types === 0) return ANY;
  return nullable === true ? types | NULL : types;
}

export function typeOfValue(value: unknown): number {
  if (value === null) return NULL;
  if (Array.isArray(value)) return ARRAY;
  switch (typeof value) {
    case 'boolean':
      return BOOLEAN;
    case 'string':
      return STRING;
    case 'number':
      return Number.isInteger(value) ? INTEGER : NUMBER & ~INTEGER;
    default:
      return OBJECT;
  }
}

export function typesOfValues(values: readonly unknown[]): number {
  let types = 0;
  for (const value of values) types |= typeOfValue(value);
  return types;
}

/** The types that the keywords of `schema` itself accept: `type`, `nullable`, `enum` and `const`. */
export function ownTypes(schema: JsonSchema): number {
  const values = valuesOf(schema);
  return values === undefined ? declaredTypes(schema) : declaredTypes(schema) & typesOfValues(values);
}

/** Type names, in a readable order. Fractional numbers alone are `number` as well. */
export function typeNames(types: number): string[] {
  const unwanted = (types & NUMBER) === INTEGER ? NUMBER : INTEGER;
  const names: string[] = [];
  for (const [name, bits] of TYPES) if ((types & bits) !== 0 && bits !== unwanted) names.push(name);
  return names;
}
