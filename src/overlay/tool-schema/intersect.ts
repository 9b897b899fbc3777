import { BOUNDS, onlyDescribes } from './constraints.ts';
import { mergeCost } from './cost.ts';
import { intersectArrays } from './intersect-array.ts';
import { intersectObjects } from './intersect-object.ts';
import { isEmpty, type JsonSchema, type MutableSchema, put, type Subschema } from './json-schema.ts';
import { MAX_ADDED_TEXT } from './limits.ts';
import type { Pass } from './pass.ts';
import { settle } from './settle.ts';
import { boundedText, valueText } from './text.ts';
import { ANY, admittedTypes, declaredTypes, NULL, typeKeyword, typeOfValue } from './types.ts';
import { equalData, meetValues, valuesOf } from './values.ts';

/**
 * A schema that accepts every value that both sides accept, and possibly more. `first` is the more specific side: its texts win.
 * Neither side may contain combinators or references.
 */
export function intersect(pass: Pass, first: Subschema, second: Subschema): Subschema {
  if (first === second || second === true) return first;
  if (first === true) return second;
  if (first === false || second === false) return false;
  if (isEmpty(second)) return first;
  if (isEmpty(first)) return second;
  return pass.once('intersect', [first, second], () => {
    if (!pass.exhausted && pass.spend(mergeCost(first) + mergeCost(second))) return merge(pass, first, second);
    pass.note('allOf', 'widened', true, 'too large to merge: only one of the schemas is kept');
    return first;
  });
}

function merge(pass: Pass, first: JsonSchema, second: JsonSchema): JsonSchema {
  // Fast path: most schemas around a reference or a union contain only a title, a description or a default.
  if (onlyDescribes(first)) return inherit(pass, together(pass, first, second, first, second), first, second);
  const left = settle(first);
  const right = settle(second);
  const merged = together(pass, left, right, first, second);
  const types = declaredTypes(left) & declaredTypes(right);
  const values = commonValues(left, right)?.filter((value) => (typeOfValue(value) & types) !== 0);
  if (types === 0 || values?.length === 0) {
    pass.note(types === 0 ? 'type' : 'enum', 'widened', true, 'the schemas contradict each other: the first is kept');
    const { description } = merged;
    return pass.markImpossible(description === undefined ? { ...first } : { ...first, description });
  }
  setTypes(merged, left, right, types);
  if (values !== undefined) setValues(merged, values);
  mergeBounds(merged, left, right);
  mergePatterns(pass, merged, left, right);
  const meet = (a: Subschema, b: Subschema): Subschema => intersect(pass, a, b);
  intersectObjects(pass, merged, left, right, meet);
  intersectArrays(pass, merged, left, right, meet);
  return inherit(pass, merged, first, second);
}

/** The keywords of both sides. The left side wins where both have the same keyword. */
function together(pass: Pass, left: JsonSchema, right: JsonSchema, first: JsonSchema, second: JsonSchema): MutableSchema {
  const merged: MutableSchema = { ...left };
  for (const keyword of Object.keys(right)) if (!Object.hasOwn(left, keyword)) put(merged, keyword, right[keyword]);
  mergeText(pass, merged, first, second);
  return merged;
}

function inherit(pass: Pass, merged: JsonSchema, first: JsonSchema, second: JsonSchema): JsonSchema {
  const [left, right] = [pass.nullLost.has(first), pass.nullLost.has(second)];
  // Null is lost if both sides accepted it, and one of them does not any more.
  if ((left || right) && (left || admittedTypes(first) & NULL) && (right || admittedTypes(second) & NULL)) pass.nullLost.add(merged);
  return pass.isImpossible(first) || pass.isImpossible(second) ? pass.markImpossible(merged) : merged;
}

/** The description of `first` wins. Text that a merge added to `second` is appended, up to `MAX_ADDED_TEXT`. */
function mergeText(pass: Pass, merged: MutableSchema, first: JsonSchema, second: JsonSchema): void {
  const [before = '', more = ''] = [pass.addedText.get(first), pass.addedText.get(second)];
  const room = MAX_ADDED_TEXT - before.length;
  const added = more === before || room < 2 ? '' : boundedText(more, room - 1);
  const own = first['description'];
  if (typeof own === 'string' && added !== '' && own !== added) merged['description'] = own === '' ? added : `${own}\n${added}`;
  if (before !== '' || added !== '') pass.addedText.set(merged, before === '' || added === '' ? before || added : `${before}\n${added}`);
}

function commonValues(left: JsonSchema, right: JsonSchema): readonly unknown[] | undefined {
  const [one, two] = [valuesOf(left), valuesOf(right)];
  return one === undefined || two === undefined ? (one ?? two) : meetValues(one, two);
}

function setTypes(merged: MutableSchema, left: JsonSchema, right: JsonSchema, types: number): void {
  if (types === declaredTypes(left) && left['type'] !== undefined) return;
  // If the type set equals one side's, keep that side's notation (a name or a list).
  const type = types === declaredTypes(right) ? right['type'] : typeKeyword(types);
  if (types === ANY || type === undefined) return;
  merged['type'] = type;
}

function setValues(merged: MutableSchema, values: readonly unknown[]): void {
  if (Object.hasOwn(merged, 'const')) {
    const same = values.length === 1 && equalData(merged['const'], values[0]) === true;
    delete merged[same ? 'enum' : 'const'];
    if (same) return;
  }
  const listed = merged['enum'];
  if (!Array.isArray(listed) || listed.length !== values.length) merged['enum'] = [...values];
}

function mergeBounds(merged: MutableSchema, left: JsonSchema, right: JsonSchema): void {
  for (const keyword of Object.keys(right)) {
    const narrower = BOUNDS.get(keyword);
    if (narrower === undefined) continue;
    const [a, b] = [left[keyword], right[keyword]];
    if (typeof b === 'number') merged[keyword] = typeof a === 'number' ? narrower(a, b) : b;
  }
  if (right['uniqueItems'] === true) merged['uniqueItems'] = true;
}

function mergePatterns(pass: Pass, merged: MutableSchema, left: JsonSchema, right: JsonSchema): void {
  for (const keyword of ['pattern', 'format']) {
    const [a, b] = [left[keyword], right[keyword]];
    if (a !== undefined && b !== undefined && a !== b) {
      pass.note(keyword, 'widened', true, `a schema can have only one ${keyword}: ${valueText(a)} is kept, ${valueText(b)} is dropped`);
    }
  }
  const [a, b] = [left['multipleOf'], right['multipleOf']];
  if (typeof a !== 'number' || typeof b !== 'number') return;
  const common = commonMultiple(a, b);
  if (common !== undefined) merged['multipleOf'] = common;
  else pass.note('multipleOf', 'widened', true, `${a} is kept, ${b} is dropped`);
}

/** The least common multiple, or `undefined` if it cannot be computed exactly. */
function commonMultiple(a: number, b: number): number | undefined {
  if (Number.isInteger(a / b)) return a;
  if (Number.isInteger(b / a)) return b;
  if (!Number.isInteger(a) || !Number.isInteger(b)) return undefined;
  let [divisor, rest] = [a, b];
  while (rest !== 0) [divisor, rest] = [rest, divisor % rest];
  const multiple = (a / divisor) * b;
  return Number.isSafeInteger(multiple) ? multiple : undefined;
}
