import { isFields } from '../json/json-value.ts';
import { stepInto } from '../json/pointer.ts';
import { declaredTypes, isSubschema, type JsonSchema, type MutableSchema, mapOf, put } from '../json/schema.ts';
import { FORMS } from '../json/schema-document.ts';
import { DEFINING, DROPPED, FORBIDDEN, RARE, WIDENING } from './keywords.ts';
import type { Flat, FlatSchema, Pass } from './pass.ts';
import { insideSubset } from './scan.ts';
import { equalData, typeKeyword } from './values.ts';

/** Rewrites the schema at this pointer. */
type RewriteChild = (child: unknown, pointer: string) => Flat;

/** The keywords of a schema that exist in the subset, with their schemas rewritten. Of the others, the caller merges some; the rest is dropped. */
export function plainKeywords(pass: Pass, given: JsonSchema, pointer: string, rewrite: RewriteChild): FlatSchema {
  const rare = Object.entries(given).filter(isRare);
  const schema = rare.length === 0 || insideSubset(Object.fromEntries(rare), DROPPED) ? given : withoutRare(pass, given);
  const plain: MutableSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const [form, at] = [FORMS.get(keyword), `${pointer}/${keyword}`];
    if (DROPPED.has(keyword)) noteDropped(pass, keyword, value);
    else if (keyword === 'enum' && Object.hasOwn(schema, 'const')) {
      const lossy = !Array.isArray(value) || !value.some((one) => equalData(one, schema['const']));
      pass.note('enum', 'dropped', lossy, '`const` is the only value');
    } else if (form === undefined || isRare([keyword, value])) put(plain, keyword, value);
    else if (form !== 'map') plain[keyword] = rewriteOne(value, at, rewrite);
    else {
      const map: MutableSchema = {};
      for (const [name, one] of Object.entries(mapOf(value))) put(map, name, rewriteOne(one, stepInto(at, name), rewrite));
      plain[keyword] = isFields(value) ? map : value;
    }
  }
  return plain;
}

function noteDropped(pass: Pass, keyword: string, value: unknown): void {
  const note = (lossy: boolean, text: string): void => pass.note(keyword, 'dropped', lossy, text);
  if (WIDENING.has(keyword)) note(true, `\`${keyword}\` has no equivalent in the subset`);
  else if (DEFINING.has(keyword)) note(false, 'each reference is replaced by its definition');
  else if (!FORBIDDEN.has(keyword)) note(false, 'does not constrain values');
  else if (keyword !== '$ref' && !Array.isArray(value)) note(false, 'is not a list of schemas');
  else if (keyword === '$ref' && typeof value !== 'string') note(false, 'is not a string');
}

/** A list in the place of a schema is not kept, because it may contain constructs that must not be sent. */
function rewriteOne(value: unknown, pointer: string, rewrite: RewriteChild): unknown {
  return isSubschema(value) ? rewrite(value, pointer) : Array.isArray(value) ? true : value;
}

/** Before draft 2020-12, `items` with a list had the meaning of `prefixItems`. */
function isRare([keyword, value]: readonly [string, unknown]): boolean {
  return RARE.has(keyword) || (keyword === 'items' && Array.isArray(value));
}

/** The schema without the keywords that merges do not support. */
function withoutRare(pass: Pass, schema: FlatSchema): MutableSchema & FlatSchema {
  const common: MutableSchema & FlatSchema = { ...schema };
  for (const [keyword] of Object.entries(schema).filter(isRare)) {
    pass.note(keyword, 'dropped', true, `\`${keyword}\` cannot be merged`);
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
