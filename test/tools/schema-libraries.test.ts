import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import Type from 'typebox';
import * as v from 'valibot';
import { describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as z3 from 'zod/v3';
import * as z40 from 'zod-4.0';
import * as z41 from 'zod-4.1';
import {
  type Client,
  defineTool,
  newClient,
  newFunctionTool,
  newJSONSchemaFormat,
  outputFormat,
  type TypedTool,
  toolRun,
} from '../../src/overlay/index.ts';
import type { SchemaSource } from '../../src/types/index.ts';
import { textOf } from '../docs/snippets.ts';
import { sharedFake } from '../support/fake.ts';

const zodTrip = z.object({ city: z.string(), days: z.number(), unit: z.enum(['C', 'F']).optional() });
const miniTrip = mini.object({ city: mini.string(), days: mini.number(), unit: mini.optional(mini.enum(['C', 'F'])) });
const zod40Trip = z40.object({ city: z40.string(), days: z40.number(), unit: z40.enum(['C', 'F']).optional() });
const zod41Trip = z41.object({ city: z41.string(), days: z41.number(), unit: z41.enum(['C', 'F']).optional() });
const zod3Trip = z3.object({ city: z3.string(), days: z3.number(), unit: z3.enum(['C', 'F']).optional() });
const valibotTrip = v.object({ city: v.string(), days: v.number(), unit: v.optional(v.picklist(['C', 'F'])) });
const typeboxTrip = Type.Object({ city: Type.String(), days: Type.Number(), unit: Type.Optional(Type.Enum(['C', 'F'])) });
const plainTrip = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'number' }, unit: { enum: ['C', 'F'] } },
  required: ['city', 'days'],
};

/** The same schema in every form that is accepted. */
const accepted: Readonly<Record<string, SchemaSource>> = {
  'zod 4': zodTrip,
  'zod 4, converted': z.toJSONSchema(zodTrip),
  'zod mini, converted': z.toJSONSchema(miniTrip, { io: 'input' }),
  'zod mini, a pair': { schema: miniTrip, jsonSchema: z.toJSONSchema(miniTrip, { io: 'input' }) },
  'zod 4.0, a pair': { schema: zod40Trip, jsonSchema: z40.toJSONSchema(zod40Trip, { io: 'input' }) },
  'zod 4.1, a pair': { schema: zod41Trip, jsonSchema: z41.toJSONSchema(zod41Trip, { io: 'input' }) },
  'zod 3, a pair': { schema: zod3Trip, jsonSchema: plainTrip },
  'valibot, toStandardJsonSchema': toStandardJsonSchema(valibotTrip),
  'valibot, toJsonSchema': { ...toJsonSchema(valibotTrip) },
  'valibot, a pair': { schema: valibotTrip, jsonSchema: { ...toJsonSchema(valibotTrip) } },
  arktype: type({ city: 'string', days: 'number', 'unit?': "'C' | 'F'" }),
  typebox: typeboxTrip,
  'JSON Schema': plainTrip,
};

const run = (input: unknown): unknown => input;
const toolOf = (input: unknown, name = 'trip'): TypedTool => defineTool({ name, description: 'Plan a trip', input: input as SchemaSource, run });

/** The keywords of the trip, without those that only some libraries write. */
function trip(schema: unknown): unknown {
  const { $schema, additionalProperties, required, properties, ...rest } = JSON.parse(JSON.stringify(schema));
  const { city, days, unit, ...others } = properties;
  return { ...rest, required: [...required].sort(), others, types: [city.type, days.type], unit: unit.enum, keys: Object.keys(city) };
}
const expected = { type: 'object', required: ['city', 'days'], others: {}, types: ['string', 'number'], unit: ['C', 'F'], keys: ['type'] };

const wrong = '{"city":["Metz"],"days":2}';
const good = '{"city":"Metz","days":2,"unit":"C"}';
const model = 'glm-5.2';
const messages = [{ role: 'user' as const, content: 'Plan.' }];
const fake = await sharedFake();

