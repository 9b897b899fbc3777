import type { JsonSchema } from './json-schema.ts';
import { remembered } from './memo.ts';
import { valuesOf } from './values.ts';

// A set of types is a bit mask. `number` combines `integer` with a bit for fractional numbers.
export const NULL = 1;
export const BOOLEAN = 2;
export const OBJECT = 4;
export const ARRAY = 8;
export const STRING = 16;
const INTEGER = 32;
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

/** The types that `type` and `nullable` allow. All types if `type` is absent or contains an unknown name. */
export function declaredTypes(schema: JsonSchema): number {
  const { type } = schema;
  if (type === undefined) return ANY;
  let types = 0;
  for (const name of Array.isArray(type) ? type : [type]) {
    const bits = TYPES.get(name as string);
    if (bits === undefined) return ANY;
    types |= bits;
  }
  return schema['nullable'] === true ? types | NULL : types;
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

/** The types that `schema` accepts, including the effect of `enum` and `const`. */
export function admittedTypes(schema: JsonSchema): number {
  const values = valuesOf(schema);
  const declared = declaredTypes(schema);
  return values === undefined ? declared : typesOfValues(values) & declared;
}

function typesOfValues(values: readonly unknown[]): number {
  return values.length <= FEW ? listedTypes(values) : rememberedTypes(values);
}

/** Rescanning a list up to this length is cheaper than a cache lookup. */
const FEW = 16;

function listedTypes(values: readonly unknown[]): number {
  let types = 0;
  for (const value of values) types |= typeOfValue(value);
  return types;
}

const rememberedTypes = /* @__PURE__ */ remembered(listedTypes);

/** Type names, in a readable order. Fractional numbers alone are `number` as well. */
export function typeNames(types: number): string[] {
  const unwanted = (types & NUMBER) === INTEGER ? NUMBER : INTEGER;
  const names: string[] = [];
  for (const [name, bits] of TYPES) if ((types & bits) !== 0 && bits !== unwanted) names.push(name);
  return names;
}

/** The value for `type`, or `undefined` if every type is allowed. */
export function typeKeyword(types: number): string | string[] | undefined {
  if (types === ANY) return undefined;
  const names = typeNames(types);
  return names.length === 1 ? names[0] : names;
}
