import { isFields } from '../json/json-value.ts';
import { stepInto } from '../json/pointer.ts';
import { ANY, asSchema, declaredTypes, entry, isSubschema, type JsonSchema, type MutableSchema, mapOf, NULL, namesOf, put } from '../json/schema.ts';
import { FORMS, SchemaDocument, type SchemaPlace } from '../json/schema-document.ts';
import { GROWTH, type Growth, withinGrowth } from './growth.ts';
import { intersect } from './intersect.ts';
import { DEFINING, DROPPED, FORBIDDEN, isRare, WIDENING, withoutRare } from './keywords.ts';
import { type FlatSchema, type FlatValue, IMPOSSIBLE, isImpossible, NULL_LOST, ORIGIN, Pass, type SchemaRewrite } from './pass.ts';
import { insideSubset } from './schema-text.ts';
import { withHint } from './text.ts';
import { union } from './union.ts';
import { admittedTypes, equalData, typeKeyword } from './values.ts';

/** Schemas nested or referenced deeper than this are cut to their type and description. Real tools stay below 20 levels. */
const MAX_DEPTH = 100;

/**
 * Rewrites a schema to one without `anyOf`, `oneOf`, `allOf`, `$ref` and definitions, as close to its meaning as possible. The result
 * accepts every value that the original accepts, except for `null` where a union had a `null` branch. It has marks in addition to its keywords, which
 * JSON does not contain. No one may change the given schema afterwards: pass a copy. `rewrites` receives the report.
 */
export function normalizeToolSchema(schema: JsonSchema, growth: Growth = GROWTH, rewrites?: SchemaRewrite[]): JsonSchema {
  const pass = new Pass(rewrites);
  const result = new Rewriter(pass, schema).rewrite({ schema, pointer: '' }, 0);
  return withinGrowth(pass, isFields(result) ? result : objectFor(pass, result), schema, growth);
}

/** Replaces a boolean result, because the root must be an object. */
function objectFor(pass: Pass, result: boolean): JsonSchema {
  if (result) return {};
  pass.note('widened', '');
  return { type: 'object' };
}

class Rewriter {
  readonly #pass: Pass;
  readonly #document: SchemaDocument;
  /** The result of each schema, and the number of levels below it. A reference shares the result of its target. */
  readonly #known = new Map<object, { readonly result: FlatValue; readonly height: number }>();
  /** Schemas being rewritten. */
  readonly #open = new Set<object>();
  /** The deepest level reached below the schema that is being rewritten. */
  #deepest = 0;

  constructor(pass: Pass, root: JsonSchema) {
    this.#pass = pass;
    this.#document = new SchemaDocument(root, admittedTypes);
  }

