import { collapse } from './collapse.ts';
import { Cutter } from './cut.ts';
import { withinGrowth } from './fit.ts';
import { intersect } from './intersect.ts';
import { asSchema, entry, isObject, type JsonSchema, type MutableSchema, mapOf, namesOf, put, type Subschema } from './json-schema.ts';
import { GROWTH, type Growth, MAX_DEPTH } from './limits.ts';
import { Pass, type SchemaRewrite } from './pass.ts';
import { plainKeywords } from './plain.ts';
import type { SchemaPlace } from './resolve.ts';
import { insideSubset } from './scan.ts';
import { withHint } from './text.ts';

/**
 * Rewrites a schema to one without `anyOf`, `oneOf`, `allOf`, `$ref` and definitions, as close to its meaning as possible. The result
 * accepts every value that the original accepts, except for `null` where a union had a `null` branch. Returns the same object if the
 * schema has none of these keywords. Never modifies the given schema.
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
  return withinGrowth(pass, isObject(result) ? result : objectFor(pass, result), schema, normalizer.origins, growth);
}

/** Replaces a boolean result, because the root must be an object. */
function objectFor(pass: Pass, result: boolean): JsonSchema {
  if (result) return {};
  pass.note('allOf', 'widened', true, 'no value can match this schema: any object is accepted', '');
  return { type: 'object' };
}

interface Expansion {
  readonly result: Subschema;
  /** Levels below. */
  readonly height: number;
}

class Normalizer {
  /** Pointers of the rewritten schemas into the input. A reference shares the result of its target, and the pointer is that of the target. */
  readonly origins: Map<object, string> = new Map();
  readonly #pass: Pass;
  readonly #cutter: Cutter;
  readonly #expansions = new Map<object, Expansion>();
  /** Schemas being rewritten. */
  readonly #open = new Set<object>();
  /** The deepest level reached below the schema that is being expanded. */
  #deepest = 0;

  constructor(pass: Pass) {
    this.#pass = pass;
    this.#cutter = new Cutter(pass.references);
  }

  schema(located: SchemaPlace, depth: number): Subschema {
    const { schema } = located;
    if (!isObject(schema)) return schema;
    if (this.#open.has(schema)) return this.#cut(located, '$ref', 'the schema contains itself: its type and description are kept');
    const known = this.#expansions.get(schema);
    if (depth + (known?.height ?? 0) > MAX_DEPTH) return this.#cut(located, '', 'nested too deeply: its type and description are kept');
    const { result, height } = known ?? this.#expand(located, schema, depth);
    this.#deepest = Math.max(this.#deepest, depth + height);
    return result;
  }

  #expand(located: SchemaPlace, schema: JsonSchema, depth: number): Expansion {
    const { pointer, depth: outerDepth } = this.#pass;
    const deepest = this.#deepest;
    this.#deepest = depth;
    this.#open.add(schema);
    const result = this.#rewrite(located, schema, depth);
    this.#open.delete(schema);
    this.#pass.pointer = pointer;
    this.#pass.depth = outerDepth;
    const expansion = { result, height: this.#deepest - depth };
    this.#deepest = deepest;
    this.#expansions.set(schema, expansion);
    if (isObject(result) && !this.origins.has(result)) this.origins.set(result, located.pointer);
    return expansion;
  }

  #rewrite(located: SchemaPlace, schema: JsonSchema, depth: number): Subschema {
    const pass = this.#pass;
    pass.pointer = located.pointer;
    pass.depth = depth;
    const plain = plainKeywords(pass, schema, located.pointer, (child, pointer) => this.#child(located, pointer, child, depth));
    if (plain === schema) return schema;
    let result: Subschema = plain;
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
      if (Array.isArray(branches)) result = collapse(pass, result, keyword, this.#branches(located, keyword, branches, depth));
    }
    return this.#withNullInWords(result);
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

  #branches(located: SchemaPlace, keyword: string, branches: readonly unknown[], depth: number): Subschema[] {
    return branches.map((branch, index) => this.#child(located, `${located.pointer}/${keyword}/${index}`, branch, depth));
  }

  #child(located: SchemaPlace, pointer: string, child: unknown, depth: number): Subschema {
    return this.schema(this.#pass.references.locate(asSchema(child), pointer, located.resource), depth + 1);
  }

  #cut(located: SchemaPlace, keyword: string, reason: string): Subschema {
    this.#pass.note(keyword, 'cut', true, reason, located.pointer);
    return this.#cutter.cut(located);
  }
}
