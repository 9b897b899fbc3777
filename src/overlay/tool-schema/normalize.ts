import { collapse } from './collapse.ts';
import { Cutter } from './cut.ts';
import { intersect } from './intersect.ts';
import { asSchema, entry, isObject, type JsonSchema, type MutableSchema, mapOf, namesOf, put, type Subschema } from './json-schema.ts';
import { GROWTH, type Growth, MAX_DEPTH, MAX_EXPANSIONS } from './limits.ts';
import { appliesBeside, ownKeywords } from './own-keywords.ts';
import { Pass, type SchemaRewrite } from './pass.ts';
import type { Located } from './resolve.ts';
import { insideSubset } from './scan.ts';
import { atMost, exactly, Sizes } from './size.ts';
import { withHint } from './text.ts';
import { Writer } from './trim.ts';
import { evaluatedProperties } from './unevaluated.ts';

/**
 * Rewrites a schema without `anyOf`, `oneOf`, `allOf`, `$ref` and `$defs`, as close to its meaning as possible. The result accepts
 * every value that the original accepts, except for `null` where a union had a `null` branch. Returns the same object if the
 * schema has none of the five. Never modifies the given schema.
 */
export function normalizeToolSchema(schema: JsonSchema, growth: Growth = GROWTH): JsonSchema {
  return rewrite(schema, undefined, growth);
}

/** Lists the rewrites that `normalizeToolSchema` applies to the schema, in order. Returns an empty list if there are none. */
export function explain(schema: JsonSchema, growth: Growth = GROWTH): SchemaRewrite[] {
  const rewrites: SchemaRewrite[] = [];
  rewrite(schema, rewrites, growth);
  return rewrites;
}

function rewrite(schema: JsonSchema, rewrites: SchemaRewrite[] | undefined, growth: Growth): JsonSchema {
  if (!isObject(schema) || insideSubset(schema)) return schema;
  const pass = new Pass(schema, rewrites);
  const normalizer = new Normalizer(pass);
  const result = normalizer.schema(pass.references.root, 0);
  const plain = isObject(result) ? result : refusal(pass, result);
  if (new Sizes(atMost).whole(plain) <= growth.always) return plain;
  const sizes = new Sizes(exactly);
  const bytes = sizes.whole(plain);
  if (bytes <= growth.always) return plain;
  const limit = Math.max(growth.always, growth.factor * sizes.input(schema));
  return new Writer(pass, sizes, normalizer.origins(), bytes <= limit ? Number.POSITIVE_INFINITY : limit).write(plain);
}

/** Replaces a boolean result, because the root must be an object. */
function refusal(pass: Pass, result: boolean): JsonSchema {
  if (result) return {};
  pass.note('allOf', 'widened', true, 'no value can match this schema: any object is accepted', '');
  return { type: 'object' };
}

interface Expansion {
  readonly located: Located;
  readonly result: Subschema;
  /** Levels below. */
  readonly height: number;
  /** Whether the result is independent of the position of the schema. */
  readonly complete: boolean;
  readonly count: number;
  /** The expansion at another position. */
  readonly earlier: Expansion | undefined;
}

class Normalizer {
  readonly #pass: Pass;
  readonly #cutter: Cutter;
  readonly #expansions = new Map<object, Expansion>();
  /** Schemas being rewritten, with their index in the chain. */
  readonly #open = new Map<object, number>();
  /** The deepest level reached since the last reset. */
  #deepest = 0;
  /** The outermost open schema that the result depends on, since the last reset. */
  #outermost = Number.POSITIVE_INFINITY;

  constructor(pass: Pass) {
    this.#pass = pass;
    this.#cutter = new Cutter(pass.references);
  }

  /** The input of each result. A reference has the result of its target, whose input comes first. */
  origins(): ReadonlyMap<object, Located> {
    const origins = new Map<object, Located>();
    for (const last of this.#expansions.values()) {
      for (let one: Expansion | undefined = last; one !== undefined; one = one.earlier) {
        if (isObject(one.result) && !origins.has(one.result)) origins.set(one.result, one.located);
      }
    }
    return origins;
  }

  schema(located: Located, depth: number): Subschema {
    const { schema } = located;
    if (!isObject(schema)) return schema;
    const place = this.#open.get(schema);
    if (place !== undefined) {
      this.#outermost = Math.min(this.#outermost, place);
      return this.#cut(located, '$ref', 'the schema contains itself: its type and description are kept');
    }
    const known = this.#expansions.get(schema);
    if (known !== undefined && (known.complete || known.count >= MAX_EXPANSIONS) && depth + known.height <= MAX_DEPTH) {
      this.#deepest = Math.max(this.#deepest, depth + known.height);
      return known.result;
    }
    if (depth > MAX_DEPTH || (known !== undefined && known.count >= MAX_EXPANSIONS)) {
      this.#outermost = -1;
      return this.#cut(located, '', 'nested too deeply: its type and description are kept');
    }
    return this.#expand(located, schema, depth, known);
  }

