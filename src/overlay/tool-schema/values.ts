import type { JsonSchema } from './json-schema.ts';

const MAX_DATA_DEPTH = 200;
// Comparing objects shared in doubling layers takes exponential time.
const MAX_COMPARISONS = 1_000;

/** Whether two JSON values are equal, or `undefined` if they are too large, too deep or cyclic to compare. */
export function equalData(left: unknown, right: unknown): boolean | undefined {
  let comparisons = 0;
  const equal = (one: unknown, other: unknown, depth: number): boolean | undefined => {
    if (one === other) return true;
    if (!isStructured(one) || !isStructured(other) || Array.isArray(one) !== Array.isArray(other)) return false;
    if (depth > MAX_DATA_DEPTH || ++comparisons > MAX_COMPARISONS) return undefined;
    const keys = Object.keys(one);
    if (keys.length !== Object.keys(other).length) return false;
    for (const key of keys) {
      const same = Object.hasOwn(other, key) && equal(one[key], other[key], depth + 1);
      if (same !== true) return same;
    }
    return true;
  };
  return equal(left, right, 0);
}

/** The values that `const` or `enum` allows, or `undefined` if the schema has neither. A plain schema does not have both. */
export function valuesOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined;
}

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

/** The distinct values of all lists. Values that cannot be compared count as distinct. */
export function joinValues(lists: readonly (readonly unknown[])[]): unknown[] {
  const seen = new Set<unknown>();
  const keys = new Set<unknown>();
  for (const list of lists) {
    for (const value of list) {
      if (isStructured(value)) {
        const key = dataKey(value);
        if (key !== undefined && keys.has(key)) continue;
        keys.add(key);
      }
      seen.add(value);
    }
  }
  return [...seen];
}

function isStructured(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

const MAX_KEY_NODES = 1_000;
const MAX_KEY_DEPTH = 100;

/** A key that equal JSON values share, or `undefined` if the value is too large, too deep or cyclic. */
function dataKey(value: unknown): string | undefined {
  let nodes = 0;
  let complete = true;
  const keyText = (part: unknown, depth: number): string => {
    if (typeof part !== 'object' || part === null) return typeof part === 'string' ? JSON.stringify(part) : String(part);
    if (depth > MAX_KEY_DEPTH || ++nodes > MAX_KEY_NODES) complete = false;
    if (!complete) return '';
    if (Array.isArray(part)) return `[${part.map((item) => keyText(item, depth + 1)).join()}]`;
    const members = Object.keys(part).sort();
    return `{${members.map((name) => `${JSON.stringify(name)}:${keyText((part as JsonSchema)[name], depth + 1)}`).join()}}`;
  };
  const key = keyText(value, 0);
  return complete ? key : undefined;
}
