import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { losesMeaning } from '../../scripts/service/corpus/schemas.ts';
import { explainToolSchema, type JsonSchema, sanitizeToolSchemas } from '../../src/overlay/tool-schema/index.ts';

const normalizeToolSchema = (schema: JsonSchema): JsonSchema => sanitizeToolSchemas([{ input_schema: schema }])[0]?.input_schema as JsonSchema;
const string = { type: 'string' };
const integer = { type: 'integer' };
const nothing = { type: 'null' };
const closed = { additionalProperties: false };
const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...more });
const reference = (name: string, more: JsonSchema = {}): JsonSchema => ({ $ref: `#/$defs/${name}`, ...more });
/** A literal key of this name makes the linter think of promises. */
const when = (condition: JsonSchema, consequence: JsonSchema): JsonSchema =>
  Object.fromEntries([
    ['if', condition],
    ['then', consequence],
  ]);

type Case = readonly [name: string, input: JsonSchema, expected: JsonSchema];

describe('normalizeToolSchema', () => {
  const unions: Case[] = [
    [
      'a nullable union is what is not null',
      object({ a: { description: 'd', anyOf: [{ ...string, minLength: 2 }, nothing] } }),
      object({ a: { description: 'd', ...string, minLength: 2 } }),
    ],
    [
      'a required property says that null is allowed',
      object(
        {
          a: { description: 'd', anyOf: [string, nothing] },
          b: { oneOf: [integer, nothing] },
          c: reference('N'),
          d: { anyOf: [{ anyOf: [string, nothing] }, integer] },
          e: { anyOf: [string, nothing], type: 'string' },
          f: { anyOf: [{ type: ['string', 'null'] }, nothing] },
        },
        { required: ['a', 'b', 'c', 'd', 'e', 'f'], $defs: { N: { anyOf: [{ ...string, description: 'n' }, nothing] } } },
      ),
      object(
        {
          a: { description: 'd (null is allowed)', ...string },
          b: { description: 'null is allowed', ...integer },
          c: { description: 'n (null is allowed)', ...string },
          d: { description: 'null is allowed', type: ['string', 'integer'] },
          e: string,
          f: { type: ['string', 'null'] },
        },
        { required: ['a', 'b', 'c', 'd', 'e', 'f'] },
      ),
    ],
    [
      'a property that another branch requires says so too',
      { allOf: [object({ a: { anyOf: [string, nothing] }, b: { anyOf: [string, nothing] } }), { required: ['a'] }] },
      object({ a: { description: 'null is allowed', ...string }, b: string }, { required: ['a'] }),
    ],
    [
      'a property that two branches require says so once',
      { required: ['a'], allOf: [object({ a: { anyOf: [string, nothing] } }, { required: ['a'] })] },
      object({ a: { description: 'null is allowed', ...string } }, { required: ['a'] }),
    ],
    ['null as a constant', { anyOf: [string, { const: null }] }, string],
    ['null as an enum', { anyOf: [string, { enum: [null] }] }, string],
    ['null as a list of one type', { anyOf: [string, { type: ['null'] }] }, string],
    ['null behind a reference', { anyOf: [string, reference('N')], $defs: { N: nothing } }, string],
    ['only null stays null', { description: 'd', anyOf: [nothing] }, { description: 'd', type: 'null' }],
    [
      'the description outside wins over that of the only branch',
      { description: 'own', anyOf: [{ ...string, description: 'branch' }] },
      { description: 'own', ...string },
    ],
    ['the description of the only branch is kept', { anyOf: [{ ...string, description: 'branch' }, nothing] }, { ...string, description: 'branch' }],
    [
      'enums of strings become one',
      {
        anyOf: [
          { ...string, enum: ['x'] },
          { ...string, enum: ['y', 'x'] },
        ],
      },
      { ...string, enum: ['x', 'y'] },
    ],
    [
      'constants become an enum, their descriptions text',
      {
        oneOf: [
          { const: 'x', description: 'First' },
          { const: 'y', description: 'Second' },
        ],
      },
      { ...string, description: '"x": First; "y": Second', enum: ['x', 'y'] },
    ],
    [
      'titles of constants are text as well',
      {
        description: 'Direction',
        oneOf: [
          { const: 1, title: 'Left' },
          { const: 2, title: 'Right' },
        ],
      },
      { description: 'Direction\n1: Left; 2: Right', ...integer, enum: [1, 2] },
    ],
    [
      'a boolean next to constants has two values',
      { anyOf: [{ type: 'boolean' }, { const: 'auto' }] },
      { type: ['string', 'boolean'], enum: [true, false, 'auto'] },
    ],
    ['integer with number is number', { anyOf: [integer, { type: 'number' }] }, { type: 'number' }],
    [
      'different types stand side by side, with what each demands',
      {
        description: 'd',
        anyOf: [
          { ...string, minLength: 1 },
          { type: 'number', minimum: 1 },
        ],
      },
      { description: 'd', type: ['string', 'number'], minLength: 1, minimum: 1 },
    ],
    ['one or several', { anyOf: [string, { type: 'array', items: string, minItems: 1 }] }, { type: ['string', 'array'], items: string, minItems: 1 }],
    [
      'ranges become the range around them',
      { anyOf: [{ ...integer, minimum: 5, maximum: 9 }, { const: -1 }] },
      { ...integer, description: 'integer or -1', minimum: -1, maximum: 9 },
    ],
    [
      'descriptions of different types are told apart',
      {
        anyOf: [
          { ...string, description: 'A name' },
          { ...integer, description: 'A number' },
        ],
      },
      { type: ['string', 'integer'], description: 'string: A name; integer: A number' },
    ],
    ['no branch says nothing', { ...string, anyOf: [] }, string],
    ['what is no list says nothing', { ...string, oneOf: 'x' }, string],
    ['a branch that cannot match is left out', { ...string, anyOf: [{ type: 'number' }, { minLength: 2 }] }, { ...string, minLength: 2 }],
    [
      'a branch that refers to what cannot match is left out',
      { anyOf: [reference('X', { title: 't' }), integer], $defs: { X: { ...string, anyOf: [{ type: 'number' }] } } },
      integer,
    ],
    [
      'constraints of a type that the schema around excludes are left out',
      {
        ...string,
        anyOf: [
          { type: ['string', 'integer'], minimum: 1, minLength: 1 },
          { type: ['string', 'integer'], minimum: 2, minLength: 1 },
        ],
      },
      { ...string, minLength: 1 },
    ],
    ['without a branch that fits, the rest is kept', { ...string, anyOf: [{ type: 'number' }, nothing] }, string],
    [
      'one required group is required',
      object({ a: {}, b: {} }, { required: ['b'], anyOf: [{ required: ['a'] }] }),
      object({ a: {}, b: {} }, { required: ['b', 'a'] }),
    ],
    [
      'several required groups are told in words',
      object({ a: {}, b: {}, c: {} }, { anyOf: [{ required: ['a'] }, { required: ['b', 'c'] }] }),
      object({ a: {}, b: {}, c: {} }, { description: 'requires "a", or "b" and "c"' }),
    ],
    ['true accepts everything', { anyOf: [true, string] }, {}],
    ['false accepts nothing', { anyOf: [false, string] }, string],
    ['anyOf and oneOf both hold', { anyOf: [string], oneOf: [{ minLength: 1 }] }, { ...string, minLength: 1 }],
    ['a type around untyped branches is theirs', { ...string, anyOf: [{ enum: ['a'] }, { const: 'b' }] }, { ...string, enum: ['a', 'b'] }],
    ['a nullable branch keeps its null', { anyOf: [{ ...string, nullable: true }, integer] }, { type: ['string', 'integer', 'null'] }],
    ['a list of types is one branch like others', { anyOf: [{ type: ['string', 'null'] }, integer] }, { type: ['string', 'integer', 'null'] }],
    ['unions in unions', { anyOf: [{ anyOf: [string, nothing] }, { oneOf: [{ type: 'number' }, integer] }] }, { type: ['string', 'number'] }],
  ];

  const cat = object(
    {
      kind: { ...string, const: 'cat', title: 'Kind' },
      name: { ...string, description: 'Its name' },
      claws: { ...integer, description: 'How many' },
    },
    { title: 'Cat', required: ['kind', 'name'] },
  );
  const dog = object(
    { kind: { ...string, const: 'dog', title: 'Kind' }, name: string, bark: object({ loud: { type: 'boolean' } }) },
    { title: 'Dog', required: ['kind', 'name', 'bark'] },
  );
  const objects: Case[] = [
    [
      'closed objects become one, with all properties and types',
      { anyOf: [object({ p: string }, { required: ['p'], ...closed }), object({ q: integer, p: string }, { required: ['q', 'p'], ...closed })] },
      object({ p: string, q: integer }, { required: ['p'], ...closed }),
    ],
    [
      'open objects: words, where a type would refuse what another branch accepts',
      { anyOf: [object({ p: string }), object({ q: integer })] },
      object({ p: { description: 'string' }, q: { description: 'integer' } }),
    ],
    [
      'a discriminated union of references',
      {
        oneOf: [reference('Cat'), reference('Dog')],
        discriminator: { propertyName: 'kind', mapping: { cat: '#/$defs/Cat' } },
        $defs: { Cat: cat, Dog: dog },
      },
      object(
        {
          kind: { ...string, title: 'Kind', enum: ['cat', 'dog'] },
          name: { ...string, description: 'Its name' },
          claws: { description: 'How many (integer; only when kind is "cat")' },
          bark: { description: 'object {loud?: boolean}; only when kind is "dog"' },
        },
        { required: ['kind', 'name'] },
      ),
    ],
    [
      'a discriminated union of closed objects',
      {
        oneOf: [
          { ...cat, ...closed },
          { ...dog, ...closed, description: 'Barks' },
        ],
      },
      object(
        {
          kind: { ...string, title: 'Kind', enum: ['cat', 'dog'] },
          name: { ...string, description: 'Its name' },
          claws: { ...integer, description: 'How many (only when kind is "cat")' },
          bark: object({ loud: { type: 'boolean' } }, { description: 'only when kind is "dog"' }),
        },
        { description: 'kind "dog": Barks', required: ['kind', 'name'], ...closed },
      ),
    ],
    [
      'titles tell branches apart',
      { anyOf: [object({ p: string }, { title: 'P', ...closed }), object({}, { title: 'Q', ...closed })] },
      object({ p: { ...string, description: 'only for P' } }, closed),
    ],
    [
      'maps',
      {
        anyOf: [
          { type: 'object', additionalProperties: string },
          { type: 'object', additionalProperties: integer },
        ],
      },
      { type: 'object', additionalProperties: { type: ['string', 'integer'] } },
    ],
    [
      'an object or a word',
      { anyOf: [{ const: 'all' }, object({ ids: { type: 'array', items: integer } }, closed)] },
      {
        type: ['string', 'object'],
        description: '"all" or object {ids?: array of integer}',
        properties: { ids: { type: 'array', items: integer } },
        ...closed,
      },
    ],
  ];

  const merges: Case[] = [
    [
      'disjoint properties',
      { allOf: [object({ a: string }, { required: ['a'] }), object({ b: integer }, { required: ['b'] })] },
      object({ a: string, b: integer }, { required: ['a', 'b'] }),
    ],
    [
      'bounds are intersected',
      {
        allOf: [
          { ...integer, minimum: 1, maximum: 9, multipleOf: 4 },
          { type: 'number', minimum: 3, maximum: 20, multipleOf: 6 },
        ],
      },
      { ...integer, minimum: 3, maximum: 9, multipleOf: 4 },
    ],
    ['enums are intersected', { allOf: [{ enum: ['x', 'y'] }, { enum: ['y', 'z'] }] }, { enum: ['y'] }],
    ['types are intersected', { allOf: [{ type: ['string', 'integer', 'null'] }, { type: ['number', 'null'] }] }, { type: ['integer', 'null'] }],
    ['nullable is a type', { allOf: [{ ...string, nullable: true }, { type: ['string', 'integer'] }] }, string],
    [
      'a contradiction keeps the first',
      {
        allOf: [
          { ...string, minLength: 1, description: '1' },
          { type: 'number', description: '2' },
        ],
      },
      { ...string, minLength: 1, description: '1' },
    ],
    [
      'properties are intersected',
      {
        properties: { a: { minLength: 1 } },
        allOf: [{ properties: { a: { ...string, maxLength: 5 }, b: { enum: [1, 2] } } }, { properties: { b: { enum: [2, 3] } } }],
      },
      { properties: { a: { minLength: 1, ...string, maxLength: 5 }, b: { enum: [2] } } },
    ],
    [
      'a property that another branch forbids is dropped',
      { allOf: [object({ a: string }, closed), object({ b: string })] },
      object({ a: string }, closed),
    ],
    [
      'unless it is required: then the branches were meant to add up',
      { allOf: [object({ a: string }, { required: ['a'], ...closed }), object({ b: string }, { required: ['b'], ...closed })] },
      object({ a: string, b: string }, { required: ['a', 'b'], ...closed }),
    ],
    [
      'additional properties constrain what only the other branch lists',
      { allOf: [object({ a: {} }, { additionalProperties: integer }), object({ b: { minimum: 1 } })] },
      object({ a: {}, b: { minimum: 1, ...integer } }, { additionalProperties: integer }),
    ],
    ['a nullable union inside', { allOf: [{ anyOf: [string, nothing] }, { minLength: 2 }] }, { ...string, minLength: 2 }],
    [
      'the texts of two unions below an own description',
      {
        description: 'own',
        allOf: [
          {
            allOf: [
              {
                anyOf: [
                  { ...string, description: 'A name' },
                  { ...integer, description: 'A number' },
                ],
              },
              {
                anyOf: [
                  { ...string, description: 'A text' },
                  { ...integer, description: 'A count' },
                ],
              },
            ],
          },
        ],
      },
      { description: 'own\nstring: A name; integer: A number\nstring: A text; integer: A count', type: ['string', 'integer'] },
    ],
    ['only if and then', object({}, { allOf: [when({ required: ['a'] }, { required: ['b'] })] }), object({})],
  ];

  const references: Case[] = [
    ['a definition at the root', { $ref: '#/$defs/A', $defs: { A: object({ a: string }) } }, object({ a: string })],
    [
      'siblings are merged, required is united',
      object(
        { o: reference('O', { description: 'own', required: ['z'] }) },
        { $defs: { O: object({ n: {}, z: {} }, { description: 'target', required: ['n'] }) } },
      ),
      object({ o: { description: 'own', required: ['z', 'n'], type: 'object', properties: { n: {}, z: {} } } }),
    ],
    [
      'a union next to a reference',
      { ...reference('O'), anyOf: [{ required: ['n'] }], $defs: { O: object({ n: {} }) } },
      object({ n: {} }, { required: ['n'] }),
    ],
    [
      'properties next to a reference',
      {
        ...reference('O'),
        properties: { not: string, allOf: integer, n: { anyOf: [{ minLength: 1 }] } },
        $defs: { O: object({ n: string, m: {} }) },
      },
      { properties: { not: string, allOf: integer, n: { minLength: 1, ...string }, m: {} }, type: 'object' },
    ],
    [
      'a missing target leaves the siblings',
      object({ a: reference('Missing', { description: 'd', anyOf: [string] }) }),
      object({ a: { description: 'd', ...string } }),
    ],
    ['boolean definitions', object({ a: reference('T'), b: reference('F') }, { $defs: { T: true, F: false } }), object({ a: {}, b: false })],
    ['an anchor of draft 7', { $ref: '#it', definitions: { A: { $id: '#it', ...object({}) } } }, object({})],
    [
      'a chain',
      { ...reference('A'), $defs: { A: reference('B', { description: 'A' }), B: object({}, { description: 'B' }) } },
      object({}, { description: 'A' }),
    ],
    [
      'pydantic: allOf around one reference',
      object(
        { c: { allOf: [reference('Color')], description: 'own', default: 'red' } },
        { $defs: { Color: { ...string, enum: ['red', 'green'], title: 'Color', description: 'A color' } } },
      ),
      object({ c: { description: 'own', default: 'red', ...string, enum: ['red', 'green'], title: 'Color' } }),
    ],
    [
      'recursion is cut after one level, with type and description',
      object(
        { tree: reference('Node') },
        {
          $defs: {
            Node: object(
              { next: reference('Node', { description: 'The next' }), kids: { type: 'array', items: reference('Node') } },
              { description: 'A node' },
            ),
          },
        },
      ),
      object({
        tree: object(
          { next: { description: 'The next', type: 'object' }, kids: { type: 'array', items: { type: 'object', description: 'A node' } } },
          { description: 'A node' },
        ),
      }),
    ],
    [
      'the root referring to itself',
      object({ child: { $ref: '#' } }, { description: 'root' }),
      object({ child: { type: 'object', description: 'root' } }, { description: 'root' }),
    ],
    [
      'two that refer to each other',
      { ...reference('A'), $defs: { A: object({ b: reference('B') }), B: object({ a: reference('A') }) } },
      object({ b: object({ a: { type: 'object' } }) }),
    ],
    ['a reference to itself and nothing else', { ...reference('A'), $defs: { A: reference('A', { description: 'd' }) } }, { description: 'd' }],
    [
      'the type of what is cut is looked for where it is said',
      object(
        { n: reference('N') },
        {
          $defs: {
            N: { allOf: [reference('M')], anyOf: [{ required: ['a'] }, { minProperties: 2 }], properties: { n: reference('N') } },
            M: { type: ['object', 'string'], anyOf: [object({}), integer] },
          },
        },
      ),
      object({ n: object({ n: { type: 'object' } }) }),
    ],
    [
      'a recursive union',
      object(
        { v: reference('Json') },
        { $defs: { Json: { description: 'JSON', anyOf: [string, { type: 'number' }, { type: 'array', items: reference('Json') }] } } },
      ),
      object({
        v: { description: 'JSON', type: ['string', 'number', 'array'], items: { type: ['string', 'number', 'array'], description: 'JSON' } },
      }),
    ],
  ];

  const union = { anyOf: [string, nothing] };
  const places: Case[] = [
    ...['additionalProperties', 'propertyNames', 'items'].map((keyword): Case => [keyword, { [keyword]: union }, { [keyword]: string }]),
    ...['contentSchema', 'unevaluatedItems', 'unevaluatedProperties'].map((keyword): Case => [keyword, { ...string, [keyword]: union }, string]),
    ['properties', { properties: { a: union } }, { properties: { a: string } }],
    ['not, if, then and else', { ...string, not: union, if: union, else: union, ...when(union, union) }, string],
    ['unused definitions', { ...string, definitions: { A: string } }, string],
    ['unused $defs', { ...string, $defs: { A: string } }, string],
    ['unused definitions below', object({ a: { ...string, definitions: {} } }), object({ a: string })],
    [
      'components of an API description',
      object({ a: { $ref: '#/components/schemas/A' } }, { components: { schemas: { A: integer } } }),
      object({ a: integer }),
    ],
    [
      'lists where a schema is due',
      { properties: { a: [union] }, additionalProperties: [union], contains: [union], anyOf: [string] },
      { properties: { a: true }, additionalProperties: true, ...string },
    ],
    [
      'words about the schema',
      {
        ...string,
        $schema: 'x',
        $id: 'https://example.com/x',
        $anchor: 'a',
        $comment: 'c',
        $vocabulary: {},
        $dynamicRef: '#a',
        $dynamicAnchor: 'a',
        $recursiveRef: '#',
        $recursiveAnchor: true,
        anyOf: [{}],
      },
      string,
    ],
    ['keywords nobody knows', { ...string, 'x-order': 1, deprecated: true, anyOf: [{}] }, { ...string, 'x-order': 1, deprecated: true }],
    [
      'properties named like keywords',
      object({ anyOf: union, $ref: string, not: integer, $defs: {}, definitions: {} }),
      object({ anyOf: string, $ref: string, not: integer, $defs: {}, definitions: {} }),
    ],
    [
      'data that looks like a schema',
      { anyOf: [{}], default: { anyOf: [1] }, enum: [{ $ref: '#' }], examples: [{ allOf: [] }], 'x-data': { oneOf: [] } },
      { default: { anyOf: [1] }, enum: [{ $ref: '#' }], examples: [{ allOf: [] }], 'x-data': { oneOf: [] } },
    ],
  ];

  for (const [group, cases] of Object.entries({ unions, objects, allOf: merges, references, places })) {
    describe(group, () => {
      test.each(cases)('%s', (_, input, expected) => {
        const copy = structuredClone(input);
        const result = normalizeToolSchema(input);
        expect(result).toEqual(expected);
        expect(input).toEqual(copy);
        expect(normalizeToolSchema(result)).toBe(result);
        expect(explainToolSchema(input).length).toBeGreaterThan(0);
      });
    });
  }

  test('a schema inside the subset comes back as the same object', () => {
    const inside: JsonSchema[] = [
      {},
      object({}),
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: 'x',
        $comment: 'c',
        ...object({ a: { type: ['string', 'null'] }, b: { ...string, nullable: true } }),
        ...closed,
      },
      { not: string, if: string, else: { minLength: 1 }, dependentSchemas: { a: {} }, unevaluatedProperties: false },
      object({ anyOf: string, $ref: string, $defs: object({ oneOf: string }), allOf: true }),
      { default: { anyOf: [] }, examples: [{ $ref: '#' }], const: { $defs: {} }, enum: [{ allOf: [] }] },
      { items: [string, integer], additionalItems: false },
      { $dynamicRef: '#a', $anchor: 'b' },
    ];
    for (const schema of inside) {
      expect(normalizeToolSchema(schema)).toBe(schema);
      expect(explainToolSchema(schema)).toEqual([]);
    }
  });

  test('the result shares no object with the schema that was given', () => {
    const given = object({ kept: object({ deep: { default: {} } }), changed: { anyOf: [string] } });
    const kept = (normalizeToolSchema(given)['properties'] as JsonSchema)['kept'] as JsonSchema;
    expect(kept).toEqual(object({ deep: { default: {} } }));
    const deepIn = (schema: JsonSchema): JsonSchema => (schema['properties'] as JsonSchema)['deep'] as JsonSchema;
    expect(deepIn(kept)['default']).not.toBe(deepIn((given['properties'] as JsonSchema)['kept'] as JsonSchema)['default']);
  });
});