  /** Rewrites a schema, once. A schema inside itself, and one that would be too deep, is cut. */
  rewrite({ schema, pointer }: SchemaPlace, depth: number): FlatValue {
    if (!isFields(schema)) return schema;
    if (this.#open.has(schema)) return this.#cut(schema, pointer);
    let known = this.#known.get(schema);
    if (depth + (known?.height ?? 0) > MAX_DEPTH) return this.#cut(schema, pointer);
    if (known === undefined) {
      const [outer, deepest] = [this.#pass.pointer, this.#deepest];
      this.#deepest = depth;
      this.#pass.pointer = pointer;
      this.#open.add(schema);
      const result = this.#merge(schema, pointer, depth);
      this.#open.delete(schema);
      this.#pass.pointer = outer;
      if (isFields(result)) (result as FlatSchema)[ORIGIN] ??= pointer;
      known = { result, height: this.#deepest - depth };
      this.#known.set(schema, known);
      this.#deepest = deepest;
    }
    this.#deepest = Math.max(this.#deepest, depth + known.height);
    return known.result;
  }

  /** The keywords of the schema itself, merged with its reference, then with its `allOf`, then with its unions. */
  #merge(schema: JsonSchema, pointer: string, depth: number): FlatValue {
    const pass = this.#pass;
    const child = (value: unknown, at: string): FlatValue => this.rewrite({ schema: asSchema(value), pointer: at }, depth + 1);
    const branches = (keyword: string, list: readonly unknown[]): FlatValue[] =>
      list.map((one, index) => child(one, `${pointer}/${keyword}/${index}`));
    let result: FlatValue = plainKeywords(pass, schema, pointer, child);
    const { $ref, allOf } = schema;
    if (typeof $ref === 'string') {
      const target = this.#document.resolve(schema);
      // Not the address of a schema in this document.
      if (target === undefined) pass.note('dropped');
      else {
        pass.note('inlined');
        result = intersect(pass, result, this.rewrite(target, depth + 1));
      }
    }
    if (Array.isArray(allOf)) {
      pass.note('merged');
      for (const branch of branches('allOf', allOf)) result = intersect(pass, result, branch);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const list = schema[keyword];
      if (Array.isArray(list)) result = collapse(pass, result, keyword, branches(keyword, list));
    }
    return typeof result === 'boolean' ? result : withNullInWords(result);
  }

  #cut(schema: JsonSchema, pointer: string): FlatValue {
    this.#pass.note('cut', pointer);
    const types = this.#document.types(schema);
    let at: unknown = schema;
    // A reference without a description takes the description of its target.
    for (let hops = 0; hops < 8 && isFields(at) && typeof at['description'] !== 'string'; hops++) at = this.#document.resolve(at)?.schema;
    const description = isFields(at) ? at['description'] : undefined;
    return { ...(types !== 0 && typeKeyword(types)), ...(typeof description === 'string' && { description }) };
  }
}

/** An optional property can be absent instead of null. A required one cannot, so its description has to mention null. */
function withNullInWords(schema: FlatSchema): FlatSchema {
  const listed = mapOf(schema['properties']);
  const lost = namesOf(schema['required']).filter((name) => (entry(listed, name) as FlatSchema | undefined)?.[NULL_LOST] === true);
  if (lost.length === 0) return schema;
  const properties: MutableSchema = { ...listed };
  for (const name of lost) {
    const property = entry(listed, name) as FlatSchema;
    put(properties, name, { ...property, description: withHint(property['description'], 'null is allowed'), [NULL_LOST]: false });
  }
  return { ...schema, properties };
}

/** Rewrites the schema at this pointer. */
type RewriteChild = (child: unknown, pointer: string) => FlatValue;

/** The keywords of a schema that exist in the subset, with their schemas rewritten. Of the others, the caller merges some; the rest is dropped. */
function plainKeywords(pass: Pass, given: JsonSchema, pointer: string, rewrite: RewriteChild): FlatSchema {
  const rare = Object.entries(given).filter(isRare);
  const schema = rare.length === 0 || insideSubset(Object.fromEntries(rare), DROPPED) ? given : withoutRare(pass, given);
  const plain: MutableSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    const [form, at] = [FORMS.get(keyword), `${pointer}/${keyword}`];
    if (DROPPED.has(keyword)) noteDropped(pass, keyword, value);
    else if (keyword === 'enum' && Object.hasOwn(schema, 'const')) {
      const lossy = !Array.isArray(value) || !value.some((one) => equalData(one, schema['const']));
      pass.note(lossy ? 'dropped' : 'left-out');
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
  if (WIDENING.has(keyword)) pass.note('dropped');
  else if (!FORBIDDEN.has(keyword) || DEFINING.has(keyword) || (keyword === '$ref' ? typeof value !== 'string' : !Array.isArray(value)))
    pass.note('left-out');
}

/** A list in the place of a schema is not kept, because it may contain constructs that must not be sent. */
function rewriteOne(value: unknown, pointer: string, rewrite: RewriteChild): unknown {
  return isSubschema(value) ? rewrite(value, pointer) : Array.isArray(value) ? true : value;
}

/** Merges `base` with its `anyOf` or `oneOf` into one schema. The branches must be plain. */
function collapse(pass: Pass, base: FlatValue, keyword: 'anyOf' | 'oneOf', branches: readonly FlatValue[]): FlatValue {
  if (branches.length === 0) {
    pass.note('left-out');
    return base;
  }
  const types = isFields(base) ? declaredTypes(base) : ANY;
  const possible = branches.flatMap((original, index) => {
    const [branch, pointer] = [restrict(original, types), `${pass.pointer}/${keyword}/${index}`];
    // Judge a null branch by its own types: the surrounding schema may narrow other branches to null.
    if (branch !== undefined) return [{ branch, pointer, isNull: isFields(original) && admittedTypes(original) === NULL }];
    pass.note('left-out', pointer);
    return [];
  });
  if (possible.length === 0) {
    pass.note('widened');
    return isFields(base) ? { ...base, [IMPOSSIBLE]: true } : false;
  }
  const proper = possible.filter(({ isNull }) => !isNull);
  const nulls = proper.length === 0 ? [] : possible.filter(({ isNull }) => isNull);
  const used = (proper.length === 0 ? possible : proper).map(({ branch }) => branch);
  const stillNull = used.some((branch) => !isFields(branch) || (admittedTypes(branch) & NULL) !== 0);
  // `oneOf` refuses a null that two branches accept.
  for (const { pointer } of nulls) pass.note(stillNull ? (keyword === 'oneOf' ? 'widened' : 'left-out') : 'null-collapsed', pointer);
  pass.note(used.length === 1 ? 'inlined' : 'merged');
  const branch = union(pass, used, keyword === 'oneOf');
  return intersect(pass, base, nulls.length > 0 && !stillNull && isFields(branch) ? { ...branch, [NULL_LOST]: true } : branch);
}

/** The branch limited to these types, or `undefined` if it accepts none of them. A branch without a type inherits the types of its parent. */
function restrict(branch: FlatValue, types: number): FlatValue | undefined {
  if (isImpossible(branch)) return undefined;
  const schema: FlatSchema = isFields(branch) ? branch : {};
  if ((admittedTypes(schema) & types) === 0) return undefined;
  const declared = declaredTypes(schema);
  const both = declared & types;
  if (both === declared) return branch;
  const { nullable: _nullable, type: _type, ...others } = schema;
  return { ...typeKeyword(both), ...others };
}
