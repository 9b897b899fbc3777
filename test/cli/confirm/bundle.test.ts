import { describe, expect, it } from 'vitest';
import { type Bundle, bundleText, readBundle } from '../../../src/cli/commands/confirm/bundle.ts';

const claimIds = new Set(['code:1211', 'operation:models.list']);
const bundle: Bundle = {
  package: '0.1.0',
  host: 'api.z.ai',
  key: 'payg',
  date: '2026-11-22',
  open: [],
  answered: [
    {
      probe: 'models.list',
      exchange: {
        request: { method: 'GET', host: 'api.z.ai', path: '/api/paas/v4/models', headers: {} },
        response: { status: 200, headers: { 'content-type': 'application/json' }, body: { object: 'list', data: [] } },
      },
      findings: [
        { id: 'operation:models.list', probe: 'models.list', judgement: { verdict: 'holds' } },
        { id: 'code:1211', probe: 'models.list', judgement: { verdict: 'differs', expected: 'status 400', seen: 'status 404' } },
      ],
    },
  ],
};
const read = (text: string): Bundle => readBundle('b.json', text, { package: '0.1.0', claimIds });

describe('a bundle', () => {
  it('is read as it was written, and written again with the same bytes', () => {
    const text = bundleText(bundle);
    expect(read(text)).toEqual({
      ...bundle,
      answered: [{ ...bundle.answered[0], findings: expect.arrayContaining([...(bundle.answered[0]?.findings ?? [])]) as never }],
    });
    expect(bundleText(read(text))).toBe(text);
  });

  it('is read by a person: each claim and each exchange is a block of lines', () => {
    expect(bundleText(bundle).split('\n').length).toBeLessThan(60);
  });

  const secret = 'abcdef0123456789abcdef0123456789.Sec2etSec2etSec2';
  const edits: readonly (readonly [what: string, edit: (text: string) => string, message: RegExp])[] = [
    ['is cut off', (text) => text.slice(0, -40), /b\.json: is cut off/],
    ['is of another version of the form', (text) => text.replace('"version": 1', '"version": 2'), /version must be 1, but is 2/],
    [
      'is of another version of the package',
      (text) => text.replace('"package": "0.1.0"', '"package": "0.2.0"'),
      /confirm\.package is another version/,
    ],
    ['has a verdict that was changed by hand', (text) => text.replace('"status 404"', '"status 403"'), /confirm\.sum does not fit/],
    ['has an unknown verdict', (text) => text.replace('"holds"', '"maybe"'), /confirm\.claims\[1\]\.verdict must be holds/],
    [
      'has a claim that does not exist',
      (text) => text.replace('"code:1211"', '"code:1212"'),
      /confirm\.claims\[0\]\.id is a claim that does not exist; the nearest is code:1211/,
    ],
    ['has a field that is not known', (text) => text.replace('"open": []', '"open": [], "more": 1'), /confirm has a field/],
    [
      'lacks an exchange',
      (text) => text.replace(/"exchanges": \[\s*\{[\s\S]*\}\s*\]\s*\}\s*$/, '"exchanges": []}'),
      /confirm\.probes must name each exchange once/,
    ],
    [
      'has a header with a key',
      (text) => text.replace('"headers": {}', `"headers": { "authorization": "Bearer ${secret}" }`),
      /request\.headers\.authorization/,
    ],
    ['has a key in a reply', (text) => text.replace('"data": []', `"data": ["${secret}"]`), /response\.body\.data\[0\] has a text that looks like/],
    ['has a key in a verdict', (text) => text.replace('"status 404"', `"${secret}"`), /confirm\.claims\[0\]\.seen has a text that looks like/],
    ['is only a cassette', () => '{"format":"modelsvc/exchanges","version":1,"exchanges":[]}', /is not a bundle of modelsvc confirm/],
  ];
  it.each(edits)('that %s is refused by its field, without a value', (_what, edit, message) => {
    const text = edit(bundleText(bundle));
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).not.toThrow(secret);
  });
});
