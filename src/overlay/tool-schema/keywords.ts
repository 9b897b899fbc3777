import { ARRAY, BOOLEAN, declaredTypes, type JsonSchema, type MutableSchema, NULL, NUMBER, OBJECT, STRING } from '../json/schema.ts';
import type { FlatSchema, Pass } from './pass.ts';
import { typeKeyword } from './values.ts';

const words = (text: string): readonly string[] => text.split(' ');

const DEFINITIONS = '$defs definitions components';
const UNIONS = 'anyOf oneOf allOf';

/** Keywords that hold definitions. They only cost tokens where each reference is replaced. */
export const DEFINING: ReadonlySet<string> = new Set(words(DEFINITIONS));
/** A schema with one of these is rewritten. */
export const FORBIDDEN: ReadonlySet<string> = new Set(words(`${UNIONS} $ref ${DEFINITIONS}`));
/** Keywords without an equivalent. Dropping them accepts more values. */
export const WIDENING: ReadonlySet<string> = new Set(words('not if then else unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef'));
/** Absent from a rewritten schema. A discriminator maps values to references: the merged enum of the property carries the same information. */
export const DROPPED: ReadonlySet<string> = new Set([
  ...FORBIDDEN,
  ...WIDENING,
  ...words('contentSchema $schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment discriminator'),
]);
/** Real tools do not use these. They stay where neither their own schemas nor the schema around them have to be merged. */
const RARE: ReadonlySet<string> = new Set(
  words('contains additionalItems patternProperties dependentSchemas dependencies prefixItems minContains maxContains dependentRequired'),
);
/** Keywords that describe a value without constraining it. */
export const ANNOTATIONS: ReadonlySet<string> = new Set(words('title description default examples example deprecated readOnly writeOnly'));

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

/** Keywords with a number, and the choice between two numbers in an intersection. A union chooses the other one. */
export const NARROWER: ReadonlyMap<string, Choice> = new Map([
  ...words('minimum exclusiveMinimum minLength minItems minProperties').map((keyword) => [keyword, Math.max] as const),
  ...words('maximum exclusiveMaximum maxLength maxItems maxProperties').map((keyword) => [keyword, Math.min] as const),
]);

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

/** Before draft 2020-12, `items` with a list had the meaning of `prefixItems`. */
export function isRare([keyword, value]: readonly [string, unknown]): boolean {
  return RARE.has(keyword) || (keyword === 'items' && Array.isArray(value));
}

/** The schema without the keywords that merges do not support. */
export function withoutRare(pass: Pass, schema: FlatSchema): MutableSchema & FlatSchema {
  const common: MutableSchema & FlatSchema = { ...schema };
  for (const [keyword] of Object.entries(schema).filter(isRare)) {
    pass.note('dropped');
    delete common[keyword];
    // Without the patterns or positions, the keyword for the other members would apply to all members.
    if (keyword === 'patternProperties') delete common['additionalProperties'];
    if (keyword === 'prefixItems') delete common['items'];
  }
  return common;
}

/** The schema as merges expect it: without rare keywords, and with `null` in its type instead of `nullable`. */
export function mergeable(pass: Pass, schema: FlatSchema): FlatSchema {
  const common = withoutRare(pass, schema);
  if (common['nullable'] === undefined) return common;
  const { nullable: _nullable, type: _type, ...others } = common;
  return { ...typeKeyword(declaredTypes(schema)), ...others };
}
