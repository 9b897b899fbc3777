import { parseLenient } from '../json/json-in-text.ts';
import { isFields } from '../json/json-value.ts';
import { ARRAY, BOOLEAN, INTEGER, type JsonSchema, NULL, NUMBER, OBJECT, ownTypes, propertyOf, STRING } from '../json/schema.ts';
import { SchemaDocument } from '../json/schema-document.ts';

/** Maximum depth examined; deeper values are not changed. */
const maxDepth = 64;
/** Maximum number of schemas for one part of a value. A part with more is not changed, because no guess is safe there. */
const maxBranches = 256;

/**
 * Converts each string to the type that the schema requires: a number, a boolean, null, an array or an object. A string is kept if the schema
 * allows it, or if it cannot be converted. Returns the same value if no string was converted.
 */
export function mendArguments(value: unknown, schema: JsonSchema): unknown {
  return isFields(schema) ? new Mender(schema).mend(value, [schema], 0) : value;
}

/** A schema with properties and without a type means an object, although it accepts strings too. */
function meantTypes(schema: JsonSchema): number {
  const types = ownTypes(schema);
  return schema['type'] === undefined && isFields(schema['properties']) ? types & OBJECT : types;
}

/** Visits each part of the value once, with all schemas that apply to it. Trying the schemas one by one takes exponential time. */
class Mender {
  readonly #document: SchemaDocument;
  readonly #applied = new Map<JsonSchema, JsonSchema[]>();

  constructor(root: JsonSchema) {
    this.#document = new SchemaDocument(root, meantTypes);
  }

  mend(value: unknown, schemas: readonly JsonSchema[], depth: number): unknown {
    if (depth > maxDepth) return value;
    const meant = typeof value === 'string' ? this.#fromString(value, schemas) : value;
    if (typeof meant !== 'object' || meant === null) return meant;
    const applied = this.#appliedOf(schemas);
    if (applied === undefined) return meant;
    return Array.isArray(meant) ? this.#items(meant, applied, depth) : this.#properties(meant as Record<string, unknown>, applied, depth);
  }

  #items(items: readonly unknown[], schemas: readonly JsonSchema[], depth: number): unknown {
    const schema = schemas.find((one) => isFields(one['items']) || Array.isArray(one['prefixItems']));
    if (!schema) return items;
    const prefix = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as unknown[]) : [];
    const mended = items.map((item, index) => {
      const own = index < prefix.length ? prefix[index] : schema['items'];
      return isFields(own) ? this.mend(item, [own], depth + 1) : item;
    });
    return mended.some((item, index) => item !== items[index]) ? mended : items;
  }

  #properties(value: Record<string, unknown>, schemas: readonly JsonSchema[], depth: number): unknown {
    const entries = Object.entries(value);
    const mended = entries.map(([key, old]): [string, unknown] => {
      const ofProperty = schemas.map((schema) => propertyOf(schema, key)).filter(isFields);
      return [key, ofProperty.length === 0 ? old : this.mend(old, ofProperty, depth + 1)];
    });
    // fromEntries, because an assignment to `__proto__` would set the prototype.
    return mended.some(([, now], index) => now !== entries[index]?.[1]) ? Object.fromEntries(mended) : value;
  }

  /** Converts a string unless one of the schemas allows strings: the model may have chosen that branch of a union. */
  #fromString(text: string, schemas: readonly JsonSchema[]): unknown {
    let types = 0;
    for (const schema of schemas) {
      const own = this.#document.types(schema);
      if (own === 0 || (own & STRING) !== 0) return text;
      types |= own;
    }
    return converted(text, types);
  }

  /** All schemas that apply, with branches and references. Undefined if there are more than `maxBranches`. */
  #appliedOf(schemas: readonly JsonSchema[]): readonly JsonSchema[] | undefined {
    const found = new Set<JsonSchema>();
    for (const schema of schemas) {
      let applied = this.#applied.get(schema);
      if (applied === undefined) {
        applied = [];
        for (const one of this.#document.applied(schema)) if (applied.push(one) > maxBranches) break;
        this.#applied.set(schema, applied);
      }
      for (const one of applied) found.add(one);
      if (found.size > maxBranches) return undefined;
    }
    return [...found];
  }
}

/** The text as a value of one of the types; the text itself if it is not. */
function converted(text: string, types: number): unknown {
  const bare = text.trim();
  const word = bare.length > 5 ? '' : bare.toLowerCase();
  if (types & NULL && word === 'null') return null;
  // Models trained on Python write True and False.
  if (types & BOOLEAN && (word === 'true' || word === 'false')) return word === 'true';
  if (/^-?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(bare)) {
    const number = Number(bare);
    // A long id would lose digits.
    const exact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
    if (exact && (types & NUMBER) !== 0 && ((types & NUMBER) !== INTEGER || Number.isInteger(number))) return number;
  }
  if ((types & (ARRAY | OBJECT)) === 0) return text;
  const found = parseLenient(bare)?.value;
  if (Array.isArray(found) ? types & ARRAY : isFields(found) && types & OBJECT) return found;
  return text;
}
