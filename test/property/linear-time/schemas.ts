import { fields, list, nested } from './inputs.ts';

type Schema = Record<string, unknown>;

const string = { type: 'string' };
const closed = { additionalProperties: false };
const strings = (count: number, prefix?: string): Schema => fields(count, () => string, prefix);
const object = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });
const shared = (name: string, definition: unknown, schema: (reference: Schema) => Schema): Schema => ({
  ...schema({ $ref: `#/$defs/${name}` }),
  $defs: { [name]: definition },
});
const words = (count: number): string[] => list(count, (index) => `value ${index}`);
const both = (...branches: Schema[]): Schema => ({ anyOf: branches });

/** Schemas that a normalizer could take too long for, by a number of parts. Most refer many times to one large definition. */
export const hostileSchemas: Readonly<Record<string, (size: number) => Schema>> = {
  'patterns and names in an intersection': (n) => ({
    allOf: [object(strings(n, 'a'.repeat(200))), { patternProperties: strings(n, 'a*!'), ...closed }],
  }),
  'patterns and names in a union': (n) =>
    both(object(strings(n, 'a'.repeat(200)), closed), { type: 'object', patternProperties: strings(n, '[a-z]*'), ...closed }),
  'plain patterns and names': (n) => ({
    allOf: [object(strings(n, 'x-')), { patternProperties: strings(n, '^y-'), ...closed }],
  }),
  'one large enum for many properties': (n) =>
    shared('E', { enum: words(n) }, (one) => object(fields(n, () => ({ anyOf: [one, { type: 'null' }] })))),
  'one large enum beside a constant': (n) =>
    shared('E', { enum: words(n), const: 'value 1' }, (one) => object(fields(n, () => ({ type: 'string', anyOf: [one, { type: 'null' }] })))),
  'structured values in a shared enum': (n) =>
    shared('E', { enum: list(n, (index) => ({ index, more: list(20, (at) => at) })) }, (one) =>
      object(fields(n, (index) => ({ allOf: [one, { title: `t${index}` }] }))),
    ),
  'structured values in two enums': (n) => ({
    allOf: [{ enum: list(n, (index) => ({ index })) }, { enum: list(n, (index) => ({ index: -index })) }],
  }),
  'large structured values': (n) => ({ anyOf: list(n / 4, (index) => ({ const: list(250, (at) => at * index) })) }),
  'an enum of numbers beside a range': (n) => both({ enum: list(20 * n, (index) => index) }, { type: 'integer', minimum: 3 }),
  'many branches with factors': (n) => ({ anyOf: list(18 * n, (index) => ({ type: 'number', multipleOf: 2 + index })) }),
  'many branches with lists': (n) => ({ anyOf: list(18 * n, () => ({ type: 'array', items: string })) }),
  'long lists of positions in a union': (n) =>
    both({ type: 'array', prefixItems: list(n, () => string) }, ...list(n, () => ({ type: 'array', items: string }))),
  'a shared list of required names': (n) =>
    shared('R', object(strings(3), { required: words(n) }), (one) =>
      object(fields(n, (index) => ({ allOf: [one, object({}, { required: [`r${index}`] })] }))),
    ),
  'required names in the branches of a union': (n) =>
    both(object({}, { required: words(n) }), object({}, { required: [...words(n), 'x'] }), object({}, { required: [...words(n).slice(1), 'x'] })),
  'many branches in an intersection': (n) => ({ allOf: list(n, (index) => object({ [`p${index}`]: string })) }),
  'many branches in a union': (n) => ({ anyOf: list(n, (index) => object({ [`p${index}`]: string })) }),
  'many branches with a discriminator': (n) => ({ oneOf: list(n, (index) => object({ kind: { const: `k${index}` }, [`p${index}`]: string })) }),
  'a discriminator with many values': (n) =>
    shared('E', { enum: words(n) }, (one) => ({ oneOf: [object(fields(n, () => one)), object(fields(n, () => one))] })),
  'a long title for many properties': (n) =>
    both(object(strings(n, 'a'), { title: 't'.repeat(10 * n), ...closed }), object(strings(n, 'b'), { title: 'u', ...closed })),
  'words added again and again': (n) => ({
    description: 'd'.repeat(n),
    allOf: list(n, (index) => both({ const: 1, description: `${'w'.repeat(500)}${index}` }, { const: 2, description: 'x' })),
  }),
  'one long description in many unions': (n) =>
    shared('D', { type: 'string', description: 'd'.repeat(20 * n) }, (one) =>
      object(fields(n, (index) => both(one, { type: 'integer', minimum: index }))),
    ),
  'long names in a shared schema': (n) =>
    shared('L', object({ ['n'.repeat(20 * n)]: string, b: string }), (one) =>
      object(fields(n, (index) => both(object({ x: one }), object({ [`y${index}`]: string })))),
    ),
  'data shared by many references': (n) =>
    shared('D', { type: 'string', default: list(n, (index) => ({ index })) }, (one) =>
      object(fields(n, (index) => ({ ...one, description: `d${index}` }))),
    ),
  'unevaluated properties of one large schema': (n) =>
    shared('B', object(strings(n)), (one) => object(fields(n, () => ({ ...one, unevaluatedProperties: false })))),
  'very many dependent schemas beside unevaluatedProperties': (n) => ({
    allOf: [{}],
    dependentSchemas: fields(20 * n, () => ({})),
    unevaluatedProperties: false,
  }),
  'names that depend on names': (n) =>
    shared('N', object({}, { dependentRequired: fields(n, () => ['a', 'b']) }), (one) =>
      object(fields(n, (index) => both(one, object({}, { dependentRequired: { [`p${index}`]: ['b'] } })))),
    ),
  'identifiers in identifiers': (n) => ({
    $ref: 'nowhere.json',
    $defs: { a: nested(n, (inner) => ({ $id: 'some/longer/path/', not: inner }), string) },
  }),
  'anchors and references to them': (n) =>
    object(
      fields(n, (index) => ({ $ref: `#a${index}` })),
      { $defs: fields(n, (index) => ({ $anchor: `a${index}` })) },
    ),
  'references by long pointers': (n) =>
    object(
      fields(n, () => ({ $ref: '#/$defs/x/properties/y' })),
      { $defs: { x: object({ y: string }) } },
    ),
  'a chain of references': (n) => ({ $ref: '#/$defs/p0', $defs: fields(n, (index) => object({ next: { $ref: `#/$defs/p${index + 1}` } })) }),
  'levels of properties': (n) => nested(n, (inner) => object({ a: inner as Schema }), both(string)) as Schema,
  'levels of unions': (n) => nested(n, (inner) => both(inner as Schema, { type: 'integer' }), string) as Schema,
  'levels of intersections': (n) => nested(n, (inner) => ({ type: 'object', allOf: [inner] }), object({})) as Schema,
  'levels of lists': (n) => ({ allOf: nested(n, (inner) => [inner], []) }),
  'a pattern that is no text': (n) => ({ allOf: [{ pattern: nested(n, (inner) => [inner], 1) }, { pattern: nested(n, (inner) => [inner], 2) }] }),
  'levels of data': (n) => both({ const: nested(n, (inner) => ({ inner }), 1) as Schema }, { const: nested(n, (inner) => ({ inner }), 1) as Schema }),
  'very many nullable properties': (n) => object(fields(4 * n, () => ({ anyOf: [string, { type: 'null' }] }))),
  'nothing to do': (n) => object(strings(4 * n)),
};
