import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { checkFields, type KnownFields, nearestName } from '../../src/overlay/json/known-fields.ts';
import { Problem } from '../../src/overlay/json/problem.ts';

interface Options {
  readonly first: string;
  readonly second?: number;
}

const known: KnownFields<Options> = { first: 1, second: 1 };

function problemOf(options: unknown, place?: string): string | undefined {
  try {
    checkFields(options, known, place);
    return undefined;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.message;
  }
}

describe('the list of an options type', () => {
  it('has every field, and no other', () => {
    expectTypeOf<KnownFields<Options>>().toEqualTypeOf<{ readonly first: 1; readonly second: 1 }>();
    // @ts-expect-error A field is missing.
    const short: KnownFields<Options> = { first: 1 };
    // @ts-expect-error A field is unknown.
    const long: KnownFields<Options> = { first: 1, second: 1, third: 1 };
    expect([short, long]).toHaveLength(2);
  });

  it.each([
    [{}, undefined],
    [{ first: 1, second: undefined }, undefined],
    [{ other: undefined }, undefined],
    [Object.create({ other: 1 }), undefined],
    [{ frist: 1 }, 'options.frist is unknown; did you mean first?'],
    [{ something: null }, 'options.something is unknown; use one of first, second'],
    [{ constructor: 1 }, 'options.constructor is unknown; use one of first, second'],
    [JSON.parse('{"__proto__":1}'), 'options.__proto__ is unknown; use one of first, second'],
    [null, 'options must be an object of options'],
    ['first', 'options must be an object of options'],
    [[], 'options must be an object of options'],
    // Their content is not in fields, so it would be lost.
    [new URL('http://127.0.0.1'), 'options must be an object of options'],
    [new Map([['first', 1]]), 'options must be an object of options'],
    [new Headers({ first: '1' }), 'options must be an object of options'],
    [new Date(0), 'options must be an object of options'],
    [Object.create(null), undefined],
    [new (class {})(), undefined],
    [
      new (class {
        first = 1;
      })(),
      undefined,
    ],
    [{ first: 1, [Symbol.toStringTag]: 'Named' }, undefined],
  ])('%j: %s', (options, message) => {
    expect(problemOf(options, 'options')).toBe(message);
  });
});

describe('the nearest name', () => {
  const names = ['baseURL', 'timeout', 'maxRetries', 'maxReplyBytes', 'hooks'];

  it('is the name itself in any case, and one edit away from it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.nat(), fc.constantFrom('', 'x', 'é'), (name, at, letter) => {
        expect(nearestName(name.toUpperCase(), names)).toBe(name);
        const place = at % name.length;
        expect(nearestName(name.slice(0, place) + letter + name.slice(place + 1), names)).toBe(name);
        expect(nearestName(name.slice(0, place) + letter + name.slice(place), names)).toBe(name);
      }),
    );
  });

  it('is undefined for a text that resembles no name, of any length', () => {
    for (const text of ['', 'fetch', 'z'.repeat(1_000_000)]) expect(nearestName(text, names)).toBeUndefined();
  });
});
