import type { JsonSchema } from './json-schema.ts';

const MAX_DATA_DEPTH = 200;
// Objects may be shared in doubling layers, and then there is no end to comparing them.
const MAX_COMPARISONS = 5_000;
// Comparing structured values is pairwise.
const MAX_STRUCTURED = 256;

/** Whether two JSON values are equal; `undefined` when they are too large or too deep (or cyclic) to tell. */
export function equalData(left: unknown, right: unknown): boolean | undefined {
  return equal(left, right, 0, { comparisons: 0 });
}

function equal(left: unknown, right: unknown, depth: number, done: { comparisons: number }): boolean | undefined {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (depth > MAX_DATA_DEPTH || ++done.comparisons > MAX_COMPARISONS) return undefined;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) {
      const same = equal(left[index], right[index], depth + 1, done);
      if (same !== true) return same;
    }
    return true;
  }
  const [one, other] = [left as JsonSchema, right as JsonSchema];
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    const same = Object.hasOwn(other, key) ? equal(one[key], other[key], depth + 1, done) : false;
    if (same !== true) return same;
  }
  return true;
}

/** The values that `enum` and `const` leave; `undefined` when neither is there. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const listed = Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined;
  if (!Object.hasOwn(schema, 'const')) return listed;
  const single = [schema['const']];
  return listed === undefined ? single : meetValues(single, listed);
}

/** Values in both lists, in the order of the first. What cannot be compared stays. */
export function meetValues(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  const plain = new Set(right);
  const structured = right.filter(isStructured);
  const kept = left.filter(
    (value) =>
      plain.has(value) ||
      (isStructured(value) && (structured.length > MAX_STRUCTURED || structured.some((other) => equalData(value, other) !== false))),
  );
  return kept.length === left.length ? left : kept;
}

/** All values of the lists, each once. */
export function joinValues(lists: readonly (readonly unknown[])[]): unknown[] {
  const seen = new Set<unknown>();
  const structured: unknown[] = [];
  for (const value of lists.flat()) {
    if (seen.has(value)) continue;
    if (isStructured(value)) {
      if (structured.length <= MAX_STRUCTURED && structured.some((other) => equalData(value, other) === true)) continue;
      structured.push(value);
    }
    seen.add(value);
  }
  return [...seen];
}

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
