// A JSON Schema has one meaning for all its readers: they use one view of it. No schema is too much for them.
import { describe, expect, test } from 'vitest';
import { StrictSchemas } from '../../scripts/service/judge/strict-schema.ts';
import { sanitizeToolSchemas } from '../../src/overlay/index.ts';
import { ANY, declaredTypes, type JsonSchema, TYPES, typeNames } from '../../src/overlay/json/schema.ts';
import { SchemaDocument } from '../../src/overlay/json/schema-document.ts';
import { mendArguments } from '../../src/overlay/tools/argument-mending.ts';
import { expectedText, plainIssues } from '../../src/overlay/tools/schema-check.ts';
import { describesObject } from '../../src/overlay/tools/typed-tool.ts';
import { sampleOf } from '../../src/testing/replies/schema-sample.ts';
import { fields, list, nested } from '../property/linear-time/inputs.ts';

const integer = { type: 'integer' };
const rewrittenOf = (schema: JsonSchema): JsonSchema => sanitizeToolSchemas([{ input_schema: schema }])[0]?.input_schema as JsonSchema;
const parsed = (text: string): JsonSchema => JSON.parse(text) as JsonSchema;

/** Whether each reader takes the property `x` of a schema for an integer. */
const readers: Readonly<Record<string, (root: JsonSchema) => boolean>> = {
  'the rewriter': (root) => declaredTypes((rewrittenOf(root)['properties'] as { x: JsonSchema }).x) === TYPES.get('integer'),
  mending: (root) => (mendArguments({ x: '5' }, root) as { x: unknown }).x === 5,
  'the check': (root) => plainIssues({ x: true }, root).some(({ message }) => message === 'must be integer, not boolean'),
  'the words for a model': (root) => expectedText(root).startsWith('{ x: integer'),
  'the sample': (root) => Number.isInteger((sampleOf(root) as { x: unknown }).x),
};

