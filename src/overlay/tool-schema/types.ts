import type { JsonSchema } from './json-schema.ts';
import { remembered } from './memo.ts';
import { valuesOf } from './values.ts';

// A set of types is a bit mask. `number` covers `integer` plus the bit of the numbers that are not whole.
export const NULL = 1;
export const BOOLEAN = 2;
export const OBJECT = 4;
export const ARRAY = 8;
export const STRING = 16;
const INTEGER = 32;
export const NUMBER: number = 64 | INTEGER;
export const ANY = 127;

const BITS: ReadonlyMap<unknown, number> = new Map([
  ['null', NULL],
  ['boolean', BOOLEAN],
  ['object', OBJECT],
  ['array', ARRAY],
  ['string', STRING],
  ['integer', INTEGER],
  ['number', NUMBER],
]);

/** The types that `type` and `nullable` allow; all of them when `type` is absent or no list of known types. */
export function declaredTypes(schema: JsonSchema): number {
  const { type } = schema;
  if (type === undefined) return ANY;
  let types = 0;
  for (const name of Array.isArray(type) ? type : [type]) {
    const bits = BITS.get(name);
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

/** The types a value can have under `schema`, its `enum` and `const` considered. */
export function admittedTypes(schema: JsonSchema): number {
  const values = valuesOf(schema);
  const declared = declaredTypes(schema);
  return values === undefined ? declared : typesOfValues(values) & declared;
}

function typesOfValues(values: readonly unknown[]): number {
  return values.length <= FEW ? listedTypes(values) : rememberedTypes(values);
}

/** Lists up to this length are read again rather than looked up. */
const FEW = 16;

function listedTypes(values: readonly unknown[]): number {
  let types = 0;
  for (const value of values) types |= typeOfValue(value);
  return types;
}

const rememberedTypes = /* @__PURE__ */ remembered(listedTypes);

/** Type names, in an order that reads well in a prompt. */
export function typeNames(types: number): string[] {
  const names: string[] = [];
  if (types & STRING) names.push('string');
  if (types & NUMBER) names.push((types & NUMBER) === INTEGER ? 'integer' : 'number');
  if (types & BOOLEAN) names.push('boolean');
  if (types & OBJECT) names.push('object');
  if (types & ARRAY) names.push('array');
  if (types & NULL) names.push('null');
  return names;
}

/** The value for `type`; `undefined` when every type is allowed. */
export function typeKeyword(types: number): string | string[] | undefined {
  if (types === ANY) return undefined;
  const names = typeNames(types);
  return names.length === 1 ? names[0] : names;
}
