// A value that fits a JSON Schema: the smallest one, except that an object without required fields has all of them.
import { type Fields, fieldsOf, isFields, listOf } from '../../overlay/json/json-value.ts';
import { valueAt } from '../../overlay/json/pointer.ts';

/** From here on objects have only their required fields, so that recursive schemas end. */
const sparseDepth = 3;
const maxDepth = 12;
/** Of letters in a text, and of entries in a list. */
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

/** A value that fits the schema. `if`, `contains`, `not`, `dependentRequired` and unusual patterns are not followed. */
export function sampleOf(schema: unknown, root: unknown = schema, depth = 0): unknown {
  if (!isFields(schema) || depth > maxDepth) return 'text';
  if ('const' in schema) return schema['const'];
  for (const name of ['enum', 'examples'] as const) if (Array.isArray(schema[name]) && schema[name].length > 0) return schema[name][0] as unknown;
  if ('default' in schema) return schema['default'];
  const { $ref: reference, anyOf, oneOf, allOf, ...own } = schema;
  if (typeof reference === 'string') return sampleOf(merged(own, valueAt(root, reference.replace(/^[^#]*/, ''))), root, depth + 1);
  if (Array.isArray(allOf)) return sampleOf(allOf.reduce(merged, { ...own, anyOf, oneOf }), root, depth + 1);
  const branches: readonly unknown[] = Array.isArray(anyOf) ? anyOf : listOf(oneOf);
  if (branches.length > 0)
    return sampleOf(
      merged(
        own,
        chosen(branches, (one) => fieldsOf(one)['type'], depth),
      ),
      root,
      depth + 1,
    );
  const type = schema['type'] === undefined ? typeByKeywords(schema) : chosen([schema['type']].flat(), (one) => one, depth);
  if (type === 'object') return objectOf(schema, root, depth);
  if (type === 'array') return listSample(schema, root, depth);
  if (type === 'integer' || type === 'number') return numberOf(schema, type === 'integer');
  return type === 'boolean' ? true : type === 'null' ? null : stringOf(schema);
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

function objectOf(schema: Fields, root: unknown, depth: number): Fields {
  const properties = fieldsOf(schema['properties']);
  const required = listOf(schema['required']).map(String);
  const names = required.length > 0 || depth >= sparseDepth ? required : Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? schema['additionalProperties'], root, depth + 1)]));
}

function listSample({ prefixItems, items, minItems, maxItems, uniqueItems }: Fields, root: unknown, depth: number): unknown[] {
  const first = listOf(prefixItems).map((one) => sampleOf(one, root, depth + 1));
  const least = typeof minItems === 'number' ? Math.min(minItems, most) : depth >= sparseDepth || maxItems === 0 || items === false ? 0 : 1;
  const words = uniqueItems === true ? listOf(fieldsOf(items)['enum']) : [];
  while (first.length < least) {
    const next = words[first.length] ?? sampleOf(items, root, depth + 1);
    const isTwin = uniqueItems === true && first.includes(next);
    first.push(isTwin ? (typeof next === 'number' ? next + first.length : `${String(next)}${first.length}`) : next);
  }
  return first;
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

/** False for a pattern that is no expression of JavaScript. */
function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}

/** Two schemas as one: the keywords of both, with `properties` and `required` joined. */
function merged(base: unknown, one: unknown): Fields {
  const [own, other] = [fieldsOf(base), fieldsOf(one)];
  const properties = { ...fieldsOf(own['properties']), ...fieldsOf(other['properties']) };
  const required = [...listOf(own['required']), ...listOf(other['required'])];
  return { ...own, ...other, ...(Object.keys(properties).length > 0 && { properties }), ...(required.length > 0 && { required }) };
}
