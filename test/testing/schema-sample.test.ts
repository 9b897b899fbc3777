import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { definitions } from '../../scripts/generate/document/json-schema.ts';
import { sampleOf } from '../../src/testing/replies/schema-sample.ts';
import { openapi } from '../support/openapi.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
const named = definitions(openapi.value, {});
ajv.addSchema({ $id: 'spec', $defs: named });

describe('a sample fits its schema', () => {
  it.each(Object.keys(named))('%s of the spec', (name) => {
    const validate = ajv.compile({ $ref: `spec#/$defs/${name}` });
    const value = sampleOf({ $ref: `spec#/$defs/${name}` }, { $id: 'spec', $defs: named });
    validate(value);
    // `if`, `then` and `contains` are not followed.
    const errors = (validate.errors ?? []).filter(({ schemaPath }) => !/\/(if|then|contains)\b/.test(schemaPath));
    expect(errors, JSON.stringify(value)).toEqual([]);
  });

  const tree = {
    type: 'object',
    properties: { name: { type: 'string' }, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['name', 'next'],
  };
  it.each<[string, object]>([
    ['a recursive object that ends in null', tree],
    ['a recursive list', { $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } }, $ref: '#/$defs/a' }],
    ['a nullable text', { type: ['null', 'string'], minLength: 3 }],
    ['const and enum', { type: 'object', properties: { a: { const: 1 }, b: { enum: ['x'] } }, required: ['a', 'b'] }],
    [
      'limits of numbers',
      {
        type: 'array',
        prefixItems: [
          { type: 'integer', exclusiveMinimum: 4 },
          { type: 'number', maximum: -2.5 },
        ],
        minItems: 2,
      },
    ],
    ['multiples', { type: 'integer', minimum: 7, multipleOf: 5 }],
    ['different entries', { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true }],
    ['different words', { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, uniqueItems: true }],
    ['a long text', { type: 'string', minLength: 50, maxLength: 60 }],
    ['a short text', { type: 'string', maxLength: 2 }],
    ['a date by its pattern', { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' }],
    ['a number by its pattern', { type: 'string', pattern: '^\\d+$', minLength: 5 }],
    [
      'parts of allOf',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
          { required: ['b'], properties: { b: { type: 'null' } } },
        ],
      },
    ],
    ['no type', { properties: { a: { items: { minimum: 3 } } }, required: ['a'] }],
    ['any value', {}],
  ])('%s', (_name, schema) => {
    const validate = ajv.compile(schema);
    const value = sampleOf(schema);
    validate(value);
    expect(validate.errors ?? [], JSON.stringify(value)).toEqual([]);
  });

  const ten = Array.from({ length: 10 }, (_, index) => `p${index}`);
  const doubling = { required: ten, properties: Object.fromEntries(ten.map((name) => [name, { $ref: '#' }])) };
  it.each([
    ['a pattern that is no expression', { type: 'string', pattern: '[' }],
    ['a schema without an end', { required: ['a', 'b'], properties: { a: { $ref: '#' }, b: { $ref: '#' } } }],
    ['objects that double at every level', doubling],
    ['a name of every object', { required: ['constructor'], properties: {} }],
    ['no schema', null],
    ['a reference to nothing', { $ref: '#/x' }],
    ['an unlimited text', { minLength: 1e12 }],
    ['an unlimited list', { type: 'array', minItems: 1e9 }],
  ])('and is made at once of %s', (_name, schema) => expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(1e7));
});
