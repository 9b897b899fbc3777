import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const single = [
  'items',
  'additionalProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const maps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/** Every schema at any depth, without properties that only have the name of a keyword, and without data. */
export function* subschemas(schema: unknown): Generator<Schema> {
  if (!isObject(schema)) return;
  yield schema;
  for (const keyword of lists) if (Array.isArray(schema[keyword])) for (const one of schema[keyword] as unknown[]) yield* subschemas(one);
  for (const keyword of single) for (const one of [schema[keyword]].flat()) yield* subschemas(one);
  for (const keyword of maps) if (isObject(schema[keyword])) for (const one of Object.values(schema[keyword])) yield* subschemas(one);
}

const maxDepth = 14;

/** From here on objects have only their required properties, so that samples of recursive schemas end with fitting values. */
const sparseDepth = 5;

/**
 * Values that roughly match a schema; a validator must decide whether they do. They never contain null, because the rewriter may drop it
 * from a schema.
 */
export function samples(schema: unknown, root: unknown = schema, depth = 0): fc.Arbitrary<unknown> {
  if (!isObject(schema) || depth > maxDepth) return fc.oneof(fc.string({ maxLength: 5 }), fc.integer({ min: 0, max: 9 }), fc.boolean());
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (typeof schema['$ref'] === 'string') return samples(target(schema['$ref'], root), root, depth + 1);
  const branches = (schema['anyOf'] ?? schema['oneOf']) as unknown[] | undefined;
  if (branches) {
    const own = isObject(schema['properties']) ? [objects(schema, root, depth)] : [];
    const real = branches.filter((one) => !(isObject(one) && one['type'] === 'null'));
    return fc.oneof(...real.map((one) => samples(merged(schema, one), root, depth + 1)), ...own);
  }
  if (Array.isArray(schema['allOf'])) return samples((schema['allOf'] as unknown[]).reduce(merged, { ...schema, allOf: undefined }), root, depth + 1);
  const types = [schema['type'] ?? (isObject(schema['properties']) ? 'object' : ['string', 'integer', 'boolean'])]
    .flat()
    .filter((type) => type !== 'null');
  return types.length === 0 ? fc.constant('') : fc.oneof(...types.map((type) => ofType(String(type), schema, root, depth)));
}

function ofType(type: string, schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> {
  const limit = (name: string, otherwise: number): number => (typeof schema[name] === 'number' ? schema[name] : otherwise);
  const from = limit('minimum', limit('exclusiveMinimum', -1) + 1);
  switch (type) {
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.ceil(from), max: Math.max(Math.ceil(from), Math.min(Math.floor(limit('maximum', from + 20)), from + 20)) });
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const items = Array.isArray(schema['items']) ? schema['items'][0] : schema['items'];
      const minLength = limit('minItems', 0);
      const most = depth < sparseDepth ? 2 : 0;
      return fc.array(samples(items, root, depth + 1), {
        minLength,
        maxLength: Math.max(minLength, Math.min(limit('maxItems', most), minLength + most)),
      });
    }
    case 'object':
      return objects(schema, root, depth);
    default:
      return texts(limit('minLength', 0), limit('maxLength', Number.POSITIVE_INFINITY), schema['pattern']);
  }
}

const likely = ['2026-01-02', 'https://example.com/a', '2026-01-02T03:04:05Z', 'aB1', '1:2', 'DE', 'en'];

function texts(minLength: number, maxLength: number, pattern: unknown): fc.Arbitrary<string> {
  const fits = (text: string): boolean =>
    text.length >= minLength && text.length <= maxLength && (typeof pattern !== 'string' || new RegExp(pattern, 'u').test(text));
  const known = [...likely, '0123456789abcdef'.repeat(1 + minLength / 16).slice(0, minLength)].filter(fits);
  const any = fc.string({ minLength, maxLength: Math.min(maxLength, minLength + 5) });
  return known.length === 0 ? any : fc.oneof(fc.constantFrom(...known), ...(typeof pattern === 'string' ? [] : [any]));
}

function objects(schema: Schema, root: unknown, depth: number): fc.Arbitrary<unknown> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const requiredKeys = (Array.isArray(schema['required']) ? (schema['required'] as string[]) : []).filter((name) => Object.hasOwn(properties, name));
  const made = Object.entries(properties).filter(([name]) => depth < sparseDepth || requiredKeys.includes(name));
  const model = Object.fromEntries(made.map(([name, one]) => [name, samples(one, root, depth + 1)]));
  const named = fc.record(model, { requiredKeys });
  if (schema['additionalProperties'] === undefined || schema['additionalProperties'] === false) return named;
  const extra = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), samples(schema['additionalProperties'], root, depth + 1), { maxKeys: 2 });
  return fc.tuple(extra, named).map(([more, own]) => ({ ...more, ...own }));
}

/** Two schemas as one, roughly: the keywords of both, with `properties` and `required` joined. */
function merged(base: unknown, one: unknown): Schema {
  const { anyOf: _a, oneOf: _o, ...own } = isObject(base) ? base : {};
  const other = isObject(one) ? one : {};
  const required = [...((own['required'] as string[] | undefined) ?? []), ...((other['required'] as string[] | undefined) ?? [])];
  const properties = { ...((own['properties'] as object | undefined) ?? {}), ...((other['properties'] as object | undefined) ?? {}) };
  return {
    ...own,
    ...other,
    ...(required.length > 0 ? { required } : {}),
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
  };
}

function target(reference: string, root: unknown): unknown {
  let at = root;
  for (const step of reference.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) || Array.isArray(at) ? (at as Schema)[name] : undefined;
  }
  return at;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
