import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText, cleanToken, secretsOf } from '../../src/overlay/secrets/clean.ts';
import { anyCharacter } from '../support/any-character.ts';

const keys = { apiKey: 'KEY-ID-4711.KEY-SECRET-4711', chinaAPIKey: 'CHINA-ID-0815.CHINA-SECRET' };
const secrets = secretsOf(keys, { 'x-team': 'TEAM-MARKER', 'x-short': 'short' });

describe('secretsOf', () => {
  test('holds both keys, their parts and the header values from 8 characters on', () => {
    expect(secrets).toEqual([
      'KEY-ID-4711.KEY-SECRET-4711',
      'KEY-ID-4711',
      'KEY-SECRET-4711',
      'CHINA-ID-0815.CHINA-SECRET',
      'CHINA-ID-0815',
      'CHINA-SECRET',
      'TEAM-MARKER',
    ]);
  });

  test('a value with white space of its own is found in a cleaned text', () => {
    const spaced = secretsOf({ apiKey: 'x', chinaAPIKey: 'x' }, { 'x-note': 'two\tword  value' });
    expect(cleanText('got two\tword  value here', spaced)).toBe('got [key] here');
  });

  test('a key shorter than 8 characters is not a secret: it would be cut out of ordinary words', () => {
    expect(cleanText('the model is not available', secretsOf({ apiKey: 'mod', chinaAPIKey: 'mod' }))).toBe('the model is not available');
  });
});

describe('cleanText', () => {
  test.each([
    ['a line\nand\r\n\tanother', 'a line and another'],
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u009b31mred', 'red'],
    ['\u001b]8;;https://example.com\u0007link\u001b]8;;\u001b\\', 'link'],
    ['\u001b]0;never ended', '0;never ended'],
    ['a\u0000b\u0008c\u007fd\u0085e', 'abcde'],
    ['abc\u202edef\u2066ghi\u200b', 'abcdefghi'],
    ['lone \ud800 surrogate', 'lone  surrogate'],
    ['two\u2028lines', 'two lines'],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer [key]'],
    ['key KEY-ID-4711.KEY-SECRET-4711 failed', 'key [key] failed'],
    ['KEY-SECRET\u0000-4711', '[key]'],
    ['\u6a21\u578b\u4e0d\u5b58\u5728', '\u6a21\u578b\u4e0d\u5b58\u5728'],
  ])('%j becomes %j', (text, clean) => expect(cleanText(text, secrets)).toBe(clean));

  test('secrets that overlap leave no rest', () => {
    expect(cleanText('abcdefgh12345678xx', ['abcdefgh1234', '12345678xx'])).toBe('[key]');
  });

  test('no secret, control character or overlong text comes through, wherever the text is cut', () => {
    const piece = fc.oneof(
      fc.constantFrom(...secrets, ...secrets.map((one) => one.slice(0, -1)), 'Bearer ', '\u001b[31m', '\n', '\u202e', '\ud83d\ude00'),
      fc.string({ unit: anyCharacter }),
      fc.nat({ max: 3000 }).map((length) => 'x'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.integer({ min: 8, max: 600 }), (pieces, limit) => {
        const clean = cleanText(pieces.join(''), secrets, limit);
        expect(clean.length).toBeLessThanOrEqual(limit);
        expect(clean).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u);
        expect(secrets.filter((secret) => clean.includes(secret))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('a secret at any place around the cut does not show in part', () => {
    const { apiKey } = keys;
    const only = secretsOf({ apiKey, chinaAPIKey: apiKey });
    // The cut drops the text after it, so a beginning of 8 characters could only be a rest of the secret.
    for (const filler of ['x', '\u0000', '\u001b[0m'])
      for (let length = 0; length < 90; length++) expect(cleanText(filler.repeat(length) + apiKey.repeat(40), only, 16)).not.toContain('KEY-ID-4');
  });

  test('only the head of a long text is looked at', () => {
    let read = 0;
    const long = new Proxy(new String('y'.repeat(2_000_000)), {
      get: (text, name) =>
        name === 'slice'
          ? (from: number, to: number) => {
              read += to - from;
              return text.slice(from, to);
            }
          : Reflect.get(text, name, text),
    });
    expect(cleanText(long as unknown as string, secrets)).toHaveLength(500);
    expect(read).toBeLessThan(5000);
  });
});

describe('cleanToken', () => {
  test.each([
    ['1302', '1302'],
    ['overloaded_error', 'overloaded_error'],
    ['20261121-a.b', '20261121-a.b'],
    ['KEY-SECRET-4711', '[key]'],
    ['id-KEY-SECRET-4711-x', 'id-[key]-x'],
    ['1302\n\u001b[31mforged', '1302 forged'],
  ])('%j becomes %j', (token, clean) => expect(cleanToken(token, secrets)).toBe(clean));

  test('caps at 128 characters', () => expect(cleanToken('9'.repeat(2_000_000), secrets)).toHaveLength(128));
});

describe('a secret in another form', () => {
  const texts = fc
    .tuple(fc.stringMatching(/^[A-Za-z0-9+/=_.~-]{9,40}$/), fc.constantFrom('', '"', '\\', "'", ' b', '/', '\u00e9', '<&>'))
    .map(([text, odd]) => `${text}${odd}${text.slice(0, 4)}`);
  const forms: Readonly<Record<string, (secret: string) => string>> = {
    JSON: (secret) => JSON.stringify(secret),
    'JSON in JSON in JSON': (secret) => JSON.stringify(JSON.stringify(JSON.stringify({ secret }))),
    'JSON of PHP': (secret) => JSON.stringify(secret).replaceAll('/', '\\/'),
    'a part of a URL': encodeURIComponent,
    'a URL in small letters': (secret) => encodeURIComponent(secret).replace(/%../g, (one) => one.toLowerCase()),
    'a form': (secret) => String(new URLSearchParams({ secret })).replace(/%(?:27|7E)/g, decodeURIComponent),
    base64: (secret) => Buffer.from(secret).toString('base64'),
    'base64 of more': (secret) => Buffer.from(`a user:${secret}:`).toString('base64'),
    base64url: (secret) => Buffer.from(`{"${secret}"}`).toString('base64url'),
  };

  test.each(Object.keys(forms))('%s is found, in a message and in a code', (name) => {
    fc.assert(
      fc.property(texts, (secret) => {
        const given = secretsOf({ apiKey: secret });
        const form = forms[name]?.(secret) ?? '';
        // Some characters at the ends belong to the text next to the secret.
        const found = (text: string): string[] => [secret, form, form.slice(3, -3)].filter((one) => one.length >= 6 && text.includes(one));
        expect(found(cleanText(`your key is ${form}, or not`, given))).toEqual([]);
        expect(found(cleanToken(form, given))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('a text that looks like a key is not a key of the client, and is not shown either', () => {
    expect(cleanText(`wrong: sk-${'a1'.repeat(12)} and ${'0a'.repeat(16)}.${'Zz9'.repeat(6)}`, [])).toBe('wrong: [key] and [key]');
  });
});
