import { isSubschema, type JsonSchema, type MutableSchema, mapOf, put, type Subschema } from './json-schema.ts';
import { KEYWORDS, type Keyword } from './keywords.ts';
import type { Pass } from './pass.ts';
import { stepInto } from './pointer.ts';
import { isRare, withoutRare } from './rare.ts';
import { insideSubset } from './scan.ts';
import { equalData } from './values.ts';

/** Rewrites the schema at this pointer. */
export type RewriteChild = (child: unknown, pointer: string) => Subschema;

/**
 * The keywords of a schema that exist in the subset, with their schemas rewritten. Returns the same object if none changes. Of the others,
 * the caller merges some; the rest is dropped.
 */
export function plainKeywords(pass: Pass, given: JsonSchema, pointer: string, rewrite: RewriteChild): JsonSchema {
  const schema = insideSubset(Object.fromEntries(Object.entries(given).filter(isRare))) ? given : withoutRare(pass, given);
  const plain: MutableSchema = {};
  let changed = schema !== given;
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = KEYWORDS.get(keyword);
    let kept = value;
    if (keyword === 'enum' && Object.hasOwn(schema, 'const')) {
      kept = undefined;
      pass.note('enum', 'dropped', !namesOnly(value, schema['const']), '`const` is the only value');
    } else if (kind?.dropped) {
      kept = undefined;
      noteDropped(pass, keyword, kind, value);
    } else if (kind !== undefined && !isRare([keyword, value])) {
      const at = `${pointer}/${keyword}`;
      kept = kind.map ? rewriteMap(value, at, rewrite) : rewriteOne(value, at, rewrite);
    }
    if (kept !== undefined) put(plain, keyword, kept);
    changed ||= kept !== value;
  }
  return changed ? plain : given;
}

function namesOnly(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.some((one) => equalData(one, value) === true);
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
