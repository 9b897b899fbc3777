import { stepInto } from '../json/pointer.ts';
import { isSubschema, type JsonSchema, type MutableSchema, mapOf, put, type Subschema } from './json-schema.ts';
import { KEYWORDS, type Keyword } from './keywords.ts';
import type { Pass } from './pass.ts';
import { insideSubset } from './scan.ts';
import { declaredTypes, typeKeyword } from './types.ts';
import { equalData } from './values.ts';

/** Rewrites the schema at this pointer. */
type RewriteChild = (child: unknown, pointer: string) => Subschema;

/**
 * The keywords of a schema that exist in the subset, with their schemas rewritten. Returns the same object if none changes. Of the others,
 * the caller merges some; the rest is dropped.
 */
export function plainKeywords(pass: Pass, given: JsonSchema, pointer: string, rewrite: RewriteChild): JsonSchema {
  const rare = Object.entries(given).filter(isRare);
  const schema = rare.length === 0 || insideSubset(Object.fromEntries(rare), 'dropped') ? given : withoutRare(pass, given);
  const plain: MutableSchema = {};
  let changed = schema !== given;
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = KEYWORDS.get(keyword);
    const at = `${pointer}/${keyword}`;
    if (kind?.dropped) noteDropped(pass, keyword, kind, value);
    else if (keyword === 'enum' && Object.hasOwn(schema, 'const')) {
      const lossy = !Array.isArray(value) || !value.some((one) => equalData(one, schema['const']));
      pass.note('enum', 'dropped', lossy, '`const` is the only value');
    } else if (kind === undefined || isRare([keyword, value])) put(plain, keyword, value);
    else plain[keyword] = kind.map ? rewriteMap(value, at, rewrite) : rewriteOne(value, at, rewrite);
    changed ||= plain[keyword] !== value || kind?.dropped === true;
  }
  return changed ? plain : given;
}

function noteDropped(pass: Pass, keyword: string, kind: Keyword, value: unknown): void {
  const note = (lossy: boolean, text: string): void => pass.note(keyword, 'dropped', lossy, text);
  if (kind.widens) note(true, `\`${keyword}\` has no equivalent in the subset`);
  else if (kind.map) note(false, 'each reference is replaced by its definition');
  else if (!kind.forbidden) note(false, 'does not constrain values');
  else if (kind.list && !Array.isArray(value)) note(false, 'is not a list of schemas');
  else if (!kind.list && typeof value !== 'string') note(false, 'is not a string');
}

function rewriteMap(value: unknown, pointer: string, rewrite: RewriteChild): unknown {
  const map = mapOf(value);
  const rewritten: MutableSchema = {};
  let changed = false;
  for (const name of Object.keys(map)) {
    const kept = rewriteOne(map[name], stepInto(pointer, name), rewrite);
    changed ||= kept !== map[name];
    put(rewritten, name, kept);
  }
  return changed ? rewritten : value;
}

/** A list in the place of a schema is not kept, because it may contain constructs that must not be sent. */
function rewriteOne(value: unknown, pointer: string, rewrite: RewriteChild): unknown {
  return isSubschema(value) ? rewrite(value, pointer) : Array.isArray(value) ? true : value;
}

/** Before draft 2020-12, `items` with a list had the meaning of `prefixItems`. */
function isRare([keyword, value]: readonly [string, unknown]): boolean {
  return KEYWORDS.get(keyword)?.rare === true || (keyword === 'items' && Array.isArray(value));
}

/** The schema without the keywords that merges do not support. */
function withoutRare(pass: Pass, schema: JsonSchema): JsonSchema {
  const rare = Object.entries(schema).filter(isRare);
  if (rare.length === 0) return schema;
  const common: MutableSchema = { ...schema };
  for (const [keyword] of rare) {
    pass.note(keyword, 'dropped', true, `\`${keyword}\` cannot be merged`);
    delete common[keyword];
    // Without the patterns or positions, the keyword for the other members would apply to all members.
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
