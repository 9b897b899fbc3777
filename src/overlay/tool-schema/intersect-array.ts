import { asSchema, type JsonSchema, type MutableSchema, type Subschema } from './json-schema.ts';
import type { Pass } from './pass.ts';
import { equalData } from './values.ts';

/** Writes the array keywords of an intersection into `merged`, which already contains the keywords of only one side. */
export function intersectArrays(
  pass: Pass,
  merged: MutableSchema,
  left: JsonSchema,
  right: JsonSchema,
  meet: (a: Subschema, b: Subschema) => Subschema,
): void {
  if (hasPositions(left) && hasPositions(right)) mergePositions(merged, positions(left), positions(right), meet);
  if (left['contains'] === undefined || right['contains'] === undefined) return;
  const counters = ['contains', 'minContains', 'maxContains'];
  if (counters.every((keyword) => equalData(left[keyword], right[keyword]) === true)) return;
  pass.note('contains', 'widened', true, 'a schema can have only one `contains`: the first is kept');
  for (const keyword of counters) if (left[keyword] === undefined) delete merged[keyword];
}

function hasPositions(schema: JsonSchema): boolean {
  return schema['items'] !== undefined || schema['prefixItems'] !== undefined;
}

function mergePositions(merged: MutableSchema, left: Positions, right: Positions, meet: (a: Subschema, b: Subschema) => Subschema): void {
  const length = Math.max(left.first.length, right.first.length);
  const rest = meet(left.rest, right.rest);
  const first = Array.from({ length }, (_, index) => meet(left.first[index] ?? left.rest, right.first[index] ?? right.rest));
  // A trailing `false` position is redundant if no further items are allowed.
  while (rest === false && first.at(-1) === false) first.pop();
  if (first.length > 0) merged['prefixItems'] = first;
  else delete merged['prefixItems'];
  if (rest !== true) merged['items'] = rest;
}

export interface Positions {
  readonly first: readonly Subschema[];
  readonly rest: Subschema;
}

/** The schemas that the items of an array must match: by position, then for the rest. */
export function positions(schema: JsonSchema): Positions {
  const listed = schema['prefixItems'];
  const first = Array.isArray(listed) ? listed.map(asSchema) : [];
  return { first, rest: asSchema(schema['items']) };
}
