// A value that fits a JSON Schema: the smallest one, except that an object without required fields has all of them.
import { type Fields, fieldsOf, isFields, listOf } from '../../overlay/json/json-value.ts';
import { mapOf, namesOf, propertyOf, valuesOf } from '../../overlay/json/schema.ts';
import { SchemaDocument } from '../../overlay/json/schema-document.ts';

/** From here on objects have only their required fields, so that recursive schemas end. */
const sparseDepth = 3;
const maxDepth = 12;
/** Maximum letters in a text, and entries in a list. */
const most = 10_000;

const texts: Readonly<Record<string, string>> = {
  date: '2026-01-02',
  time: '03:04:05Z',
  'date-time': '2026-01-02T03:04:05Z',
  duration: 'P1D',
  email: 'user@example.com',
  hostname: 'example.com',
  ipv4: '127.0.0.1',
  ipv6: '::1',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};
/** Tried in order for a `pattern`. No library of the package makes a text for any pattern. */
const likely = ['text', ...Object.values(texts), 'aB1', '1', '12345', '0123456789abcdef', 'TEXT', 'en', 'DE', '1:2', '#a0b1c2', 'v1.2.3'];

/** A value that fits the schema in the keywords that `docs/guides/testing.md` lists. Others, such as `if`, `not` or `minProperties`, are not followed. */
export function sampleOf(schema: unknown, root: unknown = schema): unknown {
  return new Sampler(root).of(schema, 0);
}

class Sampler {
  readonly #document: SchemaDocument;
  /** Schemas below the first level that may still be visited: required properties that refer to each other would double at every level. */
  #left = 10_000;
  /** Parts that may still be joined: many properties may refer to one schema of many parts. */
  #partsLeft = 100_000;

  constructor(root: unknown) {
    this.#document = new SchemaDocument(fieldsOf(root));
  }

  of(given: unknown, depth: number): unknown {
    if (!isFields(given) || depth > maxDepth || (depth > 1 && --this.#left < 0)) return 'text';
    const schema = this.#together(given);
    for (const values of [valuesOf(schema), listOf(schema['examples'])]) if (values && values.length > 0) return values[0];
    if ('default' in schema) return schema['default'];
    const { anyOf, oneOf, ...own } = schema;
    const branches = (Array.isArray(anyOf) ? anyOf : listOf(oneOf)).filter((branch) => branch !== false);
    if (branches.length > 0) return this.of(merged([own, this.#together(chosen(branches, (one) => fieldsOf(one)['type'], depth))]), depth + 1);
    const type = schema['type'] === undefined ? typeByKeywords(schema) : chosen([schema['type']].flat(), (one) => one, depth);
    if (type === 'object') return this.#object(schema, depth);
    if (type === 'array') return this.#list(schema, depth);
    if (type === 'integer' || type === 'number') return numberOf(schema, type === 'integer');
    return type === 'boolean' ? true : type === 'null' ? null : stringOf(schema);
  }

  /** The schema with its reference and the parts of `allOf` as one. Of several with a keyword, the outer one counts. */
  #together(schema: unknown): Fields {
    const parts = new Set([fieldsOf(schema)]);
    // The loop also visits schemas added during it. The set contains each schema once, so cycles end.
    for (const one of parts)
      for (const part of [this.#document.resolve(one)?.schema, ...listOf(one['allOf'])])
        if (isFields(part) && --this.#partsLeft >= 0) parts.add(part);
    const { $ref: _reference, allOf: _parts, ...all } = merged([...parts].reverse());
    return all;
  }

  #object(schema: Fields, depth: number): Fields {
    const required = namesOf(schema['required']);
    const names = required.length > 0 || depth >= sparseDepth ? required : Object.keys(mapOf(schema['properties']));
    return Object.fromEntries(names.map((name) => [name, this.of(propertyOf(schema, name), depth + 1)]));
  }

  #list({ prefixItems, items, minItems, maxItems, uniqueItems }: Fields, depth: number): unknown[] {
    const first = listOf(prefixItems).map((one) => this.of(one, depth + 1));
    const least = typeof minItems === 'number' ? Math.min(minItems, most) : depth >= sparseDepth || maxItems === 0 || items === false ? 0 : 1;
    const words = uniqueItems === true ? listOf(fieldsOf(items)['enum']) : [];
    while (first.length < least) {
      const next = words[first.length] ?? this.of(items, depth + 1);
      const isTwin = uniqueItems === true && first.includes(next);
      first.push(isTwin ? (typeof next === 'number' ? next + first.length : `${String(next)}${first.length}`) : next);
    }
    return first;
  }
}

/** The first alternative that is not null. Deep down it is one without a schema of its own, so that recursive schemas end. */
function chosen(all: readonly unknown[], typeOf: (one: unknown) => unknown, depth: number): unknown {
  const flat = ['null', 'string', 'boolean', 'number', 'integer'];
  const found = depth < sparseDepth ? all.find((one) => typeOf(one) !== 'null') : all.find((one) => flat.includes(String(typeOf(one))));
  return found ?? all[0];
}

function typeByKeywords(schema: Fields): string {
  return 'properties' in schema ? 'object' : 'items' in schema || 'prefixItems' in schema ? 'array' : 'minimum' in schema ? 'number' : 'string';
}

function numberOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Fields, isWhole: boolean): number {
  const step = typeof multipleOf === 'number' ? multipleOf : isWhole ? 1 : 0.5;
  if (typeof exclusiveMinimum === 'number') return (Math.floor(exclusiveMinimum / step) + 1) * step;
  if (typeof minimum === 'number') return Math.ceil(minimum / step) * step;
  if (typeof exclusiveMaximum === 'number') return Math.min(step, (Math.ceil(exclusiveMaximum / step) - 1) * step);
  return typeof maximum === 'number' ? Math.min(step, Math.floor(maximum / step) * step) : step;
}

function stringOf({ format, pattern, minLength, maxLength }: Fields): string {
  const least = typeof minLength === 'number' ? Math.min(minLength, most) : 0;
  const limit = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  const known = typeof format === 'string' ? texts[format] : undefined;
  const sized = (text: string): string => text.repeat(Math.max(1, Math.ceil(least / text.length))).slice(0, limit);
  if (typeof pattern !== 'string') return known ?? sized('text').slice(0, Math.max(least, 4));
  const all = [known ?? 'text', ...likely].flatMap((text) => [text, sized(text).slice(0, Math.max(least, 1))]);
  return all.find((text) => text.length >= least && text.length <= limit && matches(pattern, text)) ?? 'text';
}

/** False for a pattern that is not an expression of JavaScript. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

/** Several schemas as one: the keywords of all, with `properties` and `required` joined. */
function merged(schemas: readonly unknown[]): Fields {
  const all = schemas.map(fieldsOf);
  // fromEntries, because an assignment to `__proto__` would set the prototype.
  const joined = (maps: readonly Fields[]): Fields => Object.fromEntries(maps.flatMap(Object.entries));
  const properties = all.filter((one) => isFields(one['properties'])).map((one) => fieldsOf(one['properties']));
  const required = all.flatMap((one) => namesOf(one['required']));
  return { ...joined(all), ...(properties.length > 0 && { properties: joined(properties) }), ...(required.length > 0 && { required }) };
}
