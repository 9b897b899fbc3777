import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineTool, type TypedTool } from '../../src/overlay/index.ts';
import type { SchemaSource } from '../../src/types/index.ts';

const call = { signal: new AbortController().signal, callId: 'a', round: 1 };

it('the description of a tool is its name, unless it has one', () => {
  const bare = defineTool({ name: 'clock', input: {}, run: () => 'noon' });
  const empty = defineTool({ name: 'clock', description: '', input: {}, run: () => 'noon' });
  expect([bare.as('chat').function?.description, bare.as('responses').description, bare.as('messages').description]).toEqual(Array(3).fill('clock'));
  expect(empty.description).toBe('');
});

async function outcome(tool: TypedTool, argumentsText: string): Promise<unknown> {
  const prepared = await tool.prepare(argumentsText);
  return prepared.problem ?? prepared.run(call);
}

const echo = <const Source extends SchemaSource>(input: Source): TypedTool =>
  defineTool({ name: 'trip', description: 'Plan a trip', input, run: (value) => value }) as TypedTool;

// The forms of other libraries are in schema-libraries.test.ts.
describe('a tool by zod', () => {
  const trip = z.object({ city: z.string().min(2), days: z.number(), stops: z.array(z.object({ name: z.string() })).optional() });
  const tool = echo(trip);

  it('hands on the validated value, with strings repaired', async () => {
    expect(await outcome(tool, '{"city":"Paris","days":"3","stops":"[{\\"name\\":\\"Metz\\"}]"}')).toEqual({
      city: 'Paris',
      days: 3,
      stops: [{ name: 'Metz' }],
    });
  });

  it('names the problem, its place, and the expected value', async () => {
    const words = await outcome(tool, '{"city":"P","days":2,"stops":[{}]}');
    expect(words).toMatch(/^the arguments of trip do not fit: /);
    expect(words).toContain('city');
    expect(words).toContain('stops[0]');
    expect(words).toContain('expected { city: string (required), days: number (required), stops: array }');
    expect(await outcome(tool, '{"city": Paris}')).toMatch(/^the arguments of trip are not valid JSON; expected \{ city: string/);
  });
});

describe('values a schema makes', () => {
  it('defaults and transforms reach run, asynchronous checks too', async () => {
    const input = z.object({
      when: z.string().transform((text) => new Date(text)),
      nights: z.number().default(2),
      id: z.string().refine(async (text) => text !== 'taken', 'is taken'),
    });
    const tool = defineTool({ name: 'book', description: '', input, run: ({ when, nights }) => `${when.getFullYear()} ${nights}` });
    expect(await outcome(tool, '{"when":"2026-01-02","id":"free"}')).toBe('2026 2');
    expect(await outcome(tool, '{"when":"2026-01-02","id":"taken"}')).toContain('id: is taken');
  });

  it('a coercing schema does not take the text false for true', async () => {
    expect(await outcome(echo(z.object({ sure: z.coerce.boolean() })), '{"sure":"false"}')).toEqual({ sure: false });
  });

  it('a value that only the repair made wrong counts as it came', async () => {
    const tool = echo({ schema: z.object({ n: z.string() }), jsonSchema: { type: 'object', properties: { n: { type: 'number' } } } });
    expect(await outcome(tool, '{"n":"5"}')).toEqual({ n: '5' });
  });

  it('a union of objects may be the root', async () => {
    const circle = z.object({ kind: z.literal('circle'), radius: z.number() });
    const square = z.object({ kind: z.literal('square'), side: z.number() });
    const tool = echo(z.discriminatedUnion('kind', [circle, square]));
    expect(await outcome(tool, '{"kind":"square","side":"2"}')).toEqual({ kind: 'square', side: 2 });
    expect(await outcome(tool, '{"kind":"square","radius":2}')).toContain('side');
  });

  it('a validator that throws is reported like any other fault', async () => {
    const input = {
      schema: { '~standard': { version: 1 as const, vendor: 'x', validate: () => Promise.reject(new Error('no database')) } },
      jsonSchema: { type: 'object' },
    };
    expect(await outcome(echo(input), '{}')).toBe('the arguments of trip could not be checked: no database');
  });
});

describe('a tool by JSON Schema alone', () => {
  const tool = echo({
    type: 'object',
    properties: { unit: { enum: ['c', 'f'] }, at: { type: ['string', 'null'] }, n: { $ref: '#/$defs/n' }, kind: { const: 'x' } },
    required: ['unit'],
    $defs: { n: { type: 'integer' } },
  });

  it.each([
    ['{"unit":"c","at":null,"n":"4","kind":"x","more":[]}', { unit: 'c', at: null, n: 4, kind: 'x', more: [] }],
    [
      '{"unit":"k"}',
      'the arguments of trip do not fit: unit: must be one of "c", "f"; expected { unit: "c" | "f" (required), at: string | null, n: integer, kind: "x" }',
    ],
    ['{"unit":"c","n":true}', expect.stringContaining('do not fit: n: must be integer, not boolean')],
    ['{"unit":"c","kind":"y"}', expect.stringContaining('do not fit: kind: must be "x"')],
    ['{"at":7}', expect.stringContaining('unit: is required; at: must be string or null, not number')],
    ['[]', expect.stringContaining('do not fit: must be an object')],
    ['7', expect.stringContaining('do not fit: must be an object')],
  ])('%s', async (text, result) => {
    expect(await outcome(tool, text)).toEqual(result);
  });

  it('a tool without arguments takes an empty text', async () => {
    expect(await outcome(echo({ type: 'object' }), '')).toEqual({});
    expect(await outcome(echo({}), ' ')).toEqual({});
  });

  it('keys of the prototype are data', async () => {
    const value = await outcome(
      echo({ type: 'object', properties: { n: { type: 'integer' } } }),
      '{"__proto__":{"n":"1"},"constructor":"x","n":"2"}',
    );
    expect(JSON.stringify(value)).toBe('{"__proto__":{"n":"1"},"constructor":"x","n":2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('bad definitions', () => {
  const run = (): string => '';
  const cases: readonly [string, unknown, string][] = [
    ['a name with a space', { name: 'my tool', description: '', input: {}, run }, 'defineTool: name must match'],
    ['a long name', { name: 'x'.repeat(65), description: '', input: {}, run }, 'defineTool: name must match'],
    ['a description that is no text', { name: 'x', description: 5, input: {}, run }, 'defineTool: description must be a string'],
    ['no run', { name: 'x', description: '', input: {} }, 'defineTool: run must be a function'],
    ['a root that is no object', { name: 'x', description: '', input: z.string(), run }, 'defineTool: input of x must be a schema of an object'],
    [
      'a union of others as root',
      { name: 'x', description: '', input: z.union([z.string(), z.array(z.number())]), run },
      'must be a schema of an object',
    ],
    [
      'a reference to a list as root',
      { name: 'x', description: '', input: { $ref: '#/$defs/L', $defs: { L: { type: 'array' } } }, run },
      'must be a schema of an object',
    ],
    ['a list as root', { name: 'x', description: '', input: { type: 'array' }, run }, 'defineTool: input of x must be a schema of an object'],
    [
      'a schema that JSON Schema cannot say',
      { name: 'x', description: '', input: z.object({ at: z.date() }), run },
      'cannot be converted to JSON Schema: Date cannot be represented in JSON Schema, at at: use a codec, such as z.codec(z.iso.datetime(), z.date(), …), or z.string()',
    ],
    [
      'a list of bigints',
      { name: 'x', description: '', input: z.object({ any: z.any(), stops: z.array(z.object({ id: z.bigint().optional() })) }), run },
      ', at stops[].id: use a codec, such as z.codec(z.string(), z.bigint(), …), or z.string()',
    ],
    ['a map', { name: 'x', description: '', input: z.object({ of: z.map(z.string(), z.date()) }), run }, ', at of: use a codec from z.record(…)'],
    [
      'a set',
      { name: 'x', description: '', input: z.object({ of: z.tuple([z.string(), z.set(z.string())]) }), run },
      ', at of[1]: use a codec from z.array(…)',
    ],
    ['a date of a record', { name: 'x', description: '', input: z.record(z.string(), z.date()), run }, ', at [key]: use a codec'],
    ['a date of a union', { name: 'x', description: '', input: z.object({ a: z.union([z.string(), z.date()]) }), run }, ', at a: use a codec'],
  ];

  it.each(cases)('%s', (_, definition, words) => {
    expect(() => defineTool(definition as never)).toThrow(words);
    expect(() => defineTool(definition as never)).toThrow(expect.objectContaining({ kind: 'validation' }));
  });
});
