import type { JsonSchema } from './json-schema.ts';
import { KEYWORDS } from './keywords.ts';
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING } from './types.ts';

const words = (text: string): readonly string[] => text.split(' ');

/** Keywords that constrain values of exactly one type, by type. */
export const CONSTRAINTS: ReadonlyMap<number, readonly string[]> = new Map([
  [STRING, words('minLength maxLength pattern contentEncoding contentMediaType')],
  [NUMBER, words('minimum maximum exclusiveMinimum exclusiveMaximum multipleOf')],
  [ARRAY, words('items minItems maxItems uniqueItems')],
  [OBJECT, words('properties required additionalProperties propertyNames minProperties maxProperties')],
  [BOOLEAN, []],
  [NULL, []],
]);

type Choice = (a: number, b: number) => number;

/** Keywords with a number, by the choice of an intersection. A union chooses the other one. */
export const NARROWER: ReadonlyMap<string, Choice> = new Map([
  ...words('minimum exclusiveMinimum minLength minItems minProperties').map((keyword) => [keyword, Math.max] as const),
  ...words('maximum exclusiveMaximum maxLength maxItems maxProperties').map((keyword) => [keyword, Math.min] as const),
]);

const RARE = [...KEYWORDS].flatMap(([keyword, { rare }]) => (rare ? [keyword] : []));
const ALL: ReadonlySet<string> = new Set(['type', 'nullable', 'enum', 'const', 'format', ...[...CONSTRAINTS.values()].flat(), ...RARE]);

/** Whether the keyword restricts values, as opposed to describing them. */
export function isConstraint(keyword: string): boolean {
  return ALL.has(keyword);
}

/** Whether `schema` contains no constraints. */
export function onlyDescribes(schema: JsonSchema): boolean {
  for (const keyword in schema) if (ALL.has(keyword)) return false;
  return true;
}
