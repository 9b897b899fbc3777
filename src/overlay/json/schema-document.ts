import { isFields } from './json-value.ts';
import { memberOf, percentDecoded, readingsOf, stepInto } from './pointer.ts';
import { ANY, branchesOf, isSubschema, type JsonSchema, mapOf, ownTypes, type Subschema } from './schema.ts';

/** A schema and its JSON pointer in the document. */
export interface SchemaPlace {
  readonly schema: Subschema;
  readonly pointer: string;
}

/** A schema that references are relative to: the root, or one with an identifier of its own. */
interface Resource {
  readonly root: SchemaPlace & { readonly schema: JsonSchema };
  readonly anchors: Map<string, SchemaPlace>;
}

/** Deeper than this, `types` no longer looks. */
const MAX_TYPE_DEPTH = 32;

/**
 * A JSON Schema with its references: what they lead to, and what applies to one value. Every question is answered in one walk over the
 * schemas, so that cycles end and shared schemas count once.
 */
export class SchemaDocument {
  readonly root: JsonSchema;
  readonly #typesOf: (schema: JsonSchema) => number;
  readonly #types = new Map<object, number>();
  #index: SchemaIndex | undefined;

  /** `typesOf` returns the types of a schema without its branches and its reference. */
  constructor(root: JsonSchema, typesOf: (schema: JsonSchema) => number = ownTypes) {
    this.root = root;
    this.#typesOf = typesOf;
  }

  /** The place that `$ref` leads to. `undefined` if the schema has none, or if the target is in another document, missing, or not a schema. */
  resolve(schema: JsonSchema): SchemaPlace | undefined {
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') return undefined;
    const [uri = '', fragment = ''] = reference.split(/#(.*)/s);
    const { outer, inner, named } = (this.#index ??= indexOf(this.root));
    const resource = uri === '' ? (inner.get(schema) ?? outer) : named.get(uri);
    if (resource === undefined || fragment === '') return resource?.root;
    if (!fragment.startsWith('/')) return resource.anchors.get(percentDecoded(fragment));
    for (const names of readingsOf(fragment)) {
      const found = names.reduce<unknown>(memberOf, resource.root.schema);
      if (isSubschema(found)) return { schema: found, pointer: names.reduce(stepInto, resource.root.pointer) };
    }
    return undefined;
  }

  /** The schema at the end of a chain of references, without the keywords next to them. `undefined` if the chain has no end, or ends outside. */
  target(schema: unknown): Subschema | undefined {
    const seen = new Set<unknown>();
    for (let at = schema; isSubschema(at) && !seen.has(at); at = this.resolve(at)?.schema) {
      if (!isFields(at) || !Object.hasOwn(at, '$ref')) return at;
      seen.add(at);
    }
    return undefined;
  }

  /** The schemas that apply to the same value as `schema`, each once: itself, its branches and its reference, and theirs. */
  *applied(schema: unknown, branches: (schema: JsonSchema) => JsonSchema[] = branchesOf): Generator<JsonSchema, void, undefined> {
    const found = new Set(isFields(schema) ? [schema] : []);
    // The loop also visits schemas added during it. The set contains each schema once, so cycles end.
    for (const one of found) {
      yield one;
      for (const branch of branches(one)) found.add(branch);
      const target = this.resolve(one)?.schema;
      if (isFields(target)) found.add(target);
    }
  }

  /** A superset of the types that `schema` accepts, with its branches and its reference. A schema that is still being visited counts as `ANY`. */
  types(schema: unknown, depth = 0): number {
    if (!isFields(schema)) return schema === false ? 0 : ANY;
    const known = this.#types.get(schema);
    if (known !== undefined || depth > MAX_TYPE_DEPTH) return known ?? ANY;
    this.#types.set(schema, ANY);
    const inside = (one: unknown): number => this.types(one, depth + 1);
    const target = this.resolve(schema);
    let types = this.#typesOf(schema) & (target === undefined ? ANY : inside(target.schema));
    const { allOf, anyOf, oneOf } = schema;
    if (Array.isArray(allOf)) for (const branch of allOf) types &= inside(branch);
    for (const branches of [anyOf, oneOf])
      if (Array.isArray(branches) && branches.length > 0) types &= branches.reduce<number>((all, branch) => all | inside(branch), 0);
    this.#types.set(schema, types);
    return types;
  }
}

interface SchemaIndex {
  readonly outer: Resource;
  /** By the identifier, as it is written. */
  readonly named: ReadonlyMap<string, Resource>;
  /** By the schemas inside a resource that is not the root. */
  readonly inner: ReadonlyMap<object, Resource>;
}

/** Visits every schema once. */
function indexOf(document: JsonSchema): SchemaIndex {
  const outer: Resource = { root: { schema: document, pointer: '' }, anchors: new Map() };
  const named = new Map<string, Resource>();
  const inner = new Map<object, Resource>();
  const around = new Map([[document, outer]]);
  const pointers = new Map([[document, '']]);
  // The loop also visits schemas added during it.
  for (const [schema, pointer] of pointers) {
    const { $id, $anchor, $dynamicAnchor } = schema;
    const [id = '', idFragment] = typeof $id === 'string' ? $id.split(/#(.*)/s) : [];
    const place = { schema, pointer };
    const resource = id === '' || schema === document ? (around.get(schema) ?? outer) : { root: place, anchors: new Map() };
    if (id !== '' && !named.has(id)) named.set(id, resource);
    if (resource !== outer) inner.set(schema, resource);
    // Before 2019-09 an anchor was written as an `$id` with a fragment.
    for (const anchor of [$anchor, $dynamicAnchor, id === '' ? idFragment : undefined])
      if (typeof anchor === 'string' && !resource.anchors.has(anchor)) resource.anchors.set(anchor, place);
    eachChild(schema, (child, keyword, name) => {
      if (!isFields(child) || pointers.has(child)) return;
      const at = `${pointer}/${keyword}`;
      pointers.set(child, name === undefined ? at : stepInto(at, name));
      around.set(child, resource);
    });
  }
  return { outer, named, inner };
}

/** The keywords with schemas, by the form of their value. Other keywords contain data. */
export const FORMS: ReadonlyMap<string, SchemaForm> = new Map(
  Object.entries({
    one: 'additionalProperties propertyNames not if then else unevaluatedItems unevaluatedProperties contains additionalItems contentSchema',
    list: 'allOf anyOf oneOf prefixItems',
    map: 'properties patternProperties dependentSchemas dependencies $defs definitions components',
    // Before draft 2020-12, `items` could be a list of schemas.
    'one or list': 'items',
  }).flatMap(([form, keywords]) => keywords.split(' ').map((keyword) => [keyword, form as SchemaForm] as const)),
);

export type SchemaForm = 'one' | 'list' | 'map' | 'one or list';

/** Calls `visit` for every schema directly below `schema`, found at `keyword` or at `keyword/name`. */
function eachChild(schema: JsonSchema, visit: (child: Subschema, keyword: string, name?: string) => void): void {
  for (const keyword in schema) {
    const form = FORMS.get(keyword);
    if (form === undefined) continue;
    const value = schema[keyword];
    if (Array.isArray(value) ? form.endsWith('list') : form === 'map') {
      const members = (Array.isArray(value) ? value : mapOf(value)) as JsonSchema;
      for (const name in members) if (isSubschema(members[name])) visit(members[name], keyword, name);
    } else if (form.startsWith('one') && isSubschema(value)) visit(value, keyword);
  }
}
