import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments, withoutFence } from '../../src/overlay/json/argument-repair.ts';
import { mendArguments } from '../../src/overlay/tools/argument-mending.ts';

describe('reading arguments', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['  \n', {}],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['```\n{"a":1}```', { a: 1 }],
    ['<arg_key>city</arg_key>\n<arg_value>Paris</arg_value><arg_key>days</arg_key><arg_value>3</arg_value>', { city: 'Paris', days: '3' }],
    ['null', null],
  ])('%s', (text, value) => {
    expect(parseArguments(text)).toMatchObject({ value });
  });

  it.each(['{"a":', '{a:1}', 'Paris', '{"a":1}}'])('%s is not guessed at', (text) => {
    expect(parseArguments(text)).toBeUndefined();
  });
});

describe('a fence', () => {
  it('is taken off as the pattern did that it replaces', () => {
    const part = fc.constantFrom('`', '```', 'json', 'J', ' ', '\n', '\t', '{}', '1', 'é');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), fc.boolean(), (parts, fenced) => {
        const text = (fenced ? `\`\`\`${parts.join('')}\`\`\`` : parts.join('')).trim();
        expect(withoutFence(text)).toBe(/^```[a-z]*\s*\n?([\s\S]*?)\s*```$/i.exec(text)?.[1] ?? text);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('leaked pairs', () => {
  it('are found as the pattern did that it replaces', () => {
    const part = fc.constantFrom('<arg_key>', '</arg_key>', '<arg_value>', '</arg_value>', ' ', '\n', 'a', 'b', '<', '>');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 14 }), (parts) => {
        const text = `x${parts.join('')}`;
        const pairs = [...text.matchAll(/<arg_key>([^<]*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g)];
        const value = Object.fromEntries(pairs.map(([, key = '', found = '']) => [key.trim(), found]));
        expect(parseArguments(text)).toEqual(pairs.length === 0 ? undefined : { value, json: JSON.stringify(value) });
      }),
      { numRuns: 5_000 },
    );
  });
});

const object = (properties: object, more: object = {}): Record<string, unknown> => ({ type: 'object', properties, ...more });

describe('repairing strings by the schema', () => {
  it.each([
    ['a number', { type: 'number' }, '1.5e3', 1500],
    ['a negative number', { type: 'number' }, ' -3 ', -3],
    ['a whole number', { type: 'integer' }, '3', 3],
    ['not a fraction for a whole number', { type: 'integer' }, '3.5', '3.5'],
    ['not a long id', { type: 'integer' }, '12345678901234567890', '12345678901234567890'],
    ['not what only looks like a number', { type: 'number' }, '0x10', '0x10'],
    ['not nothing', { type: 'number' }, '', ''],
    ['not infinity', { type: 'number' }, '1e999', '1e999'],
    ['a boolean', { type: 'boolean' }, 'true', true],
    ['a boolean as Python writes it', { type: 'boolean' }, 'False', false],
    ['null', { type: ['integer', 'null'] }, 'null', null],
    ['a list', { type: 'array', items: { type: 'integer' } }, '["1",2]', [1, 2]],
    ['an object', object({ n: { type: 'number' } }), '{"n":"7"}', { n: 7 }],
    ['not a list where an object is wanted', { type: 'object' }, '[1]', '[1]'],
    ['not a string that is allowed', { type: ['string', 'number'] }, '5', '5'],
    ['not a string where nothing is said', {}, '5', '5'],
    ['an enum of numbers', { enum: [1, 2] }, '2', 2],
    ['not an enum of strings', { enum: ['1', '2'] }, '2', '2'],
    ['a union', { anyOf: [{ type: 'number' }, { type: 'null' }] }, '5', 5],
    ['not a union with a string', { oneOf: [{ type: 'number' }, { type: 'string' }] }, '5', '5'],
    ['a reference', { $ref: '#/$defs/count' }, '5', 5],
    ['a merged schema', { allOf: [{ $ref: '#/$defs/count' }, { type: 'integer' }] }, '5', 5],
    ['a merged schema with a type in one part', { allOf: [{ $ref: '#/$defs/count' }, { minimum: 1 }] }, '5', 5],
    ['a type around branches without one', { type: 'number', anyOf: [{ minimum: 7 }, { maximum: 5 }] }, '5', 5],
    ['an anchor', { $ref: '#amount' }, '5', 5],
    ['not a reference to nowhere', { $ref: '#/$defs/none' }, '5', '5'],
    ['not a word for a contradiction', { allOf: [{ type: 'integer' }, { type: 'boolean' }] }, '5', '5'],
    ['what has properties', { properties: { n: { type: 'integer' } } }, '{"n":"7"}', { n: 7 }],
  ])('%s', (_, schema, text, value) => {
    const root = object({ x: schema }, { $defs: { count: { type: 'integer', $anchor: 'amount' } } });
    expect(mendArguments({ x: text }, root)).toEqual({ x: value });
  });

  it('reaches inside lists, tuples, unions of objects and maps', () => {
    const schema = object({
      list: { type: 'array', items: object({ n: { type: 'integer' } }) },
      pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'boolean' }] },
      shape: { anyOf: [object({ side: { type: 'number' } }), object({ radius: { type: 'number' } })] },
      map: { type: 'object', additionalProperties: { type: 'number' } },
    });
    const given = { list: [{ n: '1' }], pair: ['1', 'true'], shape: { radius: '2' }, map: { any: '3' } };
    expect(mendArguments(given, schema)).toEqual({ list: [{ n: 1 }], pair: ['1', true], shape: { radius: 2 }, map: { any: 3 } });
  });

  it('leaves a string that one branch of a union wants', () => {
    const schema = { oneOf: [object({ kind: { const: 'a' }, v: { type: 'number' } }), object({ kind: { const: 'b' }, v: { type: 'string' } })] };
    expect(mendArguments({ kind: 'b', v: '5' }, schema)).toEqual({ kind: 'b', v: '5' });
  });

  it('ends on recursive schemas and deep values', () => {
    const tree = { ...object({ next: { $ref: '#' }, n: { type: 'integer' } }), $defs: {} };
    expect(mendArguments({ next: { next: { n: '3' } } }, tree)).toEqual({ next: { next: { n: 3 } } });
    let deep: unknown = '1';
    for (let level = 0; level < 20_000; level++) deep = { next: deep };
    expect(mendArguments(deep, tree)).toBe(deep);
    const loop: Record<string, unknown> = { anyOf: [] };
    (loop['anyOf'] as unknown[]).push(loop);
    expect(mendArguments({ a: '1' }, loop)).toEqual({ a: '1' });
  });

  it('leaves a place alone that more schemas apply to than it looks at', () => {
    const many = (branch: object) => ({
      additionalProperties: { anyOf: Array.from({ length: 300 }, (_, index) => ({ ...branch, title: `${index}` })) },
    });
    const inside = { x: { y: '5' } };
    expect(mendArguments(inside, many(object({ y: { type: 'integer' } })))).toBe(inside);
    // The type of a place is clear, however many schemas apply to it.
    expect(mendArguments({ x: '5' }, many({ type: 'integer' }))).toEqual({ x: 5 });
  });

  it('never changes what it is given, and gives back the same value when it is valid', () => {
    const schema = object({ n: { type: ['integer', 'null'] }, list: { type: 'array', items: { type: 'boolean' } }, any: {} });
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const before = JSON.stringify(value);
        mendArguments(value, schema);
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
    const fine = { n: 1, list: [true], any: '5' };
    expect(mendArguments(fine, schema)).toBe(fine);
  });
});
