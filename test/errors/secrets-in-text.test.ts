// Credentials in texts: by the names of fields in JSON inside a text, at any level. All other characters stay.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutSecrets } from '../../src/overlay/errors/without-secrets.ts';
import { redactExchange } from '../../src/testing/exchanges/redact.ts';

const value = 'hunter2 is 1 "word"\\';
const credential = JSON.stringify(value);
const inText = (text: string, levels: number): string => (levels === 0 ? text : inText(JSON.stringify(text), levels - 1));

/** A text with a credential, cut at `|` from what must stay. */
const texts: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'a field': ['{"password":', '}'],
  'blanks and line breaks': ['{\n  "password" :\t', '\n}'],
  'digits that JavaScript would change': ['{"n":12345678901234567890,"m":1.0,"e":1E5,"password":', ',"z":-0}'],
  'an escaped name': [String.raw`{"\u0070assword":`, '}'],
  'escapes beside it': [String.raw`{"path":"a\/b\u00e9","api_key":`, String.raw`,"x":"\u2028\n"}`],
  'a name twice': ['{"password":1,"password":', ',"password":2}'],
  'names that are numbers': ['{"2":1,"1":{"client_secret":', '}}'],
  __proto__: ['{"__proto__":{"token":', '}}'],
  '10,000 levels': [`${'['.repeat(10_000)}{"password":`, `}${']'.repeat(10_000)}`],
  'JSON that is broken': ['{"a":,"password":', ',]'],
  'JSON behind words': ['The result is: {"password":', '} and "so" on'],
  'lines of JSON': ['{"a":1}\n{"password":', '}\n{"b":"c"}'],
};

describe('a credential in JSON inside a text', () => {
  describe.each(Object.keys(texts))('%s', (name) => {
    const [before, after] = texts[name] ?? ['', ''];
    test.each([0, 1, 2, 4])('in %i texts: is replaced, and every other character stays', (levels) => {
      expect(withoutSecrets(inText(`${before}${credential}${after}`, levels))).toBe(inText(`${before}"[key]"${after}`, levels));
    });

    test('in a recording', () => {
      const body = { messages: [{ content: `${before}${credential}${after}` }] };
      const request = { method: 'POST', host: 'a', path: '/', headers: {}, body };
      expect(JSON.stringify(redactExchange({ request, response: { status: 200, headers: {} } }))).not.toContain('hunter2');
    });
  });

  test('a cut text ends in its credential', () => {
    expect(withoutSecrets('{"a":"b","password":"hunt')).toBe('{"a":"b","password":"[key]');
  });

  test.each([
    ['of an escaped quote', String.raw`{\u0022password\u0022:\u0022hunter2\u0022}`],
    ['with half an escape', String.raw`{"password":"hunter2\u00`],
    ['of escaped backslashes', `\\${'u005c'.repeat(100_000)}`],
    ['of backslashes', '\\'.repeat(1_000_001)],
    ['of quotes', '\\"'.repeat(100_000)],
  ])('a text %s does not throw', (_name, text) => expect(withoutSecrets(text)).not.toContain('hunter2'));

  test('a text of more than 1 MB is judged as plain text', () => {
    const text = `{"password":"${'x'.repeat(2 ** 20)}","k":"`;
    expect(withoutSecrets(`${text}sk-${'a1'.repeat(12)}"}`)).toBe(`${text}[key]"}`);
  });

  test('of any JSON, only the values of credentials change', () => {
    const name = fc.oneof(fc.constantFrom('password', 'access_token', 'X-Api-Key', 'a', '__proto__'), fc.string({ unit: 'binary' }));
    const tree = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('any')),
        fc.dictionary(name, tie('any')),
        tie('any').map((one) => JSON.stringify(one)),
      ),
    })).any;
    const clean = (one: unknown): unknown => JSON.parse(JSON.stringify(withoutSecrets(one)));
    fc.assert(
      fc.property(tree, fc.constantFrom(undefined, 1, '\t'), (given, indent) => {
        const text = JSON.stringify(given, undefined, indent);
        // The filter treats the text like the value.
        const found = withoutSecrets(text);
        expect(JSON.parse(found)).toEqual(clean(given));
        expect(found).toBe(JSON.stringify(JSON.parse(found), undefined, indent));
        expect(withoutSecrets(found)).toBe(found);
      }),
      { numRuns: 200 },
    );
  });
});

test.each([
  ['a list', (inner: unknown) => [inner]],
  ['a field', (inner: unknown) => ({ a: inner })],
])('a value of 10,000 levels of %s has a copy without its credential', (_name, wrap) => {
  let deep: unknown = { password: 'hunter2' };
  for (let level = 0; level < 10_000; level++) deep = wrap(deep);
  let inner: unknown = withoutSecrets(deep);
  for (let level = 0; level < 10_000; level++) inner = Object.values(inner as object)[0];
  expect(inner).toEqual({ password: '[key]' });
});

test('a value that contains itself has a copy that contains itself', () => {
  const given: Record<string, unknown> = { password: 'hunter2', list: [] };
  given['self'] = given;
  (given['list'] as unknown[]).push(given);
  const copy = withoutSecrets(given);
  expect(copy).toMatchObject({ password: '[key]' });
  expect(copy['self']).toBe(copy);
  expect((copy['list'] as unknown[])[0]).toBe(copy);
  expect(given['password']).toBe('hunter2');
});
