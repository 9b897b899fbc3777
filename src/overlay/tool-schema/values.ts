import type { JsonSchema } from './json-schema.ts';
import { remembered } from './memo.ts';

const MAX_DATA_DEPTH = 200;
// Comparing objects shared in doubling layers takes exponential time.
const MAX_COMPARISONS = 1_000;

/** Whether two JSON values are equal, or `undefined` if they are too large, too deep or cyclic to compare. */
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

/** The values that `enum` and `const` allow, or `undefined` if the schema has neither. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const listed = Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined;
  if (!Object.hasOwn(schema, 'const')) return listed;
  const only = schema['const'];
  if (listed === undefined) return [only];
  const known = constantsOf(listed);
  let met = known.get(only);
  if (met === undefined) {
    met = meetValues([only], listed);
    known.set(only, met);
  }
  return met;
}

/** For each enum, its intersection with the constants used beside it. */
const constantsOf = /* @__PURE__ */ remembered((_: readonly unknown[]) => new Map<unknown, readonly unknown[]>());

/** Values in both lists, in the order of the first. Values that cannot be compared are kept. */
export function meetValues(left: readonly unknown[], right: readonly unknown[]): readonly unknown[] {
  if (left === right) return left;
  const plain = new Set(right);
  const structured = right.filter(isStructured).map(dataKey);
  const keys = new Set(structured);
  const comparable = !keys.has(undefined);
  const stays = (value: unknown): boolean => {
    if (plain.has(value)) return true;
    if (!isStructured(value) || structured.length === 0) return false;
    const key = comparable ? dataKey(value) : undefined;
    return key === undefined || keys.has(key);
  };
  const kept = left.filter(stays);
  return kept.length === left.length ? left : kept;
}

/** The distinct values of all lists. */
export function joinValues(lists: readonly (readonly unknown[])[]): unknown[] {
  const seen = new Set<unknown>();
  const keys = new Set<string>();
  const large: unknown[] = [];
  const isNew = (value: unknown): boolean => {
    if (!isStructured(value)) return true;
    const key = dataKey(value);
    if (key !== undefined) return !keys.has(key) && keys.add(key).size > 0;
    if (large.some((other) => equalData(value, other) === true)) return false;
    if (large.length < MAX_LARGE) large.push(value);
    return true;
  };
  for (const list of lists) for (const value of list) if (!seen.has(value) && isNew(value)) seen.add(value);
  return [...seen];
}

/** Maximum values without a key that are compared one by one. */
const MAX_LARGE = 8;

function isStructured(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

const MAX_KEY_NODES = 200;
const MAX_KEY_DEPTH = 20;

/** A key that equal JSON values share, or `undefined` if the value is too large, too deep or cyclic. */
function dataKey(value: unknown): string | undefined {
  const count = { nodes: 0 };
  return keyText(value, 0, count);
}

function keyText(value: unknown, depth: number, count: { nodes: number }): string | undefined {
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  if (depth > MAX_KEY_DEPTH || ++count.nodes > MAX_KEY_NODES) return undefined;
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      const part = keyText(item, depth + 1, count);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return `[${parts.join()}]`;
  }
  for (const key of Object.keys(value).sort()) {
    const part = keyText((value as JsonSchema)[key], depth + 1, count);
    if (part === undefined) return undefined;
    parts.push(`${JSON.stringify(key)}:${part}`);
  }
  return `{${parts.join()}}`;
}
