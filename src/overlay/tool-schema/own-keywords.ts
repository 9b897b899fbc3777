import { asSchema, isObject, isSubschema, isTrivial, type JsonSchema, type MutableSchema, namesOf, put, type Subschema } from './json-schema.ts';
import { KEYWORDS, type Keyword } from './keywords.ts';
import type { Pass } from './pass.ts';
import { stepInto } from './pointer.ts';

/** Rewrites the schema at this pointer. */
export type RewriteChild = (child: Subschema, pointer: string) => Subschema;

/** The keywords of a schema that exist in the subset, with their schemas rewritten. Returns `undefined` if none changes. */
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
    if (kind.dropped || (beside && UNEVALUATED.has(keyword))) {
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

/** Whether `unevaluated…` depends on other schemas that apply to the same value. */
export function appliesBeside(schema: JsonSchema): boolean {
  return BESIDE.some((keyword) => Object.hasOwn(schema, keyword));
}

function noteDropped(pass: Pass, schema: JsonSchema, keyword: string, kind: Keyword): void {
  const note = (lossy: boolean, text: string): void => pass.note(keyword, 'dropped', lossy, text);
  if (kind.schema) {
    const effective = keyword === 'not' || (schema['if'] !== undefined && (schema['then'] !== undefined || schema['else'] !== undefined));
    if (kind.dropped) note(effective, `\`${keyword}\` has no equivalent in the subset`);
  } else if (keyword.endsWith('Ref')) note(true, 'dynamic references have no equivalent in the subset');
  else if (kind.map) note(false, 'each reference is replaced by its definition');
  else if (!kind.forbidden) note(false, 'does not constrain values');
  else if (kind.list && !Array.isArray(schema[keyword])) note(false, 'is not a list of schemas');
  else if (!kind.list && typeof schema[keyword] !== 'string') note(false, 'is not a string');
}

function rewriteValue(value: unknown, kind: Keyword, pointer: string, rewrite: RewriteChild): unknown {
  if (Array.isArray(value)) {
    if (kind.list) return rewriteList(value, pointer, rewrite);
    return kind.schema ? true : value;
  }
  if (kind.map) return isObject(value) ? rewriteMap(value, pointer, rewrite) : value;
  if (!kind.schema) return undefined;
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

/** Replaces a value that is not a schema. Lists are not kept, because they may contain constructs that must not be sent. */
function misplaced(child: unknown, pointer: string): unknown {
  if (!Array.isArray(child)) return child;
  if (!pointer.endsWith('/dependencies')) return true;
  return child.every((name) => typeof name === 'string') ? child : namesOf(child);
}

/**
 * Before 2020-12 a list in `items` described positions and `additionalItems` the rest. The result omits `items`, because readers
 * that support only the old form would apply `items` to every item.
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
    pass.note('additionalItems', 'dropped', true, 'items after the listed positions are no longer constrained');
  }
  return true;
}
