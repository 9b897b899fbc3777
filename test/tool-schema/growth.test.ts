import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { figuresOf } from '../../scripts/service/corpus/schemas.ts';
import { explainToolSchema, isModelsvcError, sanitizeToolSchemas } from '../../src/overlay/index.ts';
import type { JsonSchema } from '../../src/types/index.ts';

const string = { type: 'string' };
const object = (properties: JsonSchema, more: JsonSchema = {}): JsonSchema => ({ type: 'object', properties, ...more });
const reference = (name: string, more: JsonSchema = {}): JsonSchema => ({ $ref: `#/$defs/${name}`, ...more });
const bytes = (schema: unknown): number => Buffer.byteLength(JSON.stringify(schema));

function rewritten(schema: JsonSchema, maxGrowth?: number): JsonSchema {
  return sanitizeToolSchemas([{ input_schema: schema }], { maxGrowth })[0]?.input_schema as JsonSchema;
}

const cuts = (schema: JsonSchema, maxGrowth?: number) => explainToolSchema(schema, { maxGrowth }).filter(({ action }) => action === 'cut');

/** The schema at a path like `a.b`: property names, and `[]` for items. */
function at(schema: JsonSchema, path: string): JsonSchema {
  return path.split('.').reduce((node, step) => (step === '[]' ? node['items'] : (node['properties'] as JsonSchema)[step]) as JsonSchema, schema);
}

const fields = (count: number, of: (index: number) => unknown): JsonSchema =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, of(index)]));

/** Three levels; each refers several times to the next. About 15 kB, which grow to more than 500 kB. */
const repeated: JsonSchema = object(
  { first: reference('Outer'), second: reference('Outer', { description: 'The second.' }), list: { type: 'array', items: reference('Outer') } },
  {
    $defs: {
      Outer: object(
        fields(8, (index) => reference('Middle', { description: `Middle ${index}` })),
        { description: 'The outer.' },
      ),
      Middle: object({ ...fields(6, () => reference('Inner')), mode: { enum: ['fast', 'slow'] } }, { description: 'The middle.' }),
      Inner: object(
        fields(90, (index) => ({ type: 'string', description: `Description of the inner field with the number ${index}: ${'é'.repeat(30)}` })),
        { description: 'The inner.' },
      ),
    },
  },
);

describe('a rewritten schema is at most twice its input, or 12 kB', () => {
  it('of repeated references that grow 15 kB beyond 500 kB', () => {
    expect(bytes(repeated)).toBeGreaterThan(13_000);
    expect(bytes(rewritten(repeated, 1_000))).toBeGreaterThan(500_000);
    expect(bytes(rewritten(repeated))).toBeLessThanOrEqual(2 * bytes(repeated));
  });

  it('of references that double at every level', () => {
    for (const more of [{}, { description: 'Text that stands at every level.' }]) {
      const levels = Array.from({ length: 40 }, (_, level) => {
        const next = reference(`L${level + 1}`);
        return [`L${level}`, object({ left: next, right: next }, more)] as const;
      });
      const result = rewritten({ ...reference('L0'), $defs: { ...Object.fromEntries(levels), L40: string } });
      expect(bytes(result)).toBeLessThanOrEqual(12_000);
      expect(bytes(result)).toBeGreaterThan(11_000);
    }
  });

  it('of one heavy definition with many references', () => {
    const values = Array.from({ length: 2_000 }, (_, index) => `value ${index}`);
    const schema = object(
      fields(500, () => reference('E')),
      { $defs: { E: { ...string, enum: values, description: 'd'.repeat(4_000) } } },
    );
    const result = rewritten(schema);
    expect(bytes(result)).toBeLessThanOrEqual(2 * bytes(schema));
    expect(Object.keys(result['properties'] as JsonSchema)).toHaveLength(500);
    expect(at(result, 'field0')).toHaveProperty('enum', values);
    expect(at(result, 'field7')).not.toHaveProperty('enum');
  });

  it.each<[string, (index: number) => JsonSchema]>([
    ['a reference', () => reference('Big')],
    ['a reference with a description', (index) => reference('Big', { description: `Number ${index}` })],
    ['an allOf of two references', () => ({ allOf: [reference('Big'), reference('More')] })],
    ['a union of two references', () => ({ anyOf: [reference('Shut'), reference('None')] })],
    ['an allOf of a reference', (index) => ({ allOf: [reference('Big')], description: `Number ${index}` })],
    ['an optional reference', (index) => ({ anyOf: [reference('Big'), { type: 'null' }], description: `Number ${index}`, default: null })],
  ])('repeats are cut before a schema that is written once: %s', (_form, repeat) => {
    const values = (name: string, count: number): JsonSchema =>
      object(fields(count, (index) => ({ ...string, description: `Field ${index} of ${name}`, enum: [`${name} a${index}`, `${name} b${index}`] })));
    const once = object({ below: object({ deep: values('once', 30) }) });
    const schema = object(
      { ...fields(40, repeat), once },
      {
        $defs: {
          Big: values('big', 100),
          More: object({ more: string }),
          Shut: { ...values('big', 100), additionalProperties: false },
          None: { type: 'object', additionalProperties: false },
        },
      },
    );
    const result = rewritten(schema);
    expect(bytes(result)).toBeLessThanOrEqual(2 * bytes(schema));
    expect(at(result, 'once')).toEqual(once);
    expect(Object.values(at(result, 'field0')['properties'] as JsonSchema).filter((field) => (field as JsonSchema)['enum'])).toHaveLength(100);
  });

  it('with another factor as well', () => {
    for (const maxGrowth of [1, 1.5, 4, 10]) {
      expect(bytes(rewritten(repeated, maxGrowth))).toBeLessThanOrEqual(Math.max(12_000, maxGrowth * bytes(repeated)));
      expect(bytes(rewritten(repeated, maxGrowth))).toBeGreaterThan(maxGrowth * 0.8 * bytes(repeated));
    }
  });

  it('of objects that are shared in memory: they count as often as they are sent', () => {
    const shared = object(fields(200, (index) => ({ ...string, description: `Field ${index} of the shared object` })));
    const schema = object({ ...fields(6, () => shared), either: { anyOf: [string, { type: 'null' }] } });
    expect(cuts(schema)).toEqual([]);
    expect(bytes(rewritten(schema))).toBeGreaterThan(70_000);
  });
});

