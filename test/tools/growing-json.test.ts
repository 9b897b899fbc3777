// A value that grows with its text: pieces of any size give a beginning of the complete value, and in the end all of it.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../src/overlay/json/exact.ts';
import { parseLenient } from '../../src/overlay/json/json-in-text.ts';
import { GrowingJson } from '../../src/overlay/tools/growing-json.ts';

/** The values after each piece, as copies. */
function shown(...pieces: readonly string[]): unknown[] {
  const json = new GrowingJson();
  return pieces.flatMap((piece) => (json.add(piece) ? [structuredClone(json.value)] : []));
}

/** The steps of a text that comes in single characters, as JSON. */
function steps(text: string): string[] {
  const json = new GrowingJson();
  return [...text].flatMap((piece) => (json.add(piece) ? [JSON.stringify(json.value)] : []));
}

const last = (text: string): unknown => {
  const json = new GrowingJson();
  json.add(text);
  return json.value;
};

const isWithinPair = (text: string, at: number): boolean => /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(Math.max(0, at - 1), at + 1));

function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part) && !isWithinPair(whole, part.length);
  if (Array.isArray(part)) return Array.isArray(whole) && part.length <= whole.length && part.every((one, at) => isBeginning(one, whole[at]));
  if (typeof part !== 'object' || part === null) return Object.is(part, whole);
  const names = Object.keys(part);
  return names.every((name) => Object.hasOwn(whole as object, name) && isBeginning(part[name as never], (whole as object)[name as never]));
}

describe('a growing value', () => {
  it('grows a text, and has a number or a word when it is complete', () => {
    expect(steps('{"a":"xy","n":12,"w":true,"l":[null,-1.5e3]}')).toEqual([
      '{}',
      '{"a":""}',
      '{"a":"x"}',
      '{"a":"xy"}',
      '{"a":"xy","n":12}',
      '{"a":"xy","n":12,"w":true}',
      '{"a":"xy","n":12,"w":true,"l":[]}',
      '{"a":"xy","n":12,"w":true,"l":[null]}',
      '{"a":"xy","n":12,"w":true,"l":[null,-1500]}',
    ]);
  });

  it('is one object, whatever is added to it', () => {
    const json = new GrowingJson();
    const seen = new Set<unknown>();
    const inner = new Set<unknown>();
    for (const piece of '{"a":{"b":["x","y"]},"c":[{}]}') {
      if (!json.add(piece)) continue;
      seen.add(json.value);
      inner.add((json.value as { a?: object }).a);
    }
    expect([seen.size, [...inner].filter(Boolean).length]).toEqual([1, 1]);
  });

  it('is a beginning of the whole value in pieces of any size, and the value at the end', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    const texts = fc
      .tuple(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1))
      .filter(([value]) => typeof value === 'object' && value !== null)
      .map(([value, space]) => JSON.stringify(value, undefined, space));
    const around = fc.constantFrom(['', ''], ['```json\n', '\n```'], ['<think>{"a": 1}</think>', ''], ['Here [it] is: ', ' Bye [1].']);
    fc.assert(
      fc.property(texts, cuts, around, (text, sizes, [before, after]) => {
        const whole = parseJson(text)?.value;
        const json = new GrowingJson();
        const answer = `${before}${text}${after}`;
        for (let at = 0, step = 0; at < answer.length; step++) {
          const size = sizes[step % sizes.length] as number;
          json.add(answer.slice(at, at + size));
          at += size;
          if (json.value !== undefined) expect(isBeginning(json.value, whole)).toBe(true);
        }
        expect(json.value).toEqual(whole);
      }),
      { numRuns: 300 },
    );
  });

  it('begins another value after the end of a thought that had no beginning', () => {
    const [thought, answer] = ['Is it {"a": [1]}? </thin', '{"b":"</think>"}'];
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (sizes) => {
        const json = new GrowingJson();
        const text = `${thought}k>${answer}`;
        for (let at = 0, step = 0; at < text.length; step++) {
          const size = sizes[step % sizes.length] as number;
          const grown = json.add(text.slice(at, at + size));
          at += size;
          if (!grown) continue;
          expect(json.value).not.toHaveProperty(at < thought.length + 2 ? 'b' : 'a');
        }
        expect(json.value).toEqual(JSON.parse(answer));
      }),
    );
    expect(last('{"a":1} </think> none')).toBeUndefined();
  });

  it.each([
    ['an integer beyond a number', '[12345678901234567890,-1]'],
    ['names twice', '{"a":{"b":1},"a":"c","d":2}'],
    ['a name of a prototype', '{"__proto__":{"polluted":1},"b":{"__proto__":"text","constructor":1}}'],
    ['names of digits', '{"2":1,"1":2}'],
    ['commas behind the last item', '{"a":[1,],}'],
    ['raw line ends, beside escapes', '{"a\n":"b\r\n\tc\\"\n"}'],
    ['escapes', String.raw`["\"\\\/\b\f\n\r\t\u00e9\ud83c\udf27\ud83c","\udf27"]`],
    ['half of a pair, raw', '["\ud83c","\udf27\ud83c\\udf27"]'],
    ['blanks', ' \r\n{ "a" :\t1 , "b" : [ ] }\n'],
  ])('%s: the value that the whole text has', (_, text) => {
    const { value } = parseLenient(text) ?? {};
    const seen = new GrowingJson();
    for (let at = 0; at < text.length; at++) seen.add(text.charAt(at));
    for (const grown of [last(text), seen.value]) {
      expect(grown).toEqual(value);
      expect(JSON.stringify(grown)).toBe(JSON.stringify(value));
    }
    expect({}).not.toHaveProperty('polluted');
  });

  it('never shows half an escape or half a surrogate pair', () => {
    expect(shown('["', '\\ud83', 'c', '\\', 'udf27', 'a\ud83c', '\udf27', '\\', 'n"]')).toEqual([[''], ['🌧'], ['🌧a'], ['🌧a🌧'], ['🌧a🌧\n']]);
  });

  it.each([
    ['words', ['No ', 'value ', 'here.'], []],
    ['remarks in brackets', ['[sic] {name} [a ', '{x: ', '1}'], []],
    ['a number of a source', ['as in [', '1'], []],
    ['lists of lists', ['[', '[', '1', ']', ']'], [[[1]]]],
    ['a list of one', ['[1', ']'], [[1]]],
    ['an empty one', ['{', '}'], [{}]],
    ['a thought in pieces', [' ', '<th', 'ink>{"a":1}</', 'thi', 'nk>', '{"b', '":2}'], [{}, { b: 2 }]],
    ['a thought that does not end', ['<think>{"a":1}'], []],
    ['a text encoded twice', ['"{\\"a\\":1}"'], []],
    ['a second value', ['{"a":1}', ' or {"b":2}'], [{ a: 1 }]],
    ['a value that breaks', ['{"a":1', ',"b" 2', ',"c":3}'], [{}, { a: 1 }]],
    ['an escape that is not one', ['["\\x', 'a"]'], [['']]],
    ['a word that is not one', ['{"a":nul,"b":1}'], [{}]],
    ['no pieces', ['', ''], []],
  ])('shows of %s only what can be an answer', (_, pieces, values) => {
    expect(shown(...pieces)).toEqual(values);
  });

  it('has no limit of depth, and no recursion', () => {
    const deep = 10_000;
    let value = last(`${'[{"a":'.repeat(deep)}"x`);
    for (let level = 0; level < deep; level++) value = (value as { a: unknown }[])[0]?.a;
    expect(value).toBe('x');
  });
});