  #expand(located: Located, schema: JsonSchema, depth: number, earlier: Expansion | undefined): Subschema {
    const place = this.#open.size;
    const [deepest, outermost] = [this.#deepest, this.#outermost];
    const { pointer, depth: outerDepth } = this.#pass;
    this.#deepest = depth;
    this.#outermost = Number.POSITIVE_INFINITY;
    this.#open.set(schema, place);
    const result = this.#rewrite(located, schema, depth);
    this.#open.delete(schema);
    this.#pass.pointer = pointer;
    this.#pass.depth = outerDepth;
    const complete = this.#outermost >= place;
    this.#expansions.set(schema, { located, result, height: this.#deepest - depth, complete, count: (earlier?.count ?? 0) + 1, earlier });
    this.#deepest = Math.max(deepest, this.#deepest);
    this.#outermost = Math.min(outermost, complete ? Number.POSITIVE_INFINITY : this.#outermost);
    return result;
  }

  #rewrite(located: Located, schema: JsonSchema, depth: number): Subschema {
    const pass = this.#pass;
    pass.pointer = located.pointer;
    pass.depth = depth;
    const own = ownKeywords(pass, schema, located.pointer, (child, pointer) => this.#child(located, pointer, child, depth));
    if (own === undefined) return schema;
    let result: Subschema = own;
    const { $ref, allOf } = schema;
    if (typeof $ref === 'string') {
      const target = pass.references.resolve($ref, located.resource);
      if (target === undefined) pass.note('$ref', 'dropped', true, `${JSON.stringify($ref)} is not the address of a schema in this document`);
      else {
        pass.note('$ref', 'inlined', false, `${$ref} is replaced by its target`);
        result = intersect(pass, result, this.schema(target, depth + 1));
      }
    }
    if (Array.isArray(allOf)) {
      pass.note('allOf', 'merged', false, `merged ${allOf.length} schemas into one`);
      for (const branch of this.#branches(located, 'allOf', allOf, depth)) result = intersect(pass, result, branch);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = schema[keyword];
      if (!Array.isArray(branches)) continue;
      result = collapse(pass, result, keyword, this.#branches(located, keyword, branches, depth));
    }
    return this.#withNullInWords(this.#closed(located, schema, depth, result));
  }

  /** An optional property can be absent instead of null. A required one cannot, so its description has to mention null. */
  #withNullInWords(schema: Subschema): Subschema {
    if (this.#pass.nullLost.size === 0 || !isObject(schema)) return schema;
    const properties: MutableSchema = { ...mapOf(schema['properties']) };
    const lost = namesOf(schema['required']).filter((name) => this.#pass.nullLost.has(entry(properties, name) as object));
    for (const name of lost) {
      const property = properties[name] as JsonSchema;
      put(properties, name, this.#pass.derive(property, { description: withHint(property['description'], 'null is allowed') }));
    }
    return lost.length === 0 ? schema : this.#pass.derive(schema, { properties });
  }

  /** Converts `unevaluatedProperties` once every schema that can evaluate a property is merged. */
  #closed(located: Located, schema: JsonSchema, depth: number, result: Subschema): Subschema {
    const pass = this.#pass;
    const { unevaluatedProperties, additionalProperties, unevaluatedItems } = schema;
    if (!appliesBeside(schema)) return result;
    if (unevaluatedItems !== undefined) pass.note('unevaluatedItems', 'dropped', true, 'the evaluated items cannot be determined after merging');
    if (unevaluatedProperties === undefined || additionalProperties !== undefined) return result;
    const properties = pass.exhausted ? undefined : evaluatedProperties(pass, located);
    if (properties === undefined) {
      pass.note('unevaluatedProperties', 'dropped', true, 'the evaluated properties cannot be determined');
      return result;
    }
    pass.note('unevaluatedProperties', 'converted', true, 'properties that may be evaluated are listed, all others count as additional');
    const rest = this.#child(located, `${located.pointer}/unevaluatedProperties`, unevaluatedProperties, depth);
    return intersect(pass, result, { properties, additionalProperties: rest });
  }

  #branches(located: Located, keyword: string, branches: readonly unknown[], depth: number): Subschema[] {
    return branches.map((branch, index) => this.#child(located, `${located.pointer}/${keyword}/${index}`, branch, depth));
  }

  #child(located: Located, pointer: string, child: unknown, depth: number): Subschema {
    return this.schema(this.#pass.references.locate(asSchema(child), pointer, located.resource), depth + 1);
  }

  #cut(located: Located, keyword: string, reason: string): Subschema {
    this.#pass.note(keyword, 'cut', true, reason, located.pointer);
    return this.#cutter.cut(located);
  }
}
