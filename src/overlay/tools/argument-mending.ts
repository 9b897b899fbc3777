import { typeOf } from '../json/argument-repair.ts';
import { parseLenient } from '../json/json-in-text.ts';
import { valueAt } from '../json/pointer.ts';
import { isObject } from '../tool-schema/json-schema.ts';
import { TYPES } from '../tool-schema/types.ts';
import type { JsonSchema } from './standard-schema.ts';

/** Maximum depth examined; deeper values are not changed. */
const maxDepth = 64;
/** Maximum number of schemas for one part of a value. A part with more is not changed, because no guess is safe there. */
const maxBranches = 256;

/**
 * Converts each string to the type that the schema requires: a number, a boolean, null, an array or an object. A string is kept if the schema
 * allows it, or if it cannot be converted. Returns the same value if no string was converted.
 */
export function mendArguments(value: unknown, schema: JsonSchema): unknown {
  return isObject(schema) ? new Mender(schema).mend(value, [schema], 0) : value;
}

/** The schemas that apply to one part of a value, with references, unions and intersections resolved. */
type Branches = readonly JsonSchema[];

/** Visits each part of the value once, with all schemas that apply to it. Trying the schemas one by one takes exponential time. */
class Mender {
  readonly #root: JsonSchema;
  readonly #unfolded = new Map<JsonSchema, Branches | undefined>();
  readonly #types = new Map<JsonSchema, ReadonlySet<string>>();

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  mend(value: unknown, schemas: Branches, depth: number): unknown {
    if (depth > maxDepth) return value;
    const meant = typeof value === 'string' ? this.#fromString(value, schemas) : value;
    if (typeof meant !== 'object' || meant === null) return meant;
    const branches = this.#branchesOf(schemas);
    if (branches === undefined) return meant;
    return Array.isArray(meant) ? this.#items(meant, branches, depth) : this.#properties(meant as Record<string, unknown>, branches, depth);
  }

  #items(items: readonly unknown[], branches: Branches, depth: number): unknown {
    const schema = branches.find((branch) => isObject(branch['items']) || Array.isArray(branch['prefixItems']));
    if (!schema) return items;
    const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : [];
    const mended = items.map((item, index) => {
      const own = index < prefix.length ? prefix[index] : schema['items'];
      return isObject(own) ? this.mend(item, [own], depth + 1) : item;
    });
    return mended.some((item, index) => item !== items[index]) ? mended : items;
  }

  #properties(value: Record<string, unknown>, branches: Branches, depth: number): unknown {
    const entries = Object.entries(value);
    const mended = entries.map(([key, old]): [string, unknown] => {
      const schemas = branches.map((branch) => propertySchema(branch, key)).filter(isObject);
      return [key, schemas.length === 0 ? old : this.mend(old, schemas, depth + 1)];
    });
    // fromEntries, because an assignment to `__proto__` would set the prototype.
    return mended.some(([, now], index) => now !== entries[index]?.[1]) ? Object.fromEntries(mended) : value;
  }

  /** Converts a string unless one of the schemas allows strings: the model may have chosen that branch of a union. */
  #fromString(text: string, schemas: Branches): unknown {
    const types = new Set<string>();
    for (const schema of schemas) {
      const own = this.#typesOf(schema);
      if (own.size === 0 || own.has('string')) return text;
      for (const type of own) types.add(type);
    }
    return read(text, types);
  }

  /** The JSON types that a schema allows. Includes `string` if the schema does not restrict the type. */
  #typesOf(schema: JsonSchema): ReadonlySet<string> {
    let types = this.#types.get(schema);
    if (types === undefined) {
      types = typesOf(this.#branchesOf([schema]));
      this.#types.set(schema, types);
    }
    return types;
  }

  /** Undefined if there are more than `maxBranches`. */
  #branchesOf(schemas: Branches): Branches | undefined {
    const found = new Set<JsonSchema>();
    for (const schema of schemas) {
      let unfolded = this.#unfolded.get(schema);
      if (unfolded === undefined && !this.#unfolded.has(schema)) {
        unfolded = unfold(schema, this.#root);
        this.#unfolded.set(schema, unfolded);
      }
      if (unfolded === undefined) return undefined;
      for (const branch of unfolded) found.add(branch);
      if (found.size > maxBranches) return undefined;
    }
    return [...found];
  }
}

function propertySchema(schema: JsonSchema, key: string): unknown {
  const properties = schema['properties'];
  return isObject(properties) && Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
}

function read(text: string, types: ReadonlySet<string>): unknown {
  const bare = text.trim();
  const word = bare.length > 5 ? '' : bare.toLowerCase();
  if (types.has('null') && word === 'null') return null;
  // Models trained on Python write True and False.
  if (types.has('boolean') && (word === 'true' || word === 'false')) return word === 'true';
  if (/^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(bare)) {
    const number = Number(bare);
    // A long id would lose digits.
    const exact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
    if (exact && (types.has('number') || (types.has('integer') && Number.isInteger(number)))) return number;
  }
  if (!types.has('array') && !types.has('object')) return text;
  const found = parseLenient(bare)?.value;
  if (Array.isArray(found) ? types.has('array') : isObject(found) && types.has('object')) return found;
  return text;
}

const anything: ReadonlySet<string> = new Set(['string']);

function typesOf(branches: Branches | undefined): ReadonlySet<string> {
  if (branches === undefined) return anything;
  const types = new Set<string>();
  for (const branch of branches) {
    const said = branch['type'];
    if (typeof said === 'string') types.add(said);
    else if (Array.isArray(said)) for (const type of said) types.add(TYPES.has(type as string) ? (type as string) : 'unknown');
    else if (Array.isArray(branch['enum'])) for (const one of branch['enum']) types.add(typeOf(one));
    else if ('const' in branch) types.add(typeOf(branch['const']));
    else if (isObject(branch['properties'])) types.add('object');
    else if (!('anyOf' in branch) && !('oneOf' in branch) && !('allOf' in branch) && !('$ref' in branch)) return anything;
  }
  return types;
}

function unfold(schema: JsonSchema, root: JsonSchema): Branches | undefined {
  const found = new Set<JsonSchema>([schema]);
  // The loop also visits schemas added during it. The set contains each schema once, so cycles end.
  for (const one of found) {
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
      const list = one[keyword];
      if (!Array.isArray(list)) continue;
      if (list.length > maxBranches) return undefined;
      for (const part of list) if (isObject(part)) found.add(part);
    }
    const named = typeof one['$ref'] === 'string' ? valueAt(root, one['$ref']) : undefined;
    if (isObject(named)) found.add(named);
    if (found.size > maxBranches) return undefined;
  }
  return [...found];
}
