import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING } from './types.ts';

/** For each type the keywords that constrain values of that type, and only those. */
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

const ALL: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'format', ...[...CONSTRAINTS.values()].flat()]);

/** Whether the keyword restricts values, as opposed to describing them. */
export function isConstraint(keyword: string): boolean {
  return ALL.has(keyword);
}
