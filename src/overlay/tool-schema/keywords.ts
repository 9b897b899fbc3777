import { isObject, isSubschema, type JsonSchema, type Subschema } from './json-schema.ts';

/**
 * The kind of value of a keyword, which determines where nested schemas are. Keywords not listed contain data and are not searched.
 * - `schema`, `list`, `map`: a schema, schemas by position, schemas by name
 * - `items`: a schema or, before 2020-12, a list of schemas
 * - `dependencies`: schemas or lists of names, by name
 * - `combinator`, `reference`, `definitions`: constructs that the service rejects, and targets of references
 * - `conditional`, `dynamic`: constructs without an equivalent in the subset
 * - `meta`: no effect on accepted values
 */
const KINDS = {
  schema: 'additionalItems additionalProperties propertyNames contains contentSchema unevaluatedItems unevaluatedProperties',
  list: 'prefixItems',
  map: 'properties patternProperties dependentSchemas',
  items: 'items',
  dependencies: 'dependencies',
  combinator: 'anyOf oneOf allOf',
  reference: '$ref',
  definitions: '$defs definitions components',
  conditional: 'not if then else',
  dynamic: '$dynamicRef $recursiveRef',
  // A discriminator maps values to references. The merged enum of the property carries the same information.
  meta: '$schema $id $anchor $dynamicAnchor $recursiveAnchor $vocabulary $comment discriminator',
} as const;

export type KeywordKind = keyof typeof KINDS;

export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, keywords]) => keywords.split(' ').map((keyword) => [keyword, kind as KeywordKind] as const)),
);

/** Whether a schema with a keyword of this kind cannot be sent. Definitions without a reference cost tokens. */
export function isForbidden(kind: KeywordKind): boolean {
  return kind === 'combinator' || kind === 'reference' || kind === 'definitions';
}

/** Whether a keyword of this kind contains no schemas. */
export function isData(kind: KeywordKind | undefined): boolean {
  return kind === undefined || kind === 'meta' || kind === 'dynamic' || kind === 'reference';
}

/** Whether a keyword of this kind contains schemas by name. */
export function isMap(kind: KeywordKind | undefined): boolean {
  return kind === 'map' || kind === 'definitions' || kind === 'dependencies';
}

/** Whether a keyword of this kind may contain schemas by position. */
export function isList(kind: KeywordKind | undefined): boolean {
  return kind === 'list' || kind === 'items' || kind === 'combinator';
}

/** Keywords that describe a value without constraining it. */
export const ANNOTATIONS: ReadonlySet<string> = new Set('title description default examples example deprecated readOnly writeOnly'.split(' '));

/** Calls `visit` for every schema directly below `node`, found at `keyword` or at `keyword/name`. */
export function eachChild(node: JsonSchema, visit: (child: Subschema, keyword: string, name?: string) => void): void {
  for (const keyword of Object.keys(node)) {
    const kind = KEYWORDS.get(keyword);
    if (isData(kind)) continue;
    const value = node[keyword];
    if (Array.isArray(value)) {
      if (!isList(kind)) continue;
      for (let index = 0; index < value.length; index++) {
        if (isSubschema(value[index])) visit(value[index], keyword, String(index));
      }
    } else if (isMap(kind)) {
      if (!isObject(value)) continue;
      for (const name of Object.keys(value)) {
        const child = value[name];
        if (isSubschema(child)) visit(child, keyword, name);
      }
    } else if (kind !== 'list' && kind !== 'combinator' && isSubschema(value)) {
      visit(value, keyword);
    }
  }
}