describe('a keyword that real tools do not use', () => {
  const union = { anyOf: [string, nothing] };
  const rare = (below: JsonSchema): readonly (readonly [keyword: string, schema: JsonSchema])[] => [
    ['contains', { contains: below, minContains: 1, maxContains: 2 }],
    ['prefixItems', { prefixItems: [below], items: false }],
    ['items', { items: [below], additionalItems: false }],
    ['additionalItems', { items: [integer], additionalItems: below }],
    ['patternProperties', { patternProperties: { a: below }, additionalProperties: false }],
    ['dependentSchemas', { dependentSchemas: { a: below } }],
    ['dependencies', { dependencies: { a: below, b: ['c'] } }],
  ];
  const told = (schema: JsonSchema) => explainToolSchema(schema).filter(({ action }) => action === 'dropped');

  test.each(rare(string))('%s stays in a schema that has not to be merged', (_, schema) => {
    const input = object({ kept: schema, changed: union, described: reference('A', { description: 'd' }) }, { $defs: { A: schema } });
    expect(normalizeToolSchema(input)).toEqual(object({ kept: schema, changed: string, described: { description: 'd', ...schema } }));
    expect(told(input)).toEqual([]);
  });

  test.each(rare(union))('%s is dropped with a note if a schema below it has to be rewritten', (_, schema) => {
    const input = object({ a: { title: 't', ...schema } });
    expect(normalizeToolSchema(input)).toEqual(object({ a: { title: 't' } }));
    expect(told(input)).toContainEqual({ pointer: '/properties/a', action: 'dropped' });
  });

  test.each(rare({ $dynamicRef: '#a' }))('%s is dropped with a note if it refers to a definition, which is not sent', (_, schema) => {
    const input = object({ a: schema }, { $defs: { A: { $dynamicAnchor: 'a' } } });
    expect(normalizeToolSchema(input)).toEqual(object({ a: {} }));
  });

  test.each(rare(string))('%s is dropped with a note if the schema is merged with another', (_, schema) => {
    const more = { ...schema, title: 't', minItems: 1 };
    for (const [input, expected] of [
      [
        { ...more, allOf: [{ maxItems: 5 }] },
        { title: 't', minItems: 1, maxItems: 5 },
      ],
      [{ anyOf: [more, { ...more, minItems: 2 }] }, { title: 't', minItems: 1 }],
    ] as const) {
      expect(normalizeToolSchema(input)).toEqual(expected);
      expect(told(input)).toContainEqual({ pointer: '', action: 'dropped' });
    }
  });

  test('a list of items is dropped without refusing a value, in either dialect', () => {
    const input = { items: [{ anyOf: [string, integer] }], additionalItems: false, maxItems: 2 };
    const result = normalizeToolSchema(input);
    expect(result).toEqual({ maxItems: 2 });
    const original = new Ajv({ strict: false }).compile(input);
    const dialects = [new Ajv2020({ strict: false }).compile(result), new Ajv({ strict: false }).compile(result)];
    for (const instance of [[], ['a'], [1], [true], [1, 1], ['a', false, true]])
      for (const validate of dialects) if (original(instance)) expect(validate(instance)).toBe(true);
  });

  test('unevaluatedProperties is dropped with a note: a merge does not keep which properties are evaluated', () => {
    const input = { allOf: [reference('Base')], properties: { x: integer }, unevaluatedProperties: false, $defs: { Base: object({ id: string }) } };
    expect(normalizeToolSchema(input)).toEqual(object({ x: integer, id: string }));
    expect(told(input)).toEqual([{ pointer: '', action: 'dropped' }]);
  });
});

