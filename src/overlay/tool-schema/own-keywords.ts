import { asSchema, isObject, isSubschema, isTrivial, type JsonSchema, type MutableSchema, namesOf, put, type Subschema } from './json-schema.ts';
import { KEYWORDS, type KeywordKind } from './keywords.ts';
import type { Pass } from './pass.ts';
import { stepInto } from './pointer.ts';

/** Rewrites the schema that stands at this pointer. */
export type RewriteChild = (child: Subschema, pointer: string) => Subschema;

/** The schema's keywords without those that have no plain form, their schemas rewritten; `undefined` when nothing changes. */
export function ownKeywords(pass: Pass, schema: JsonSchema, pointer: string, rewrite: RewriteChild): MutableSchema | undefined {
  if (!holdsSchemas(schema)) return undefined;
  const own: MutableSchema = {};
  let changed = false;
  const beside = appliesBeside(schema);
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    const kind = KEYWORDS.get(keyword);
    if (kind === undefined) {
      put(own, keyword, value);
      continue;
    }
    if (isDropped(kind) || (beside && UNEVALUATED.has(keyword))) {
      noteDropped(pass, schema, keyword, kind);
      changed = true;
      continue;
    }
    const kept = rewriteValue(value, kind, `${pointer}/${keyword}`, rewrite);
    changed ||= kept !== value;
    if (kept !== undefined) own[keyword] = kept;
  }
  changed = convertTuple(pass, own) || changed;
  if (own['contains'] !== schema['contains']) {
    for (const keyword of ['maxContains', 'unevaluatedItems']) {
      if (own[keyword] === undefined) continue;
      pass.note(keyword, 'dropped', true, 'the rewritten `contains` may match more items');
      delete own[keyword];
    }
  }
  return changed ? own : undefined;
}

function holdsSchemas(schema: JsonSchema): boolean {
  for (const keyword in schema) if (KEYWORDS.has(keyword)) return true;
  return false;
}

const UNEVALUATED: ReadonlySet<string> = new Set(['unevaluatedProperties', 'unevaluatedItems']);

const BESIDE = ['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'];

/** Whether other schemas apply to the same value, whose findings `unevaluated…` depends on. */
export function appliesBeside(schema: JsonSchema): boolean {
  return BESIDE.some((keyword) => Object.hasOwn(schema, keyword));
}

function isDropped(kind: KeywordKind): boolean {
  return kind === 'combinator' || kind === 'reference' || kind === 'definitions' || kind === 'conditional' || kind === 'dynamic' || kind === 'meta';
}

function noteDropped(pass: Pass, schema: JsonSchema, keyword: string, kind: KeywordKind): void {
  if (kind === 'conditional') {
    const effective = keyword === 'not' || (schema['if'] !== undefined && (schema['then'] !== undefined || schema['else'] !== undefined));
    pass.note(keyword, 'dropped', effective, `\`${keyword}\` has no plain form`);
  } else if (kind === 'dynamic') pass.note(keyword, 'dropped', true, 'dynamic references have no plain form');
  else if (kind === 'definitions') pass.note(keyword, 'dropped', false, 'definitions are written out where they are used');
  else if (kind === 'meta') pass.note(keyword, 'dropped', false, 'says nothing about values');
  else if (kind === 'combinator' && !Array.isArray(schema[keyword])) pass.note(keyword, 'dropped', false, 'is no list of schemas');
  else if (kind === 'reference' && typeof schema[keyword] !== 'string') pass.note(keyword, 'dropped', false, 'is no reference');
}

function rewriteValue(value: unknown, kind: KeywordKind, pointer: string, rewrite: RewriteChild): unknown {
  if (Array.isArray(value)) {
    if (kind === 'list' || kind === 'items') return rewriteList(value, pointer, rewrite);
    return kind === 'schema' ? true : value;
  }
  if (kind === 'map' || kind === 'dependencies') return isObject(value) ? rewriteMap(value, pointer, rewrite) : value;
  if (kind === 'list') return undefined;
  return isSubschema(value) ? rewrite(value, pointer) : value;
}

function rewriteList(list: readonly unknown[], pointer: string, rewrite: RewriteChild): readonly unknown[] {
  const rewritten = list.map((child, index) => rewrite(asSchema(child), `${pointer}/${index}`));
  return rewritten.every((child, index) => child === list[index]) ? list : rewritten;
}

function rewriteMap(map: JsonSchema, pointer: string, rewrite: RewriteChild): JsonSchema {
  const rewritten: MutableSchema = {};
  let changed = false;
  for (const name of Object.keys(map)) {
    const child = map[name];
    const kept = isSubschema(child) ? rewrite(child, stepInto(pointer, name)) : misplaced(child, pointer);
    changed ||= kept !== child;
    put(rewritten, name, kept);
  }
  return changed ? rewritten : map;
}

/** No schema stands here. What else there is cannot be read, and lists could hide what must not be sent. */
function misplaced(child: unknown, pointer: string): unknown {
  if (!Array.isArray(child)) return child;
  if (!pointer.endsWith('/dependencies')) return true;
  return child.every((name) => typeof name === 'string') ? child : namesOf(child);
}

/**
 * Before 2020-12 a list in `items` stood for positions and `additionalItems` for the rest. The result reads the same to
 * those who know the old form only: to them `items` beside `prefixItems` would be about every item.
 */
function convertTuple(pass: Pass, own: MutableSchema): boolean {
  const { items, additionalItems, maxItems } = own;
  if (!Array.isArray(items) && additionalItems === undefined) return false;
  delete own['additionalItems'];
  if (!Array.isArray(items)) return true;
  delete own['items'];
  if (items.length > 0) own['prefixItems'] ??= items;
  pass.note('items', 'converted', false, 'positions are listed in `prefixItems`');
  if (additionalItems === false) own['maxItems'] = typeof maxItems === 'number' ? Math.min(maxItems, items.length) : items.length;
  else if (additionalItems !== undefined && !isTrivial(asSchema(additionalItems))) {
    pass.note('additionalItems', 'dropped', true, 'items after those in the list are no longer described');
  }
  return true;
}
