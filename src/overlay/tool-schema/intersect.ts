import {
  ANY,
  asSchema,
  declaredTypes,
  entry,
  type JsonSchema,
  type MutableSchema,
  mapOf,
  NULL,
  namesOf,
  put,
  typeOfValue,
  valuesOf,
} from '../json/schema.ts';
import { isConstraint, mergeable, NARROWER, onlyDescribes } from './keywords.ts';
import { ADDED, type FlatSchema, type FlatValue, IMPOSSIBLE, isImpossible, NULL_LOST, ORIGIN, type Pass, stepsOf } from './pass.ts';
import { boundedText, MAX_ADDED_TEXT } from './text.ts';
import { admittedTypes, equalData, meetValues, typeKeyword } from './values.ts';

/**
 * A schema that accepts every value that both sides accept, and possibly more. `first` is the more specific side: its texts win.
 * Both sides must be plain.
 */
export function intersect(pass: Pass, first: FlatValue, second: FlatValue): FlatValue {
  if (first === second || second === true) return first;
  if (first === true) return second;
  if (first === false || second === false) return false;
  if (Object.keys(second).length === 0) return first;
  if (Object.keys(first).length === 0) return second;
  return pass.once('allOf', [first, second], () => {
    if (pass.spend(stepsOf(first) + stepsOf(second))) return merge(pass, first, second);
    pass.note('widened');
    return first;
  });
}

function merge(pass: Pass, first: FlatSchema, second: FlatSchema): FlatSchema {
  // Fast path: most schemas around a reference or a union contain only a title, a description or a default.
  const describes = onlyDescribes(first);
  const [left, right] = describes ? [first, second] : [mergeable(pass, first), mergeable(pass, second)];
  const merged: MutableSchema & FlatSchema = { ...left };
  for (const keyword of Object.keys(right)) if (!Object.hasOwn(left, keyword)) put(merged, keyword, right[keyword]);
  mergeText(merged, first, second);
  mergeMarks(merged, first, second);
  if (describes) return merged;
  const types = declaredTypes(left) & declaredTypes(right);
  const values = commonValues(left, right)?.filter((value) => (typeOfValue(value) & types) !== 0);
  if (types === 0 || values?.length === 0) {
    pass.note('widened');
    const { description } = merged;
    return { ...first, ...(description !== undefined && { description }), [IMPOSSIBLE]: true };
  }
  setTypes(merged, left, right, types);
  if (values !== undefined) setValues(merged, values);
  for (const keyword of Object.keys(right)) {
    const [mine, other] = [left[keyword], right[keyword]];
    if (mine !== undefined && other !== undefined && mine !== other) mergeKeyword(pass, merged, keyword, mine, other);
  }
  mergeMembers(pass, merged, left, right);
  return merged;
}

function mergeMarks(merged: FlatSchema, first: FlatSchema, second: FlatSchema): void {
  const [left, right] = [first[NULL_LOST], second[NULL_LOST]];
  // Null is lost if both sides accepted it, and one of them does not any more.
  merged[NULL_LOST] = (left || right) && (left || (admittedTypes(first) & NULL) !== 0) && (right || (admittedTypes(second) & NULL) !== 0);
  merged[IMPOSSIBLE] = isImpossible(first) || isImpossible(second);
  merged[ORIGIN] = undefined;
}

/** The description of `first` wins. Text that a merge added to `second` is appended, up to `MAX_ADDED_TEXT`. */
function mergeText(merged: MutableSchema & FlatSchema, first: FlatSchema, second: FlatSchema): void {
  const { [ADDED]: before = '', description: own } = first;
  const { [ADDED]: more = '' } = second;
  const room = MAX_ADDED_TEXT - before.length;
  const added = more === before || room < 2 ? '' : boundedText(more, room - 1);
  if (typeof own === 'string' && added !== '' && own !== added) merged['description'] = own === '' ? added : `${own}\n${added}`;
  merged[ADDED] = before === '' || added === '' ? before || added : `${before}\n${added}`;
}

function commonValues(left: JsonSchema, right: JsonSchema): readonly unknown[] | undefined {
  const [one, two] = [valuesOf(left), valuesOf(right)];
  return one === undefined || two === undefined ? (one ?? two) : meetValues(one, two);
}

function setTypes(merged: MutableSchema, left: JsonSchema, right: JsonSchema, types: number): void {
  if (types === declaredTypes(left) && left['type'] !== undefined) return;
  // If the type set equals one side's, keep that side's notation (a name or a list).
  if (types !== ANY) Object.assign(merged, types === declaredTypes(right) ? { type: right['type'] } : typeKeyword(types));
}

function setValues(merged: MutableSchema, values: readonly unknown[]): void {
  if (Object.hasOwn(merged, 'const')) {
    const same = values.length === 1 && equalData(merged['const'], values[0]);
    delete merged[same ? 'enum' : 'const'];
    if (same) return;
  }
  const listed = merged['enum'];
  if (!Array.isArray(listed) || listed.length !== values.length) merged['enum'] = [...values];
}

/** Merges a keyword that both sides have. A constraint that cannot be merged stays as on the left side. */
function mergeKeyword(pass: Pass, merged: MutableSchema, keyword: string, left: unknown, right: unknown): void {
  if (OWN_RULES.has(keyword) || !isConstraint(keyword)) return;
  const narrower = NARROWER.get(keyword);
  if (keyword === 'items' || keyword === 'propertyNames') merged[keyword] = intersect(pass, asSchema(left), asSchema(right));
  else if (keyword === 'required') merged[keyword] = [...new Set([...namesOf(left), ...namesOf(right)])];
  else if (narrower !== undefined && typeof left === 'number' && typeof right === 'number') merged[keyword] = narrower(left, right);
  else pass.note('widened');
}

/** Keywords that `merge` combines itself, because they depend on each other. */
const OWN_RULES: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'properties', 'additionalProperties']);

/** A property that only one side lists is an additional property of the other side. */
function mergeMembers(pass: Pass, merged: MutableSchema, left: JsonSchema, right: JsonSchema): void {
  if (!hasMembers(left) || !hasMembers(right)) return;
  const [ours, theirs] = [mapOf(left['properties']), mapOf(right['properties'])];
  const [ourRest, theirRest] = [asSchema(left['additionalProperties']), asSchema(right['additionalProperties'])];
  const required = new Set(namesOf(merged['required']));
  const properties: MutableSchema = {};
  const place = (name: string, schema: FlatValue, rest: FlatValue): void => {
    const met = intersect(pass, schema, rest);
    if (met !== false || schema === false) put(properties, name, met);
    else if (required.has(name)) {
      pass.note('widened');
      put(properties, name, schema);
    } else pass.note('left-out');
  };
  for (const [name, schema] of Object.entries(ours)) {
    const counterpart = entry(theirs, name);
    if (counterpart === undefined) place(name, asSchema(schema), theirRest);
    else put(properties, name, intersect(pass, asSchema(schema), asSchema(counterpart)));
  }
  for (const [name, schema] of Object.entries(theirs)) if (!Object.hasOwn(ours, name)) place(name, asSchema(schema), ourRest);
  if (merged['properties'] !== undefined) merged['properties'] = properties;
  if (merged['additionalProperties'] !== undefined) merged['additionalProperties'] = intersect(pass, ourRest, theirRest);
}

function hasMembers(schema: JsonSchema): boolean {
  return schema['properties'] !== undefined || schema['additionalProperties'] !== undefined;
}
