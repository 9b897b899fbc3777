import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../scripts/generate/document/source.ts';
import type { Rule } from '../../src/generated/rules.ts';
import { check } from '../../src/overlay/validation/validation.ts';
import { worstViolation } from '../../src/overlay/validation/violations.ts';

const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 12, ownProperties: true });

const names = ['a', 'type', 'constructor', 'toString', 'hasOwnProperty'];
const scalars: readonly Json[] = ['a', 'b', 'abc', 1, 3, 0.07, 0.3, 1.1, 0.005, 1e15 + 1, true, null];
const values: readonly Json[] = [...scalars, [], ['a', 1, 'a'], [null], {}, { a: 1 }, { abc: 'x' }, { constructor: 'a', b: null }];

/** A rule of a field, without the empty one, which the next test has. */
const { leaf } = fc.letrec<{ leaf: Rule }>((tie) => ({
  leaf: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'array', 'object') }),
    fc.record({ type: fc.tuple(fc.constantFrom('string', 'number'), fc.constant('null')) }),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom(...scalars), { minLength: 1, maxLength: 3 }) }) as fc.Arbitrary<Rule>,
    fc.record({ const: fc.constantFrom('a', 1, true) }),
    fc.record({ type: fc.constant('number'), multipleOf: fc.constantFrom(0.01, 0.1, 3, 0.25, 1e-3) }),
    fc.record({ minimum: fc.constantFrom(0, 1, 2) }),
    fc.record({ minLength: fc.constantFrom(1, 2) }),
    fc.record({ anyOf: fc.array(tie('leaf'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ type: fc.constant('array'), items: tie('leaf') }),
    fc.record({ contains: tie('leaf') }),
    fc.record({ contains: tie('leaf'), maxContains: fc.constantFrom(1, 2) }),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('leaf'), propertyNames: fc.constantFrom({ maxLength: 2 }, { enum: ['a'] }) }),
  ),
}));

const someNames = fc.subarray(names);
const request = fc
  .record({
    properties: fc.record(Object.fromEntries(names.map((name) => [name, leaf]))),
    required: someNames,
    either: someNames,
    when: fc.constantFrom(...names),
    needed: someNames,
  })
  .map(
    ({ properties, required, either, when, needed }): Rule => ({
      type: 'object',
      properties,
      required,
      ...(either.length > 0 && { anyOf: either.map((name) => ({ required: [name] })) }),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      allOf: [{ if: { required: [when], properties: { [when]: { const: 'a' } } }, then: { required: needed } }],
    }),
  );