/** Each is the schema of `x` and the keywords in addition to `properties`. */
const integers: Readonly<Record<string, readonly [x: JsonSchema, beside?: JsonSchema]>> = {
  'a type': [integer],
  'a list of one type': [{ type: ['integer'] }],
  'a reference': [{ $ref: '#/$defs/N' }, { $defs: { N: integer } }],
  'a chain of references': [{ $ref: '#/$defs/A' }, { $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/C' }, C: integer } }],
  'a reference to a property': [{ $ref: '#/properties/y' }, { properties: { y: integer } }],
  'a reference into a list': [{ $ref: '#/$defs/L/anyOf/1' }, { $defs: { L: { anyOf: [{ type: 'string' }, integer] } } }],
  'an escaped name': [{ $ref: '#/$defs/a~1b~0c%20d' }, { $defs: { 'a/b~c d': integer } }],
  'an anchor': [{ $ref: '#n' }, { $defs: { N: { $anchor: 'n', ...integer } } }],
  'an identifier': [{ $ref: 'N' }, { $defs: { N: { $id: 'N', ...integer } } }],
  'a reference inside a schema with an identifier': [
    { $ref: 'part.json' },
    { $defs: { P: { $id: 'part.json', $ref: '#/$defs/X', $defs: { X: integer } }, X: { type: 'string' } } },
  ],
  'the document by its identifier': [{ $ref: 'https://example.com/a.json#/$defs/N' }, { $id: 'https://example.com/a.json', $defs: { N: integer } }],
  'a name of every object': [{ $ref: '#/$defs/constructor' }, { $defs: { constructor: integer } }],
  'the name of the prototype': [{ $ref: '#/$defs/__proto__' }, parsed('{"$defs":{"__proto__":{"type":"integer"}}}')],
  'one part of an intersection': [{ allOf: [{ minimum: 1 }, integer] }],
  'a type around an intersection': [{ ...integer, allOf: [{ minimum: 1 }] }],
  'an intersection of types': [{ allOf: [{ type: ['integer', 'string'] }, { type: ['integer', 'null'] }] }],
  'a union with a schema that no value matches': [{ anyOf: [false, integer] }],
  'an intersection of a reference': [{ allOf: [{ $ref: '#/$defs/N' }, { description: 'd' }] }, { $defs: { N: integer } }],
};

/** Schemas of `x` that do not say a type: each reader takes it for any value. */
const open: Readonly<Record<string, readonly [x: unknown, beside?: JsonSchema]>> = {
  'no keyword': [{}],
  'a reference to itself': [{ $ref: '#/properties/x' }],
  'references in a circle': [{ $ref: '#/$defs/A' }, { $defs: { A: { $ref: '#/$defs/B' }, B: { $ref: '#/$defs/A' } } }],
  'a reference to nowhere': [{ $ref: '#/$defs/N' }],
  'a name that every object inherits': [{ $ref: '#/$defs/toString' }, { $defs: {} }],
  'another document': [{ $ref: 'other.json#/a' }],
  'a reference to what is no schema': [{ $ref: '#/required' }],
  'a type that does not exist': [{ type: 'int' }],
  'a list without a type': [{ type: [] }],
  'keywords of the wrong form': [
    { type: undefined, anyOf: integer, oneOf: 'x', allOf: { 0: integer }, enum: {}, required: 'a', properties: [integer], $ref: 5 },
  ],
  'a list in the place of a schema': [[integer]],
  true: [true],
};

const around = ([x, beside = {}]: readonly [unknown, JsonSchema?]): JsonSchema => ({
  type: 'object',
  required: ['x'],
  ...beside,
  properties: { x, ...(beside['properties'] as JsonSchema | undefined) },
});

describe.each(Object.entries(readers))('%s', (_reader, sees) => {
  test.each(Object.entries(integers))('sees an integer in %s', (_form, given) => expect(sees(around(given))).toBe(true));

  test.each(Object.entries(open))('sees none in %s', (_form, given) => expect(sees(around(given))).toBe(false));
});

test.each(Object.entries(open))('any value fits %s', (_form, given) => {
  for (const x of ['5', 5, true, null, [], {}]) {
    expect(plainIssues({ x }, around(given))).toEqual([]);
    expect(mendArguments({ x }, around(given))).toEqual({ x });
  }
  expect(expectedText(around(given))).toBe('{ x: any value (required) }');
  expect(new SchemaDocument(around(given)).types(given[0])).toBe(ANY);
});

test.each<[reference: string, place: unknown]>([
  ['#/$defs/a~1b', { pointer: '/$defs/a~1b', schema: integer }],
  ['#/$defs/F', { pointer: '/$defs/F', schema: false }],
  ['part.json#/$defs/X', { pointer: '/$defs/P/$defs/X', schema: integer }],
  ['part.json', { pointer: '/$defs/P', schema: expect.objectContaining({ $id: 'part.json' }) }],
  ['part.json#x', { pointer: '/$defs/P/$defs/X/not', schema: { $anchor: 'x' } }],
  ['#x', undefined],
  ['#', { pointer: '', schema: expect.objectContaining({ required: ['x'] }) }],
  ['#/required', undefined],
  ['#/required/0', undefined],
  ['#/properties/x/type', undefined],
  ['#/$defs/none', undefined],
])('%s leads to a schema and its pointer, or nowhere', (reference, place) => {
  const part = { $id: 'part.json', $defs: { X: { ...integer, not: { $anchor: 'x' } } } };
  const from = { $ref: reference };
  const root = { required: ['x'], properties: { x: integer, from }, $defs: { 'a/b': integer, F: false, P: part } };
  const found = new SchemaDocument(root).resolve(from);
  expect(found).toEqual(reference === 'part.json#/$defs/X' ? { pointer: '/$defs/P/$defs/X', schema: part.$defs.X } : place);
});

test('a property is an own one: no reader takes what every object inherits', () => {
  const schema = { type: 'object', properties: {}, required: ['constructor'], additionalProperties: integer };
  expect(mendArguments({ constructor: '5' }, schema)).toEqual({ constructor: 5 });
  expect(sampleOf(schema)).toEqual({ constructor: 1 });
  expect(plainIssues({ toString: 'a', constructor: 'b' }, schema)).toEqual([]);
  expect(expectedText(schema)).toBe('{}');
});

const loop: Record<string, unknown> = { type: 'object', anyOf: [] };
(loop['anyOf'] as unknown[]).push(loop, { properties: { x: integer } });
loop['properties'] = { self: loop };

/** More than a reader could walk twice, or by recursion. */
const hostile: Readonly<Record<string, () => JsonSchema>> = {
  'a circle of objects': () => loop,
  '10,000 levels of properties': () => nested(10_000, (x) => ({ type: 'object', properties: { x } }), { anyOf: [integer] }) as JsonSchema,
  '10,000 levels of unions': () => nested(10_000, (one) => ({ anyOf: [one, integer] }), integer) as JsonSchema,
  '10,000 levels of intersections': () => nested(10_000, (one) => ({ type: 'object', allOf: [one] }), {}) as JsonSchema,
  '10,000 levels of lists': () => ({ properties: { x: nested(10_000, (items) => ({ type: 'array', items }), { anyOf: [integer] }) } }),
  'a chain of 10,000 references': () => ({
    $ref: '#/$defs/p0',
    $defs: { ...fields(10_000, (index) => ({ $ref: `#/$defs/p${index + 1}` })), p10000: { type: 'object' } },
  }),
  '100,000 properties': () => ({ type: 'object', properties: fields(100_000, () => ({ anyOf: [integer, { type: 'null' }] })) }),
  'branches that all lead back': () => ({ type: 'object', anyOf: list(20, () => ({ $ref: '#' })) }),
  'an intersection with nothing': () => ({ allOf: [false, { properties: { x: integer } }] }),
  'a union of 500 branches': () => ({ anyOf: list(500, (index) => ({ type: 'object', properties: { [`p${index}`]: integer, x: integer } })) }),
  'an intersection of 10,000 branches': () => ({ allOf: list(10_000, (index) => ({ properties: { [`p${index}`]: integer } })) }),
  '5 MB': () => ({ type: 'object', properties: fields(500, (index) => ({ description: `${index}`.repeat(3_500), anyOf: [integer] })) }),
  'references that double at every level': () => ({
    $ref: '#/$defs/p0',
    $defs: {
      ...fields(60, (at) => ({ required: ['a', 'b'], properties: { a: { $ref: `#/$defs/p${at + 1}` }, b: { $ref: `#/$defs/p${at + 1}` } } })),
      p60: integer,
    },
  }),
  'objects that are shared at every level': () => nested(60, (x) => ({ anyOf: [x, { properties: { x, y: x } }] }), integer) as JsonSchema,
};

describe.each(Object.entries(hostile))('%s', (_name, schemaOf) => {
  const schema = schemaOf();

  test('is rewritten to what can be sent', () => {
    const text = JSON.stringify(rewrittenOf(schema));
    expect(text).not.toMatch(/"(anyOf|oneOf|allOf|\$ref|\$defs)":/);
    expect(text.length).toBeLessThan(12_000_000);
  });

  test('ends every other reader', () => {
    const value = { x: '5', self: { x: '6' }, p1: 'a' };
    expect(mendArguments(value, schema)).toBeDefined();
    expect(plainIssues(value, schema).length).toBeLessThanOrEqual(10);
    expect(expectedText(schema).length).toBeLessThan(1_100);
    expect(typeNames(new SchemaDocument(schema).types(schema)).length).toBeLessThanOrEqual(7);
    expect(typeof describesObject(schema)).toBe('boolean');
    expect(JSON.stringify(sampleOf(schema))?.length).toBeLessThan(3_000_000);
    expect(new StrictSchemas({ A: schema }).names({ $ref: '#/components/schemas/A' }).size).toBeLessThanOrEqual(100_000);
  });
});
