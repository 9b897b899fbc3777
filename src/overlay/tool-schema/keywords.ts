import { isObject, isSubschema, type JsonSchema, type Subschema } from './json-schema.ts';

/**
 * The kind of value of a keyword, which determines where nested schemas are. Keywords not listed contain data and are not searched.
 * - `schema`, `list`, `map`: a schema, schemas by position, schemas by name
 * - `items`: a schema or, before 2020-12, a list of schemas
 * - `dependencies`: schemas or lists of names, by name
 * - `combinator`, `reference`: constructs that the service rejects
 * - `definitions`: targets of references
 * - `conditional`, `dynamic`: constructs without an equivalent in the subset
 * - `meta`: no effect on accepted values
 */
export type KeywordKind =
  | 'schema'
  | 'list'
  | 'map'
  | 'items'
  | 'dependencies'
  | 'combinator'
  | 'reference'
  | 'definitions'
  | 'conditional'
  | 'dynamic'
  | 'meta';

export const KEYWORDS: ReadonlyMap<string, KeywordKind> = new Map<string, KeywordKind>([
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'dependencies'],
  ['items', 'items'],
  ['prefixItems', 'list'],
  ['additionalItems', 'schema'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['contains', 'schema'],
  ['contentSchema', 'schema'],
  ['unevaluatedItems', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['anyOf', 'combinator'],
  ['oneOf', 'combinator'],
  ['allOf', 'combinator'],
  ['$ref', 'reference'],
  ['$defs', 'definitions'],
  ['definitions', 'definitions'],
  ['not', 'conditional'],
  ['if', 'conditional'],
  ['then', 'conditional'],
  ['else', 'conditional'],
  ['$dynamicRef', 'dynamic'],
  ['$recursiveRef', 'dynamic'],
  ['$schema', 'meta'],
  ['$id', 'meta'],
  ['$anchor', 'meta'],
  ['$dynamicAnchor', 'meta'],
  ['$recursiveAnchor', 'meta'],
  ['$vocabulary', 'meta'],
  ['$comment', 'meta'],
  // Maps values to references. The merged enum of the property carries the same information.
  ['discriminator', 'meta'],
]);

/** Whether the keyword is one of the five constructs outside the subset. */
export function isForbidden(keyword: string): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf' || keyword === 'allOf' || keyword === '$ref' || keyword === '$defs';
}

/** Keywords that describe a value without constraining it. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** Calls `visit` for every schema directly below `node`, found at `keyword` or at `keyword/name`. */
export function eachChild(node: JsonSchema, visit: (child: Subschema, keyword: string, name?: string) => void): void {
  for (const keyword of Object.keys(node)) {
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined || kind === 'meta' || kind === 'reference' || kind === 'dynamic') continue;
    const value = node[keyword];
    if (Array.isArray(value)) {
      if (kind !== 'list' && kind !== 'items' && kind !== 'combinator') continue;
      for (let index = 0; index < value.length; index++) {
        if (isSubschema(value[index])) visit(value[index], keyword, String(index));
      }
    } else if (kind === 'map' || kind === 'definitions' || kind === 'dependencies') {
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
