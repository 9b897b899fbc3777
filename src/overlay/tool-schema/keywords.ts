import { isObject, isSubschema, type JsonSchema, type Subschema } from './json-schema.ts';
import { ARRAY, BOOLEAN, NULL, NUMBER, OBJECT, STRING } from './types.ts';

/** The value of a keyword, which determines where nested schemas are. Keywords not listed contain data and are not searched. */
export interface Keyword {
  /** A schema. */
  readonly schema?: true;
  /** Schemas by position. */
  readonly list?: true;
  /** Schemas by name. */
  readonly map?: true;
  /** A schema with it is rewritten: the service rejects it, or it only costs tokens. */
  readonly forbidden?: true;
  /** Absent from a rewritten schema. */
  readonly dropped?: true;
  /** Dropping it accepts more values. */
  readonly widens?: true;
  /** Real tools do not use it. It stays where neither its own schemas nor the schema around it have to be merged. */
  readonly rare?: true;
}

const dropped = true;
const forbidden = true;
const widens = true;
const rare = true;

export const KEYWORDS: ReadonlyMap<string, Keyword> = new Map(
  Object.entries<Keyword>({
    properties: { map: true },
    // Before draft 2020-12, `items` could be a list of schemas.
    items: { schema: true, list: true },
    'additionalProperties propertyNames': { schema: true },
    'anyOf oneOf allOf': { list: true, forbidden, dropped },
    $ref: { forbidden, dropped },
    '$defs definitions components': { map: true, forbidden, dropped },
    'not if then else unevaluatedItems unevaluatedProperties': { schema: true, dropped, widens },
    '$dynamicRef $recursiveRef': { dropped, widens },
    'contains additionalItems': { schema: true, rare },
    'patternProperties dependentSchemas dependencies': { map: true, rare },
    prefixItems: { list: true, rare },
    'minContains maxContains dependentRequired': { rare },
    contentSchema: { schema: true, dropped },
    // A discriminator maps values to references. The merged enum of the property carries the same information.
    '$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment discriminator': { dropped },
  }).flatMap(([keywords, kind]) => keywords.split(' ').map((keyword) => [keyword, kind] as const)),
);

/** Keywords that describe a value without constraining it. */
export const ANNOTATIONS: ReadonlySet<string> = new Set('title description default examples example deprecated readOnly writeOnly'.split(' '));

/** Calls `visit` for every schema directly below `node`, found at `keyword` or at `keyword/name`. */
export function eachChild(node: JsonSchema, visit: (child: Subschema, keyword: string, name?: string) => void): void {
  for (const keyword in node) {
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined) continue;
    const value = node[keyword];
    if (kind.schema && isSubschema(value)) visit(value, keyword);
    else if (Array.isArray(value) ? kind.list : kind.map && isObject(value)) {
      const members = value as JsonSchema;
      for (const name in members) {
        const child = members[name];
        if (isSubschema(child)) visit(child, keyword, name);
      }
    }
  }
}

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

/** Keywords with a number, and the choice between two numbers in an intersection. A union chooses the other one. */
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