describe('the cut', () => {
  const result = rewritten(repeated);

  it('spares what is written for the first time', () => {
    expect(Object.keys(at(result, 'first.field0.field0')['properties'] as JsonSchema)).toHaveLength(90);
    expect(at(result, 'first.field0.field0.field89')['description']).toContain('number 89');
    expect(at(result, 'first.field0.mode')).toHaveProperty('enum', ['fast', 'slow']);
  });

  it('leaves type and description of repeats, the deepest first', () => {
    expect(at(result, 'first.field0.field1')).toEqual({ type: 'object', description: 'The inner.' });
    expect(at(result, 'second')).toHaveProperty('description', 'The second.');
    expect(Object.keys(at(result, 'second')['properties'] as JsonSchema)).toHaveLength(8);
    expect(at(result, 'list.[].field3')).toHaveProperty('description', 'Middle 3');
  });

  it('is reported, with the place in the input', () => {
    expect(cuts(repeated)).toContainEqual({ pointer: '/$defs/Inner', action: 'cut' });
    expect(cuts(repeated, 1_000)).toEqual([]);
  });

  it('is reported at the place of a merge, not at one of its sides', () => {
    const big = object(fields(100, (index) => ({ ...string, description: `Field ${index} of a large schema` })));
    const schema = object(
      fields(40, () => ({ allOf: [reference('Big'), reference('More')] })),
      { $defs: { Big: big, More: object({ more: string }) } },
    );
    const pointers = cuts(schema).map(({ pointer }) => pointer);
    expect(pointers).toContain('/properties/field0');
    expect(pointers).not.toContain('/$defs/Big');
  });

  it('makes no difference below 12 kB, and is the same every time', () => {
    const small = object(
      fields(20, () => reference('T')),
      { $defs: { T: object(fields(10, () => string)) } },
    );
    expect(bytes(rewritten(small))).toBeGreaterThan(2 * bytes(small));
    expect(cuts(small)).toEqual([]);
    expect(JSON.stringify(rewritten(structuredClone(repeated)))).toBe(JSON.stringify(result));
  });

  it('spares `contains`: one that is wider could match more items than `maxContains` allows', () => {
    const big = object(fields(60, (index) => ({ ...string, description: `A long description, number ${index}` })));
    const list = { contains: object({ a: string }), maxContains: 1 };
    const schema = object({ list, ...fields(9, () => reference('Big')) }, { $defs: { Big: big } });
    expect(at(rewritten(schema, 1), 'list')).toEqual(list);
  });

  it('keeps names, descriptions, enums, and every value of a schema from an API description', () => {
    const { inputSchema } = JSON.parse(readFileSync(new URL('../corpus/schemas/openapi-repeated.json', import.meta.url), 'utf8')) as {
      inputSchema: JsonSchema;
    };
    const tools = [{ name: 'openapi-repeated', inputSchema }];
    const { names, descriptions, enums, ...cut } = figuresOf(tools);
    expect(cut).toMatchObject({ violations: [], aboveBound: [], growth: { aboveTwice: 0 } });
    expect(cut.pairs).toBeGreaterThan(30);
    const uncut = figuresOf(tools, { maxGrowth: 100 });
    expect(uncut.growth.largest).toBeGreaterThan(20);
    expect({ names, descriptions, enums }).toEqual({ names: uncut.names, descriptions: uncut.descriptions, enums: uncut.enums });
  });
});

test('a misspelt option is refused', () => {
  expect(() => sanitizeToolSchemas([], { maxgrowth: 3 } as never)).toThrow(/maxgrowth is unknown; did you mean maxGrowth\?/);
});

test('maxGrowth is a number of at least 1', () => {
  for (const maxGrowth of [0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, '3' as never]) {
    for (const call of [() => sanitizeToolSchemas([], { maxGrowth }), () => explainToolSchema({}, { maxGrowth })]) {
      expect(call).toThrow(/maxGrowth must be a number of at least 1/);
      try {
        call();
      } catch (error) {
        expect(isModelsvcError(error, 'validation')).toBe(true);
      }
    }
  }
});