describe('a value is valid if it is for ajv, where null counts as absent unless the rule of its field allows null', () => {
  it('one rule of each keyword', () => {
    fc.assert(
      fc.property(leaf, (rule) => {
        const isValid = ajv.compile(rule);
        for (const value of values) expect([value, worstViolation(rule, value) === undefined]).toEqual([value, isValid(value)]);
      }),
      { numRuns: 300 },
    );
  });

  it('fields that are required at once, by a form or on a condition, with names that objects inherit', () => {
    const objects = fc.array(fc.record(Object.fromEntries(names.map((name) => [name, fc.constantFrom(...values)])), { requiredKeys: [] }), {
      minLength: 9,
    });
    fc.assert(
      fc.property(request, objects, (rule, given) => {
        const isValid = ajv.compile(rule);
        const allowNull = names.filter((name) => worstViolation(rule.properties?.[name] ?? {}, null) === undefined);
        for (const value of given) {
          // Null at a field that another rule than its own requires counts as absent.
          const inner = [...(rule.anyOf ?? []), ...(rule.allOf ?? [])].flatMap((one) => [
            ...(one.required ?? []),
            ...(one.if?.required ?? []),
            ...(one.then?.required ?? []),
          ]);
          if (inner.some((name) => value[name] === null)) continue;
          const present = Object.fromEntries(Object.entries(value).filter(([name, field]) => field !== null || allowNull.includes(name)));
          expect([value, worstViolation(rule, value) === undefined]).toEqual([value, isValid(present)]);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('null is not a value of a field without rules, for instance a file', () => {
    expect(worstViolation({ required: ['file'], properties: { file: {} } }, { file: null })?.keyword).toBe('required');
  });
});

const roleUser: Rule = { type: 'object', properties: { role: { const: 'user' } }, required: ['role'] };
const functionTool: Rule = { type: 'object', properties: { type: { const: 'function' } }, required: ['type'] };
const manyTools = [1, 2, 3].map(() => ({ type: 'function' }));

it.each<[rule: Rule, value: unknown, text: string]>([
  [{ multipleOf: 0.01 }, 0.075, 'x must be a multiple of 0.01'],
  [{ contains: roleUser }, [], 'x must contain at least one item with role user'],
  [{ contains: functionTool, maxContains: 2 }, manyTools, 'x must have at most 2 function items'],
  [{ contains: { const: 'a' } }, ['b'], 'x must contain at least one item of its rule'],
  [{ contains: { enum: ['a', 1] } }, [], 'x must contain at least one item of its rule'],
  [{ contains: { type: 'string' } }, [1], 'x must contain at least one item of its rule'],
  [{ contains: { type: 'string' }, maxContains: 1 }, ['a', 'b'], 'x must have at most 1 item of its rule'],
  [{ contains: { required: ['url', 'id'] } }, [], 'x must contain at least one item of its rule'],
  [{ contains: { properties: { kind: { enum: ['a', 'b'] } } } }, [{ kind: 'c' }], 'x must contain at least one item of its rule'],
  [{ contains: { minimum: 5 } }, [], 'x must contain at least one item of its rule'],
  [{ propertyNames: { maxLength: 2 } }, { abc: 1 }, 'x must have names of at most 2 characters'],
  [{ propertyNames: { minLength: 2 } }, { a: 1 }, 'x must have names of at least 2 characters'],
  [{ propertyNames: { minLength: 1 } }, { '': 1 }, 'x has a name that must not be empty'],
  [{ propertyNames: { pattern: /^a/u } }, { b: 1 }, 'x has a name that must match ^a'],
  [{ propertyNames: { enum: ['a', 'b'] } }, { c: 1 }, 'x has a name that must be one of a, b'],
  [{ anyOf: [{ type: 'string' }, { type: 'string', enum: ['a', 'b'] }] }, 5, 'x must be a string'],
  [{ anyOf: [{ enum: ['a', 'b'] }, { type: 'string', minLength: 1 }] }, '', 'x must be one of a, b'],
  [{ anyOf: [{ type: 'string' }, { enum: [1, 2] }] }, true, 'x must be one of 1, 2, or a string'],
  [{ anyOf: [{ type: 'string' }, { enum: [1, 2] }] }, 3, 'x must be one of 1, 2, or a string'],
  [{ anyOf: [{ type: 'string', enum: ['auto', 'none'] }, { type: 'object' }] }, 'any', 'x must be one of auto, none, or an object'],
  [{ anyOf: [{ type: 'string', enum: ['auto', 'none'] }, { type: 'object' }] }, 5, 'x must be one of auto, none, or an object'],
])('the error of %j for %j: %s', (rule, value, text) => {
  expect(() => check({ properties: { x: rule } }, { x: value })).toThrow(text);
});

it.each(['constructor', 'toString', '__proto__'])('a required field %s that an object only inherits is missing', (name) => {
  const rule: Rule = { required: [name], properties: Object.fromEntries([[name, { type: 'string' }]]) };
  expect(() => check(rule, {})).toThrow(`${name} is required`);
  expect(worstViolation(rule, JSON.parse(`{"${name}": "a"}`))).toBeUndefined();
  expect(worstViolation(rule, JSON.parse(`{"${name}": 1}`))?.keyword).toBe('type');
});
