import { asSchema, type JsonSchema, type MutableSchema, type Subschema } from './json-schema.ts';
import type { Pass } from './pass.ts';
import { equalData } from './values.ts';

/** The array keywords of an intersection, put into `merged`, which already has everything that only one side has. */
export function intersectArrays(
  pass: Pass,
  merged: MutableSchema,
  left: JsonSchema,
  right: JsonSchema,
  meet: (a: Subschema, b: Subschema) => Subschema,
): void {
  const [leftItems, rightItems] = [positions(left), positions(right)];
  const length = Math.max(leftItems.first.length, rightItems.first.length);
  const rest = meet(leftItems.rest, rightItems.rest);
  const first = Array.from({ length }, (_, index) => meet(leftItems.first[index] ?? leftItems.rest, rightItems.first[index] ?? rightItems.rest));
  while (first.length > 0 && first.at(-1) === rest && rest === false) first.pop();
  if (first.length > 0) merged['prefixItems'] = first;
  else delete merged['prefixItems'];
  if (left['items'] !== undefined || right['items'] !== undefined) merged['items'] = rest;

  if (left['contains'] === undefined || right['contains'] === undefined) return;
  const counters = ['contains', 'minContains', 'maxContains'];
  if (counters.every((keyword) => equalData(left[keyword], right[keyword]) === true)) return;
  pass.note('contains', 'widened', true, 'one schema can have only one `contains`: the first is kept');
  for (const keyword of counters) if (left[keyword] === undefined) delete merged[keyword];
}

export interface Positions {
  readonly first: readonly Subschema[];
  readonly rest: Subschema;
}

/** What each item of an array must match. */
export function positions(schema: JsonSchema): Positions {
  const listed = schema['prefixItems'];
  const first = Array.isArray(listed) ? listed.map(asSchema) : [];
  return { first, rest: asSchema(schema['items']) };
}