describe('explainToolSchema', () => {
  test('names place and value', () => {
    const schema = object(
      { 'a/b': { anyOf: [string, nothing] }, tree: reference('Node'), c: { not: string } },
      { $defs: { Node: object({ next: reference('Node') }) } },
    );
    expect(explainToolSchema(schema)).toEqual([
      { pointer: '/properties/a~1b/anyOf/1', action: 'null-collapsed' },
      { pointer: '/properties/a~1b', action: 'inlined' },
      { pointer: '/properties/tree', action: 'inlined' },
      { pointer: '/$defs/Node/properties/next', action: 'inlined' },
      { pointer: '/$defs/Node', action: 'cut' },
      { pointer: '/properties/c', action: 'dropped' },
      { pointer: '', action: 'left-out' },
    ]);
  });

  test.each([
    [
      'of a schema with itself is wider: oneOf refuses a value that matches twice',
      { oneOf: [reference('A'), reference('A')], $defs: { A: string } },
      '',
    ],
    ['of two nulls is wider for the same reason', { oneOf: [{ type: ['string', 'null'] }, nothing] }, '/oneOf/1'],
  ])('the union %s', (_, schema, pointer) => expect(explainToolSchema(schema)).toContainEqual({ pointer, action: 'widened' }));

  test('an equivalent schema is reported without losses', () => {
    for (const schema of [
      { anyOf: [string, { ...integer, minimum: 1 }] },
      { oneOf: [{ const: 'a' }, { enum: ['b', 'c'] }] },
      { ...reference('A'), $defs: { A: object({ a: string }) }, required: ['a'] },
      { allOf: [{ minimum: 1 }, { maximum: 5 }] },
      { anyOf: [integer, { type: 'number' }] },
      { anyOf: [{ type: ['string', 'null'] }, nothing] },
    ]) {
      expect(explainToolSchema(schema).some(losesMeaning)).toBe(false);
    }
  });

  test('the null of a required property is lost', () => {
    const schema = object({ a: { anyOf: [string, nothing] } }, { required: ['a'] });
    expect(explainToolSchema(schema)).toContainEqual({ pointer: '/properties/a/anyOf/1', action: 'null-collapsed' });
  });
});

