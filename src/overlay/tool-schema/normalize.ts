import { isFields } from '../json/json-value.ts';
import { asSchema, entry, type JsonSchema, type MutableSchema, mapOf, namesOf, put } from '../json/schema.ts';
import { SchemaDocument, type SchemaPlace } from '../json/schema-document.ts';
import { withinGrowth } from './fit.ts';
import { intersect } from './intersect.ts';
import { GROWTH, type Growth, MAX_DEPTH } from './limits.ts';
import { type Flat, type FlatSchema, NULL_LOST, ORIGIN, Pass, type SchemaRewrite } from './pass.ts';
import { plainKeywords } from './plain.ts';
import { withHint } from './text.ts';
import { collapse } from './union.ts';
import { admittedTypes, typeKeyword } from './values.ts';

/**
 * Rewrites a schema to one without `anyOf`, `oneOf`, `allOf`, `$ref` and definitions, as close to its meaning as possible. The result
 * accepts every value that the original accepts, except for `null` where a union had a `null` branch. It has marks beside its keywords, which
 * JSON does not contain. The schema must be a copy that nobody changes. `rewrites` receives the report.
 */
export function normalizeToolSchema(schema: JsonSchema, growth: Growth = GROWTH, rewrites?: SchemaRewrite[]): JsonSchema {
  const pass = new Pass(rewrites);
  const result = new Rewriter(pass, schema).rewrite({ schema, pointer: '' }, 0);
  return withinGrowth(pass, isFields(result) ? result : objectFor(pass, result), schema, growth);
}

/** Replaces a boolean result, because the root must be an object. */
function objectFor(pass: Pass, result: boolean): JsonSchema {
  if (result) return {};
  pass.note('allOf', 'widened', true, 'no value can match this schema: any object is accepted', '');
  return { type: 'object' };
}

class Rewriter {
  readonly #pass: Pass;
  readonly #document: SchemaDocument;
  /** What became of each schema, and the levels below it. A reference shares the result of its target. */
  readonly #known = new Map<object, { readonly result: Flat; readonly height: number }>();
  /** Schemas being rewritten. */
  readonly #open = new Set<object>();
  /** The deepest level reached below the schema that is being rewritten. */
  #deepest = 0;

  constructor(pass: Pass, root: JsonSchema) {
    this.#pass = pass;
    this.#document = new SchemaDocument(root, admittedTypes);
  }

  /** Rewrites a schema, once. A schema inside itself, and one that would be too deep, is cut. */
  rewrite({ schema, pointer }: SchemaPlace, depth: number): Flat {
    if (!isFields(schema)) return schema;
    if (this.#open.has(schema)) return this.#cut(schema, pointer, '$ref', 'the schema contains itself');
    let known = this.#known.get(schema);
    if (depth + (known?.height ?? 0) > MAX_DEPTH) return this.#cut(schema, pointer, '', 'nested too deeply');
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
  #merge(schema: JsonSchema, pointer: string, depth: number): Flat {
    const pass = this.#pass;
    const child = (value: unknown, at: string): Flat => this.rewrite({ schema: asSchema(value), pointer: at }, depth + 1);
    const branches = (keyword: string, list: readonly unknown[]): Flat[] => list.map((one, index) => child(one, `${pointer}/${keyword}/${index}`));
    let result: Flat = plainKeywords(pass, schema, pointer, child);
    const { $ref, allOf } = schema;
    if (typeof $ref === 'string') {
      const target = this.#document.resolve(schema);
      if (target === undefined) pass.note('$ref', 'dropped', true, `${JSON.stringify($ref)} is not the address of a schema in this document`);
      else {
        pass.note('$ref', 'inlined', false, `${$ref} is replaced by its target`);
        result = intersect(pass, result, this.rewrite(target, depth + 1));
      }
    }
    if (Array.isArray(allOf)) {
      pass.note('allOf', 'merged', false, `merged ${allOf.length} schemas into one`);
      for (const branch of branches('allOf', allOf)) result = intersect(pass, result, branch);
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const list = schema[keyword];
      if (Array.isArray(list)) result = collapse(pass, result, keyword, branches(keyword, list));
    }
    return typeof result === 'boolean' ? result : withNullInWords(result);
  }

  #cut(schema: JsonSchema, pointer: string, keyword: string, reason: string): Flat {
    this.#pass.note(keyword, 'cut', true, `${reason}: its type and description are kept`, pointer);
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