describe.each(Object.entries(accepted))('%s', (_, source) => {
  const client: Client = newClient(fake.configFor());

  it('a tool of it runs on the chat surface: schema, valid and invalid arguments', async () => {
    fake.chat
      .reply({ toolCalls: [{ name: 'trip', arguments: wrong }] })
      .reply({ toolCalls: [{ name: 'trip', arguments: good }] })
      .reply('Done.');
    const seen: unknown[] = [];
    const tool = defineTool({ name: 'trip', description: '', input: source, run: (input) => `planned ${seen.push(input)}` });
    const response = await client.chat().runWithTools(undefined, { model, messages }, [tool as TypedTool]);
    expect(seen).toEqual([{ city: 'Metz', days: 2, unit: 'C' }]);
    const [first, second] = fake.requests.map((one) => one.body as { tools: { function: { parameters: unknown } }[]; messages: object[] });
    expect(trip(first?.tools[0]?.function.parameters)).toEqual(expected);
    expect(JSON.stringify(second?.messages.at(-1))).toContain('do not fit: city');
    expect(toolRun(response)?.modelCalls).toBe(3);
  });

  it('a format of it reaches the wire, and parses answers', async () => {
    fake.chat.reply(good).reply(wrong);
    const format = outputFormat(source);
    const response = await client.chat().create(undefined, { model, messages, response_format: format });
    const sent = fake.requests[0]?.body as { response_format: { json_schema: { schema: unknown } } } | undefined;
    expect(trip(sent?.response_format.json_schema.schema)).toEqual(expected);
    expect(await format.parse(response)).toEqual({ city: 'Metz', days: 2, unit: 'C' });
    const invalid = await client.chat().create(undefined, { model, messages, response_format: format });
    await expect(format.parse(invalid)).rejects.toMatchObject({ problem: 'invalid', issues: [{ path: 'city' }] });
  });
});

describe('typebox', () => {
  it('its marks, codecs and patterns stay off the wire', () => {
    const at = Type.Codec(Type.String())
      .Decode((text) => new Date(text))
      .Encode(String);
    const even = Type.Refine(Type.Number(), (n) => n % 2 === 0);
    const schema = Type.Object({ at, even, code: Type.String({ pattern: /a.b/ }), kind: { type: 'string', '~kind': 'String' } });
    const properties = { at: { type: 'string' }, even: { type: 'number' }, code: { type: 'string', pattern: 'a.b' }, kind: { type: 'string' } };
    const json = { type: 'object', properties, required: ['at', 'even', 'code', 'kind'] };
    expect(toolOf(schema).jsonSchema).toStrictEqual(json);
    expect(JSON.parse(JSON.stringify(outputFormat(schema)))['json_schema'].schema).toEqual(json);
    expect(newFunctionTool('f', '', { ...schema }).function?.parameters).toStrictEqual(json);
  });
});

class Trip {
  city = 'Metz';
}
const notSchema = "is not JSON Schema: pass { type: 'object', properties: { … } } without a tool or format around it";
const wholeTool = { type: 'function', function: { name: 'trip', parameters: plainTrip } };

/** Sources that are refused, and the remedy in the message. */
const refused: readonly (readonly [string, unknown, string])[] = [
  ['zod 3', zod3Trip, 'is a schema of zod 3: build it with zod/v4 and z.toJSONSchema, or pass { schema, jsonSchema }'],
  ...(
    [
      ['zod 4.0', zod40Trip],
      ['zod 4.1', zod41Trip],
      ['zod mini', miniTrip],
    ] as const
  ).map(([name, schema]) => [name, schema, "is a schema of zod: pass { schema, jsonSchema: z.toJSONSchema(schema, { io: 'input' }) }"] as const),
  ['valibot', valibotTrip, 'is a schema of valibot: pass toStandardJsonSchema(schema) of @valibot/to-json-schema'],
  ['another library', { '~standard': { version: 1, vendor: 'own', validate: run } }, 'is a schema of own: pass { schema, jsonSchema }'],
  ['a pair without JSON Schema', { schema: valibotTrip }, 'must be JSON Schema'],
  ['a pair of two schemas', { schema: zodTrip, jsonSchema: zodTrip }, 'must be JSON Schema'],
  ['a raw shape of zod', { city: z.string() }, 'has no JSON at city: write z.object({ … }) or JSON Schema'],
  ['a raw shape of zod 3', { city: z3.string() }, 'has no JSON at city'],
  ['a raw shape of valibot', { city: v.string() }, 'has no JSON at city'],
  ['a raw shape of arktype', { city: type('string') }, 'has no JSON at city'],
  ['a raw shape of typebox', { city: Type.String() }, notSchema],
  ['a schema of zod inside JSON Schema', { type: 'object', properties: { city: z.string() } }, 'has no JSON at city'],
  ['a schema of valibot inside JSON Schema', { type: 'object', properties: { city: v.string() } }, 'has no JSON at city'],
  ['constructors of types', { city: String }, 'has no JSON at city'],
  ['names of types', { city: 'string', items: 'string' }, notSchema],
  ['properties alone', { city: { type: 'string' }, type: { type: 'string' } }, notSchema],
  ['a class', Trip, 'must be JSON Schema'],
  ['an instance', new Trip(), 'must be JSON Schema'],
  ['a function', () => plainTrip, 'must be JSON Schema. defineTool and outputFormat also take zod, valibot and arktype'],
  ['a list', [plainTrip], 'must be JSON Schema'],
  ['null', null, 'must be JSON Schema'],
  ['text', JSON.stringify(plainTrip), 'must be JSON Schema'],
  ['a promise', Promise.resolve(plainTrip), 'is a promise: await it'],
  ['a chat tool', wholeTool, notSchema],
  ['the function of a chat tool', { ...wholeTool.function, description: '' }, notSchema],
  ['a message tool', { name: 'trip', description: '', input_schema: plainTrip }, notSchema],
  ['a format', { type: 'json_schema', json_schema: { name: 'x', schema: plainTrip } }, notSchema],
  ['a typed tool', toolOf(plainTrip), 'has no JSON at run'],
];

