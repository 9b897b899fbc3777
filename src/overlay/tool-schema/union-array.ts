import { positions } from './intersect-array.ts';
import type { JsonSchema, MutableSchema, Subschema } from './json-schema.ts';
import { ARRAY } from './types.ts';
import { onlyOne, uniteBounds } from './union-scalar.ts';
import { equalData } from './values.ts';

/** Writes the array keywords of a union. Every branch must allow arrays. */
export function uniteArrays(united: MutableSchema, branches: readonly JsonSchema[], unite: (schemas: readonly Subschema[]) => Subschema): void {
  if (onlyOne(united, branches, ARRAY)) return;
  const each = branches.map(positions);
  const length = each.reduce((most, { first }) => Math.max(most, first.length), 0);
  const rest = unite(each.map((one) => one.rest));
  if (length > 0) united['prefixItems'] = Array.from({ length }, (_, index) => unite(each.map((one) => one.first[index] ?? one.rest)));
  if (rest !== true && !branches.every((branch) => branch['items'] === undefined)) united['items'] = rest;
  uniteBounds(united, branches, 'minItems', 'maxItems');
  if (branches.every((branch) => branch['uniqueItems'] === true)) united['uniqueItems'] = true;

  const [first = {}] = branches;
  const counters = ['contains', 'minContains', 'maxContains'];
  if (!counters.every((keyword) => branches.every((branch) => equalData(branch[keyword], first[keyword]) === true))) return;
  for (const keyword of counters) if (first[keyword] !== undefined) united[keyword] = first[keyword];
}
