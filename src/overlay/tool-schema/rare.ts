import type { JsonSchema, MutableSchema } from './json-schema.ts';
import { KEYWORDS } from './keywords.ts';
import type { Pass } from './pass.ts';
import { declaredTypes, typeKeyword } from './types.ts';

/** Before 2020-12, `items` with a list was the present `prefixItems`. */
export function isRare([keyword, value]: readonly [string, unknown]): boolean {
  return KEYWORDS.get(keyword)?.rare === true || (keyword === 'items' && Array.isArray(value));
}

/** The schema without the keywords that merges do not support. */
export function withoutRare(pass: Pass, schema: JsonSchema): JsonSchema {
  const rare = Object.entries(schema).filter(isRare);
  if (rare.length === 0) return schema;
  const common: MutableSchema = { ...schema };
  for (const [keyword] of rare) {
    pass.note(keyword, 'dropped', true, `\`${keyword}\` cannot be merged`);
    delete common[keyword];
    // Without the patterns or positions beside them, these would apply to more values.
    if (keyword === 'patternProperties') delete common['additionalProperties'];
    if (keyword === 'prefixItems') delete common['items'];
  }
  return common;
}

/** The schema as merges expect it: without rare keywords, and with `null` in its type instead of `nullable`. */
export function mergeable(pass: Pass, schema: JsonSchema): JsonSchema {
  const { nullable, ...common }: MutableSchema = withoutRare(pass, schema);
  if (nullable === undefined) return common;
  const type = schema['type'] === undefined ? undefined : typeKeyword(declaredTypes(schema));
  if (type === undefined) delete common['type'];
  else common['type'] = type;
  return common;
}
