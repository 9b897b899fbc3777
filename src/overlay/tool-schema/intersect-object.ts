import { asSchema, entry, type JsonSchema, type MutableSchema, mapOf, namesOf, put, type Subschema } from './json-schema.ts';
import type { Pass } from './pass.ts';
import { Members } from './pattern.ts';

type Meet = (a: Subschema, b: Subschema) => Subschema;

/** Writes the object keywords of an intersection into `merged`, which already contains the keywords of only one side. */
export function intersectObjects(pass: Pass, merged: MutableSchema, left: JsonSchema, right: JsonSchema, meet: Meet): void {
  const required = allNames(left['required'], right['required']);
  if (required.length > 0) merged['required'] = required;
  if (left['propertyNames'] !== undefined && right['propertyNames'] !== undefined) {
    merged['propertyNames'] = meet(asSchema(left['propertyNames']), asSchema(right['propertyNames']));
  }
  const meetBoth = (x: unknown, y: unknown): Subschema => meet(asSchema(x), asSchema(y));
  for (const [keyword, join] of [['dependentRequired', allNames] as const, ['dependentSchemas', meetBoth] as const]) {
    if (left[keyword] !== undefined && right[keyword] !== undefined) merged[keyword] = joinMaps(left[keyword], right[keyword], join);
  }
  if (hasMembers(left) && hasMembers(right)) mergeMembers(pass, merged, left, right, new Set(required), meet);
}

function allNames(left: unknown, right: unknown): string[] {
  return [...new Set([...namesOf(left), ...namesOf(right)])];
}

function hasMembers(schema: JsonSchema): boolean {
  return schema['properties'] !== undefined || schema['patternProperties'] !== undefined || schema['additionalProperties'] !== undefined;
}

function mergeMembers(pass: Pass, merged: MutableSchema, left: JsonSchema, right: JsonSchema, required: ReadonlySet<string>, meet: Meet): void {
  const [onLeft, onRight] = [new Members(left), new Members(right)];
  const patterns = joinMaps(left['patternProperties'], right['patternProperties'], (x, y) => meet(asSchema(x), asSchema(y)));

  // A name listed by one side only is an additional property of the other side, unless a pattern there matches it.
  // The result keeps all patterns, so those still apply.
  const properties: MutableSchema = {};
  const place = (name: string, schema: Subschema, other: Members): void => {
    const met = other.mayTake(name) ? schema : meet(schema, other.rest);
    if (met !== false || schema === false) put(properties, name, met);
    else if (required.has(name)) {
      pass.note('properties', 'widened', true, `${JSON.stringify(name)} is required, but another branch forbids it: it is kept`);
      put(properties, name, schema);
    } else if (onLeft.mayTake(name) || onRight.mayTake(name)) put(properties, name, schema);
    else pass.note('properties', 'dropped', false, `${JSON.stringify(name)}: another branch forbids this property`);
  };
  for (const [name, schema] of Object.entries(onLeft.own)) {
    const counterpart = entry(onRight.own, name);
    if (counterpart === undefined) place(name, asSchema(schema), onRight);
    else put(properties, name, meet(asSchema(schema), asSchema(counterpart)));
  }
  for (const [name, schema] of Object.entries(onRight.own)) if (!Object.hasOwn(onLeft.own, name)) place(name, asSchema(schema), onLeft);

  setMap(merged, 'properties', properties, left['properties'] !== undefined || right['properties'] !== undefined);
  setMap(merged, 'patternProperties', patterns, Object.keys(patterns).length > 0);
  const rest = meet(onLeft.rest, onRight.rest);
  if (left['additionalProperties'] !== undefined || right['additionalProperties'] !== undefined) merged['additionalProperties'] = rest;
  if (!samePatterns(left, right) && (onLeft.rest !== true || onRight.rest !== true)) {
    pass.note('patternProperties', 'widened', true, 'additionalProperties no longer applies to names that match a pattern of only one branch');
  }
}

function samePatterns(left: JsonSchema, right: JsonSchema): boolean {
  const [a, b] = [mapOf(left['patternProperties']), mapOf(right['patternProperties'])];
  const patterns = Object.keys(a);
  return patterns.length === Object.keys(b).length && patterns.every((pattern) => Object.hasOwn(b, pattern));
}

function setMap(merged: MutableSchema, keyword: string, map: JsonSchema, present: boolean): void {
  if (present) merged[keyword] = map;
  else delete merged[keyword];
}

function joinMaps(left: unknown, right: unknown, join: (a: unknown, b: unknown) => unknown): MutableSchema {
  const joined: MutableSchema = { ...mapOf(left) };
  for (const [name, value] of Object.entries(mapOf(right))) put(joined, name, Object.hasOwn(joined, name) ? join(joined[name], value) : value);
  return joined;
}
