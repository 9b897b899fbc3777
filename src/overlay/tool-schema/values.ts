import { ANY, declaredTypes, type JsonSchema, typeNames, typesOfValues, valuesOf } from '../json/schema.ts';

/** Caches the results of a function. The rewriter works on its own copy of a schema, so no object changes between two calls. */
export function remembered<Key extends object, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  const results = new WeakMap<Key, { readonly result: Result }>();
  return (key) => {
    let known = results.get(key);
    if (known === undefined) results.set(key, (known = { result: compute(key) }));
    return known.result;
  };
}

const rememberedTypes = /* @__PURE__ */ remembered(typesOfValues);
/** Rescanning a list up to this length is cheaper than a cache lookup. */
const FEW = 16;

/** The types that `schema` accepts, including the effect of `enum` and `const`. */
export function admittedTypes(schema: JsonSchema): number {
  const [values, declared] = [valuesOf(schema), declaredTypes(schema)];
  return values === undefined ? declared : declared & (values.length <= FEW ? typesOfValues : rememberedTypes)(values);
}

/** `{ type }` for a set of types; without a keyword if every type is allowed. */
export function typeKeyword(types: number): { type?: string | string[] } {
  if (types === ANY) return {};
  const names = typeNames(types);
  return { type: names.length === 1 ? (names[0] as string) : names };
}
const MAX_DATA_DEPTH = 200;
// Objects shared in doubling layers would take exponential time.
const MAX_COMPARISONS = 1_000;

/** Whether two JSON values are equal. Values that are too large, too deep or cyclic to compare count as different. Ends at the first difference. */
export function equalData(left: unknown, right: unknown): boolean {
  let comparisons = 0;
  const equal = (one: unknown, other: unknown, depth: number): boolean => {
    if (one === other) return true;
    if (!isStructured(one) || !isStructured(other) || Array.isArray(one) !== Array.isArray(other)) return false;
    if (depth > MAX_DATA_DEPTH || ++comparisons > MAX_COMPARISONS) return false;
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    return keys.every((key) => Object.hasOwn(other, key) && equal(one[key], other[key], depth + 1));
  };
  return equal(left, right, 0);
}

/** Values in both lists, in the order of the first. Values that cannot be compared are kept. */
export function meetValues(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  if (left === right) return left;
  const keys = new Set(right.map(keyOf));
  const kept = left.filter((value) => keyOf(value) === undefined || keys.has(keyOf(value)) || (isStructured(value) && keys.has(undefined)));
  return kept.length === left.length ? left : kept;
}

/** The distinct values of all lists. Values that cannot be compared count as distinct. */
export function joinValues(lists: readonly (readonly unknown[])[]): unknown[] {
  const joined = new Map<unknown, unknown>();
  for (const list of lists) {
    for (const value of list) {
      const key = keyOf(value) ?? value;
      if (!joined.has(key)) joined.set(key, value);
    }
  }
  return [...joined.values()];
}

function isStructured(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

/** A key that equal JSON values share, or `undefined` if the value is too large, too deep or cyclic. */
function keyOf(value: unknown): string | undefined {
  if (isStructured(value)) return keyOfStructured(value);
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

const MAX_KEY_NODES = 1_000;
const MAX_KEY_DEPTH = 100;

const keyOfStructured = /* @__PURE__ */ remembered((value: object): string | undefined => {
  let nodes = 0;
  let complete = true;
  const keyText = (part: unknown, depth: number): string => {
    if (!isStructured(part)) return keyOf(part) ?? '';
    if (depth > MAX_KEY_DEPTH || ++nodes > MAX_KEY_NODES) complete = false;
    if (!complete) return '';
    if (Array.isArray(part)) return `[${part.map((item) => keyText(item, depth + 1)).join()}]`;
    const members = Object.keys(part).sort();
    return `{${members.map((name) => `${JSON.stringify(name)}:${keyText(part[name], depth + 1)}`).join()}}`;
  };
  const key = keyText(value, 0);
  return complete ? key : undefined;
});