describe('sanitizeToolSchemas', () => {
  const union = object({ a: { anyOf: [string, nothing] } });
  const flat = object({ a: string });

  test('rewrites the schemas of both surfaces and leaves everything else', () => {
    const tools = [
      { type: 'function', function: { name: 'f', description: 'd', parameters: union, strict: true } },
      { type: 'function', function: { name: 'g', parameters: flat } },
      { type: 'function', function: { name: 'h' } },
      { type: 'web_search', web_search: { anyOf: [] } },
      { name: 'm', input_schema: union, cache_control: { type: 'ephemeral' } },
    ];
    const copy = structuredClone(tools);
    const sanitized = sanitizeToolSchemas(tools);
    expect(sanitized).toEqual([
      { type: 'function', function: { name: 'f', description: 'd', parameters: flat, strict: true } },
      ...tools.slice(1, 4),
      { name: 'm', input_schema: flat, cache_control: { type: 'ephemeral' } },
    ]);
    expect(sanitized.slice(1, 4).every((tool, index) => tool === tools[index + 1])).toBe(true);
    expect(tools).toEqual(copy);
    expect(sanitizeToolSchemas(sanitized)).toBe(sanitized);
  });

  test('gives the same array back if all tools are fine', () => {
    const tools = [{ type: 'function', function: { name: 'g', parameters: flat } }];
    expect(sanitizeToolSchemas(tools)).toBe(tools);
    expect(sanitizeToolSchemas([])).toEqual([]);
    expect(sanitizeToolSchemas(undefined)).toBe(undefined);
    const odd = [null, 5, {}, { function: null }, { function: { parameters: 'x' }, input_schema: [] }];
    expect(sanitizeToolSchemas(odd as [])).toBe(odd);
  });
});

