// The JSON that a model meant: trailing commas, words around it, a thought before it. Never a guess.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { defineTool, isModelsvcError, outputFormat } from '../../src/overlay/index.ts';
import { onlyJsonIn, parseLenient } from '../../src/overlay/json/json-in-text.ts';
import { failure } from '../support/failure.ts';

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.integer(),
    fc.constantFrom(null, true, ',}', '"', '\\', '[', '{"a":1,}'),
    fc.string(),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('any'), { maxLength: 3 }),
  object: fc.dictionary(fc.string(), tie('any'), { maxKeys: 3, noNullPrototype: true }),
})) as { any: fc.Arbitrary<unknown>; list: fc.Arbitrary<unknown>; object: fc.Arbitrary<unknown> };
const container = fc.oneof(value.list, value.object);
const words = fc.constantFrom(
  'Here you are: ',
  'Sure!\n',
  '```json\n',
  '\n```',
  ' (see {name})',
  ' [sic]',
  '\nI hope that it "helps".',
  ' 5 < 6; ',
  '',
);

/** JSON with a comma after the last item of each container that has one. */
function withCommas(one: unknown): string {
  if (Array.isArray(one)) return `[${one.map((item) => `${withCommas(item)},`).join(' ')}\n]`;
  if (typeof one !== 'object' || one === null) return JSON.stringify(one);
  return `{${Object.entries(one)
    .map(([key, item]) => `${JSON.stringify(key)}: ${withCommas(item)},`)
    .join('')} }`;
}

describe('commas after the last item', () => {
  test('are read at every depth, and strings stay as they are', () => {
    fc.assert(
      fc.property(value.any, (one) => {
        expect(parseLenient(withCommas(one))?.value).toEqual(JSON.parse(JSON.stringify(one)));
      }),
    );
  });

  test.each(['[,]', '{,}', '[1,,]', '[,1]', '{"a":,}', '{"a",}', '[1,', '{"a":1,', ',', '{"a":1},'])('%s is refused', (text) => {
    expect(parseLenient(text)).toBeUndefined();
  });
});

describe('no arguments', () => {
  const optional = { type: 'object', properties: { zone: { type: 'string' } } } as const;
  test.each(['null', '[]', '', '{}', ' null '])('%s are valid for a tool without required arguments', async (text) => {
    expect((await defineTool({ name: 'clock', input: optional, run: () => '' }).prepare(text)).input).toEqual({});
    const required = defineTool({ name: 'clock', input: { ...optional, required: ['zone'] }, run: () => '' });
    expect((await required.prepare(text)).problem).toContain('the arguments of clock do not fit');
  });

  test.each(['[1]', '0', 'false', '"x"'])('%s are not', async (text) => {
    expect((await defineTool({ name: 'clock', input: optional, run: () => '' }).prepare(text)).problem).toContain('must be an object');
  });
});

describe('one value among words', () => {
  test('is found, with trailing commas too', () => {
    fc.assert(
      fc.property(fc.array(words), container, fc.array(words), fc.boolean(), (before, one, behind, commas) => {
        const json = commas ? withCommas(one) : JSON.stringify(one, null, 1);
        expect(onlyJsonIn(before.join('') + json + behind.join(''))?.value).toEqual(JSON.parse(JSON.stringify(one)));
      }),
    );
  });

  test('is refused if it is cut off at either end, or if there are two', () => {
    fc.assert(
      fc.property(words, container, words, fc.nat(), container, (before, one, behind, at, other) => {
        const json = JSON.stringify(one);
        const cut = at % json.length;
        expect(onlyJsonIn(before + json.slice(0, cut) + (cut === 0 ? '{' : ''))).toBeUndefined();
        if (cut > 0) expect(onlyJsonIn(json.slice(cut) + behind)).toBeUndefined();
        expect(onlyJsonIn(before + json + behind + JSON.stringify(other))).toBeUndefined();
      }),
    );
  });

  test.each(['{\'a\': 1} or {"a": 2}', '{a: 1} {"a":2}', 'Sorry.', '', '{name}', '{"a":1}}', '{"a":1]'])('%s is not a guess', (text) => {
    expect(onlyJsonIn(text)).toBeUndefined();
  });
});

describe('an answer', () => {
  const format = outputFormat({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
  it.each([
    'Here you are: {"city":"Metz"}',
    'Here you are:\n\n```json\n{"city":"Metz"}\n```',
    '```json\n{"city":"Metz"}\n```\n\nI hope that this helps.',
    '{"city":"Metz"}\n\nNote: the largest one.',
    '{"city":"Metz",}',
    '<think>Is it {"city":"Nancy"}? No.</think>\n{"city":"Metz"}',
    '<think>\n\n</think>\n\nThe answer is ```{"city":"Metz"}```.',
    'Is it {"city":"Nancy"}? No.</think>\n{"city":"Metz"}',
    'Is it {"city": or [Nancy</think>```json\n{"city":"Metz"}\n```',
    'They write </think> at the end: {"city":"Nancy"}</think>So: {"city":"Metz"}.',
    '<think>Is it</think>{"city":"Nancy"}?</think>{"city":"Metz"}',
    '{"city":"Metz"}</think>\n',
  ])('%s is read', async (text) => {
    expect(await format.parse(text)).toEqual({ city: 'Metz' });
  });

  it.each(['{"text":"a</think>b"}', 'Here: {"text":"a</think>{b}"}.', 'No.</think>{"text":"</think>"}'])('%s has the tag in a text', async (text) => {
    expect(await outputFormat({ type: 'object' }).parse(text)).toEqual(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
  });

  it.each([
    '{"city":"Me',
    'Here: {"city":"Me',
    '{"city":"Metz"} or {"city":"Nancy"}',
    '<think>{"city":"Metz"}',
    '<think>x</think>',
    'Metz',
    '{"city":"Nancy"}?</think>Sorry.',
    '{"city":"Nancy"}</think>{"city":"Me',
  ])('%s is malformed, with an issue to send back', async (text) => {
    const error = await failure(format.parse(text));
    if (!isModelsvcError(error, 'output')) throw error;
    expect([error.problem, error.issues]).toEqual(['malformed', [{ path: '', message: 'the answer must be one complete JSON value' }]]);
  });
});
