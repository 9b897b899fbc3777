import { isObject, type JsonSchema, mapOf } from './json-schema.ts';
import { MAX_PATTERNS } from './pattern.ts';

/** Steps for an object or array in an enum. Comparing two of them visits all their members. */
const STRUCTURED = 50;

/** Keywords whose entries a merge visits. Other values are copied by reference. */
const OPENED = [
  'properties',
  'patternProperties',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'required',
  'prefixItems',
  'enum',
  'type',
];

/** Steps to merge a schema: one for each keyword and for each entry of its lists and maps. */
export function mergeCost(schema: JsonSchema): number {
  let cost = Object.keys(schema).length;
  for (const keyword of OPENED) cost += size(schema[keyword]);
  const values = schema['enum'];
  if (Array.isArray(values)) for (const value of values) if (typeof value === 'object' && value !== null) cost += STRUCTURED;
  return cost;
}

/** Steps to unite branches: a union looks up every property in every branch, and in the patterns of every branch. */
export function unionCost(branches: readonly JsonSchema[]): number {
  let [names, lookups, patterns, others] = [0, 0, 0, 0];
  for (const branch of branches) {
    names += size(mapOf(branch['properties']));
    for (const keyword of ['patternProperties', 'dependentRequired', 'dependencies', 'prefixItems']) lookups += size(branch[keyword]);
    patterns += Math.min(size(mapOf(branch['patternProperties'])), MAX_PATTERNS);
    others += mergeCost(branch);
  }
  return (names + lookups) * branches.length + names * patterns + others;
}

function size(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