describe('no input is too much', () => {
  const nest = (levels: number, wrap: (inner: JsonSchema) => JsonSchema, bottom: JsonSchema): JsonSchema => {
    let schema = bottom;
    for (let level = 0; level < levels; level++) schema = wrap(schema);
    return schema;
  };
  const doubling = (levels: number, wrap: (reference: JsonSchema) => JsonSchema): JsonSchema => {
    const layers = Array.from({ length: levels }, (_, level) => [`L${level + 1}`, wrap(reference(`L${level}`))] as const);
    return { $ref: `#/$defs/L${levels}`, $defs: { L0: string, ...Object.fromEntries(layers) } };
  };
  const MAX_CHARACTERS = 700_000;
  /** Work that doubled at every level would never end. */
  const normalized = (schema: JsonSchema): { result: JsonSchema; text: string } => {
    const result = normalizeToolSchema(schema);
    expect(normalizeToolSchema(result)).toBe(result);
    return { result, text: JSON.stringify(result) };
  };

  test('what is cut keeps type and description, and the upper levels stay whole', () => {
    const { result } = normalized(doubling(40, (one) => object({ a: one, b: one }, { description: 'layer' })));
    const upper = ((result['properties'] as JsonSchema)['a'] as JsonSchema)['properties'] as JsonSchema;
    expect(Object.keys(upper)).toEqual(['a', 'b']);
    const texts = new Set<string>();
    const walk = (node: JsonSchema): void => {
      if (node['properties'] === undefined) texts.add(JSON.stringify(node));
      else for (const child of Object.values(node['properties'] as JsonSchema)) walk(child as JsonSchema);
    };
    walk(result);
    // The first layers are written down to the last.
    expect([...texts]).toEqual(['{"type":"string"}', '{"type":"object","description":"layer"}']);
  });

  test('everything refers to everything', () => {
    const names = Array.from({ length: 50 }, (_, index) => `N${index}`);
    for (const wrap of [
      (one: JsonSchema) => one,
      (one: JsonSchema) => ({ anyOf: [one, nothing] }),
      (one: JsonSchema) => ({ allOf: [one, { title: 'x' }] }),
    ]) {
      const node = object(Object.fromEntries(names.map((name) => [name, wrap(reference(name))])), { description: 'd' });
      const { result, text } = normalized({ ...reference('N0'), $defs: Object.fromEntries(names.map((name) => [name, { ...node }])) });
      expect(text.length).toBeLessThan(MAX_CHARACTERS);
      expect(Object.keys(result['properties'] as JsonSchema)).toEqual(names);
    }
  });

  test('a schema that was rewritten at an upper level is cut where it would be too deep', () => {
    const levelsOf = (schema: JsonSchema, name: string): number => {
      let at = schema;
      let levels = 0;
      for (let next = name; at['properties'] !== undefined; next = 'a', levels++) at = (at['properties'] as JsonSchema)[next] as JsonSchema;
      return levels;
    };
    const deep = (levels: number, bottom: JsonSchema): JsonSchema => nest(levels, (a) => object({ a }), bottom);
    const result = normalizeToolSchema(object({ first: reference('T'), second: deep(80, reference('T')) }, { $defs: { T: deep(60, string) } }));
    expect(levelsOf(result, 'first')).toBe(61);
    expect(levelsOf(result, 'second')).toBe(81);
  });

  test('a reference that is too deep is cut to type and description of its target', () => {
    for (const levels of [100, 101]) {
      const { text } = normalized({ ...nest(levels, (a) => object({ a }), reference('D')), $defs: { D: { ...integer, description: 'the target' } } });
      expect(text).toContain('{"a":{"type":"integer","description":"the target"}}');
    }
  });

  test('objects that contain themselves', () => {
    const node: Record<string, unknown> = { type: 'object', description: 'A node' };
    node['properties'] = { self: node, maybe: { anyOf: [node, nothing] } };
    expect(normalized(node).result).toEqual(
      object({ self: { type: 'object', description: 'A node' }, maybe: { type: 'object', description: 'A node' } }, { description: 'A node' }),
    );
    const plain: Record<string, unknown> = { type: 'object' };
    plain['properties'] = { self: plain };
    expect(normalized(plain).result).toEqual(object({ self: { type: 'object' } }));
    const data: Record<string, unknown> = {};
    data['self'] = data;
    expect(normalizeToolSchema({ anyOf: [{ const: data }, { const: data }, { const: { self: data } }] })['enum']).toEqual([data, { self: data }]);
  });

  test('merges end at a bound, with a note', () => {
    const wide = (count: number): JsonSchema => object(Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, string])));
    const sites = (site: (index: number) => JsonSchema): JsonSchema =>
      object(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`s${index}`, site(index)])), { $defs: { L: wide(1_000) } });
    const widened = (schema: JsonSchema): number => explainToolSchema(schema).filter(({ action }) => action === 'widened').length;
    const own = (index: number): JsonSchema => object({ [`x${index}`]: string });
    for (const keyword of ['allOf', 'anyOf']) {
      const mixed = (index: number): JsonSchema => ({ [keyword]: [reference('L'), own(index)] });
      // Alone, no such merge is too large.
      expect(widened(sites(mixed))).toBeGreaterThan(100);
      expect(widened(object({ one: mixed(0) }, { $defs: { L: wide(1_000) } }))).toBe(keyword === 'allOf' ? 0 : 1);
    }
  });

  test('patterns that take for ever are not tried', () => {
    const schema = {
      allOf: [{ properties: { [`${'a'.repeat(40)}!`]: string } }, { patternProperties: { '^(a+)+$': string, '^a*a*a*a*a*a*$': string }, ...closed }],
    };
    // Tried, they would never end.
    expect(normalized(schema).text).not.toContain('allOf');
  });

  test('names of Object.prototype are names like others', () => {
    const text =
      '{"type":"object","properties":{"__proto__":{"anyOf":[{"type":"string"}]},"constructor":{"type":"integer"}},"$defs":{"__proto__":{"type":"boolean"}},' +
      '"allOf":[{"properties":{"__proto__":{"minLength":1},"toString":{"$ref":"#/$defs/__proto__"}},"required":["__proto__"]},{"anyOf":[{"properties":{"valueOf":{}}},{"properties":{"__proto__":{}}}]}]}';
    const { text: out } = normalized(JSON.parse(text) as JsonSchema);
    expect(JSON.parse(out)).toEqual(
      JSON.parse(
        '{"type":"object","properties":{"__proto__":{"type":"string","minLength":1},"constructor":{"type":"integer"},"toString":{"type":"boolean"},"valueOf":{}},"required":["__proto__"]}',
      ),
    );
    expect(({} as JsonSchema)['minLength']).toBe(undefined);
  });

  test('keywords without a value are not sent, so they do not count', () => {
    const result = normalizeToolSchema(object({ a: { ...string, $ref: undefined, anyOf: undefined } }));
    expect(result).toEqual(object({ a: string }));
    expect(normalizeToolSchema(result)).toBe(result);
    expect(explainToolSchema(object({ a: { ...string, $ref: undefined, anyOf: undefined } }))).toEqual([]);
  });

  test('a date stays a date where the schema has no JSON', () => {
    const result = normalizeToolSchema({ anyOf: [{ ...string, default: new Date(0), examples: [1n] }] });
    expect(result).toEqual({ ...string, default: new Date(0), examples: [1n] });
  });

  test('inherited keywords are not sent, so they do not count', () => {
    const inherited: JsonSchema = Object.assign(Object.create({ anyOf: [string], minLength: 5 }) as object, { type: 'string' });
    const result = normalizeToolSchema({ anyOf: [inherited], title: 't' });
    expect(result).toEqual({ ...string, title: 't' });
    expect(result['minLength']).toBe(undefined);
    const closing = Object.assign(Object.create({ unevaluatedProperties: false, type: 'string' }) as object, { allOf: [{}] });
    expect({ ...normalizeToolSchema(closing as JsonSchema) }).toEqual({});
  });
});