describe.each(refused)('%s is refused', (_, source, words) => {
  const refusal = (start: string): object => expect.objectContaining({ kind: 'validation', message: expect.stringMatching(start) });

  it('by defineTool and outputFormat, with the name and the remedy in one line', () => {
    expect(() => toolOf(source, 'weather')).toThrow(words);
    expect(() => toolOf(source, 'weather')).toThrow(refusal('^defineTool: input(\\.jsonSchema)? of weather [^\\n]+$'));
    expect(() => outputFormat(source as SchemaSource, { name: 'report' })).toThrow(words);
    expect(() => outputFormat(source as SchemaSource, { name: 'report' })).toThrow(
      refusal('^outputFormat: schema(\\.jsonSchema)? of report [^\\n]+$'),
    );
  });

  it('by the constructors of plain tools and formats', () => {
    expect(() => newFunctionTool('f', '', source as never)).toThrow(refusal('^newFunctionTool: parameters of f '));
    expect(() => newJSONSchemaFormat('g', source as never, true)).toThrow(refusal('^newJSONSchemaFormat: schema of g '));
  });
});

it('a missing schema is refused', () => {
  expect(() => toolOf(undefined)).toThrow('defineTool: input of trip must be JSON Schema');
  expect(() => outputFormat(undefined as never)).toThrow('outputFormat: schema of response must be JSON Schema');
});

describe('constructors of plain tools and formats', () => {
  it.each([
    ['zod 4', zodTrip],
    ['arktype', type({ city: 'string' })],
    ['a standard JSON Schema', toStandardJsonSchema(valibotTrip)],
  ])('refuse %s, which defineTool and outputFormat convert', (_, schema) => {
    const words = 'must be JSON Schema. defineTool and outputFormat also take zod, valibot and arktype';
    expect(() => newFunctionTool('f', '', schema as never)).toThrow(`newFunctionTool: parameters of f ${words}`);
    expect(() => newJSONSchemaFormat('g', schema as never, true)).toThrow(`newJSONSchemaFormat: schema of g ${words}`);
  });

  it('take JSON Schema in all its forms', () => {
    const shared = { type: 'string' };
    const cyclic: Record<string, unknown> = { type: 'object', properties: { a: shared, b: shared } };
    (cyclic['properties'] as Record<string, unknown>)['self'] = cyclic;
    const copy = newFunctionTool('f', '', cyclic).function?.parameters as typeof cyclic;
    expect(copy).toEqual(cyclic);
    expect((copy['properties'] as Record<string, unknown>)['self']).toBe(copy);
    for (const schema of [{}, { $ref: '#/$defs/a', $defs: { a: {} } }, { const: 'x' }, { type: ['object', 'null'] }, { additionalProperties: true }])
      expect(newJSONSchemaFormat('g', schema, true).json_schema?.schema).toEqual(schema);
    const named = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}');
    expect(JSON.stringify(newFunctionTool('f', '', named).function?.parameters)).toBe(JSON.stringify(named));
  });
});

test('the guide names the libraries and versions that are tried here', () => {
  const rows = textOf('docs/guides/structured-output.md').split('| schema | conversion |')[1]?.split('\n\n')[0]?.split('\n').slice(2) ?? [];
  const cells = rows.map((row) => row.split('|').map((cell) => cell.trim()));
  const versionOf = (name: string): string => JSON.parse(textOf(`node_modules/${name}/package.json`)).version;
  expect(Object.fromEntries(cells.map(([, name, conversion]) => [name, conversion?.startsWith('`{') ? 'a pair' : conversion]))).toEqual({
    'zod from 4.2': 'built in',
    '`zod/mini`, zod 4.0, zod 4.1': 'a pair',
    'zod 3': 'a pair',
    'arktype 2.2': 'built in',
    valibot: '`toStandardJsonSchema` of `@valibot/to-json-schema`',
    TypeBox: 'is JSON Schema',
    'JSON Schema': 'only types, required properties and enums are checked',
  });
  expect(['zod-4.0', 'zod-4.1', 'arktype'].map((name) => versionOf(name).replace(/\.\d+$/, ''))).toEqual(['4.0', '4.1', '2.2']);
});
