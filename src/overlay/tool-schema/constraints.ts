import type { JsonSchema } from './json-schema.ts';
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING } from './types.ts';

/** Keywords that constrain values of exactly one type, by type. */
export const CONSTRAINTS: ReadonlyMap<number, readonly string[]> = new Map([
  [STRING, ['minLength', 'maxLength', 'pattern', 'contentEncoding', 'contentMediaType', 'contentSchema']],
  [NUMBER, ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
  [ARRAY, ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains', 'minContains', 'maxContains', 'unevaluatedItems']],
  [
    OBJECT,
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
      'dependentRequired',
      'dependentSchemas',
      'unevaluatedProperties',
    ],
  ],
  [BOOLEAN, []],
  [NULL, []],
]);

/** Keywords with a number that an intersection narrows: to the greater or the smaller one. */
export const BOUNDS: ReadonlyMap<string, (a: number, b: number) => number> = new Map([
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((keyword) => [keyword, Math.max] as const),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((keyword) => [keyword, Math.min] as const),
]);

const ALL: ReadonlySet<string> = new Set(['type', 'nullable', 'enum', 'const', 'format', 'dependencies', ...[...CONSTRAINTS.values()].flat()]);

/** Whether the keyword restricts values, as opposed to describing them. */
export function isConstraint(keyword: string): boolean {
  return ALL.has(keyword);
}

/** Whether `schema` contains no constraints. */
export function onlyDescribes(schema: JsonSchema): boolean {
  for (const keyword in schema) if (ALL.has(keyword)) return false;
  return true;
}
