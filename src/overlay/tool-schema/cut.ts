import { stepInto } from '../json/pointer.ts';
import { isObject, type JsonSchema, type MutableSchema, type Subschema } from './json-schema.ts';
import type { References, SchemaPlace } from './resolve.ts';
import { ANY, admittedTypes, typeKeyword } from './types.ts';

/** Cuts schemas of one document to the minimum that a model needs: the type and the description. */
export class Cutter {
  readonly #references: References;
  readonly #types = new Map<object, number>();

  constructor(references: References) {
    this.#references = references;
  }

  cut(located: SchemaPlace): Subschema {
    if (!isObject(located.schema)) return located.schema;
    const cut: MutableSchema = {};
    const type = typeKeyword(this.#possibleTypes(located, 0));
    if (type !== undefined && type.length > 0) cut['type'] = type;
    const description = this.#description(located);
    if (description !== undefined) cut['description'] = description;
    return cut;
  }

  #description(located: SchemaPlace): string | undefined {
    let at: SchemaPlace | undefined = located;
    // A reference without a description takes the description of its target.
    for (let hops = 0; hops < 8 && at !== undefined && isObject(at.schema); hops++) {
      const { description, $ref }: JsonSchema = at.schema;
      if (typeof description === 'string') return description;
      at = typeof $ref === 'string' ? this.#references.resolve($ref, at.resource) : undefined;
    }
    return undefined;
  }

  /** A superset of the types that the schema accepts. A schema that is still being visited counts as `ANY`, so that recursion ends. */
  #possibleTypes({ schema, pointer, resource }: SchemaPlace, depth: number): number {
    if (!isObject(schema)) return schema ? ANY : 0;
    const known = this.#types.get(schema);
    if (known !== undefined || depth > 32) return known ?? ANY;
    this.#types.set(schema, ANY);
    let types = admittedTypes(schema);
    const child = (value: unknown, keyword: string, index: string): number => {
      if (typeof value !== 'boolean' && !isObject(value)) return ANY;
      return this.#possibleTypes(this.#references.locate(value, stepInto(`${pointer}/${keyword}`, index), resource), depth + 1);
    };
    const { $ref, allOf, anyOf, oneOf } = schema;
    if (typeof $ref === 'string') {
      const target = this.#references.resolve($ref, resource);
      if (target !== undefined) types &= this.#possibleTypes(target, depth + 1);
    }
    if (Array.isArray(allOf)) allOf.forEach((branch, index) => void (types &= child(branch, 'allOf', String(index))));
    for (const [keyword, branches] of Object.entries({ anyOf, oneOf })) {
      if (!Array.isArray(branches) || branches.length === 0) continue;
      types &= branches.reduce<number>((all, branch, index) => all | child(branch, keyword, String(index)), 0);
    }
    this.#types.set(schema, types);
    return types;
  }
}
