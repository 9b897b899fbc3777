// Recordings against the document.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findingText } from '../../../scripts/service/judge/finding.ts';
import { judged } from '../../../scripts/service/judge/judge-exchanges.ts';
import { readExchanges } from '../../../src/testing/index.ts';

const recorded = new URL('../../recorded/', import.meta.url);
const files = (readdirSync(recorded, { recursive: true }) as string[]).filter((name) => name.endsWith('.json'));
const oneOf = (name: string) => readExchanges(readFileSync(new URL(name, recorded), 'utf8'), name);

it.each(files)('the recording %s agrees with the document', async (name) => {
  const { findings, shown } = judged(oneOf(name));
  expect(findings.filter(({ kind }) => kind !== 'not reached')).toEqual([]);
  expect(shown.size).toBeGreaterThan(3);
});

it('shows what a reply has, and no more', async () => {
  const { shown } = judged(oneOf('models-list-china-ok.json'));
  expect([...shown]).toEqual(expect.arrayContaining(['#/paths/~1models/get', '#/components/schemas/Model/properties/owned_by', 'model:glm-4.6']));
  expect([...shown].filter((place) => place.includes('ChatResponse'))).toEqual([]);
});

it('names a path that no operation has', async () => {
  const exchange = {
    request: { method: 'POST', host: 'api.z.ai', path: '/api/paas/v4/dreams', headers: {} },
    response: { status: 200, headers: {} },
  };
  expect(judged({ exchanges: [exchange] }).findings).toMatchObject([
    { kind: 'new', operation: undefined, place: 'request POST /api/paas/v4/dreams' },
  ]);
});

const key = 'KEY-ID-4711.KEY-SECRET-4711';
const places: Readonly<Record<string, (text: string) => { request?: object; response?: object }>> = {
  'an unknown path': (text) => ({ request: { path: `/api/paas/v4/dreams/${text}/x` } }),
  'a parameter': (text) => ({ request: { path: `/api/paas/v4/models?${encodeURIComponent(text)}=1` } }),
  'the media type': (text) => ({ response: { headers: { 'content-type': text } } }),
  'a word of a list': (text) => ({ response: { body: { object: text, data: [] } } }),
  'the name of a field': (text) => ({ response: { body: { object: 'list', data: [], [text]: 1 } } }),
  'a name inside a field': (text) => ({
    response: { body: { object: 'list', data: [{ id: 'a', object: 'model', created: 1, owned_by: 'a', [text]: {} }] } },
  }),
  'a code': (text) => ({ response: { status: 400, body: { error: { code: text, message: text } } } }),
};

describe.each(Object.keys(places))('a text in %s', (place) => {
  it.each([key, key.toLowerCase(), `sk-${'a1'.repeat(8)}`, 'a prompt with words', '13800138000'])('%s is in no finding', async (text) => {
    const { request, response } = places[place]?.(text) ?? {};
    const exchange = {
      request: { method: 'GET', host: 'api.z.ai', path: '/api/paas/v4/models', headers: {}, ...request },
      response: { status: 200, headers: {}, body: { object: 'list', data: [] }, ...response },
    };
    const { findings } = judged({ exchanges: [exchange] });
    expect(findings.length).toBeGreaterThan(0);
    expect(JSON.stringify(findings) + findings.map(findingText).join()).not.toContain(text);
  });
});

it.each([
  ['100,000 rows as they are', 100_000, {}],
  ['5,000 rows with a difference each', 5_000, { own: 1 }],
])('judges a reply of %s', async (_what, count, more) => {
  const [exchange] = oneOf('models-list-china-ok.json').exchanges;
  if (!exchange) throw new Error('no exchange');
  const row = { id: 'glm-4.6', object: 'model', created: 1, owned_by: 'z-ai', ...more };
  const body = { object: 'list', data: Array.from({ length: count }, () => ({ ...row })) };
  const { findings } = judged({ exchanges: [{ ...exchange, response: { ...exchange.response, body } }] });
  expect(findings).toMatchObject('own' in more ? [{ kind: 'new', place: 'response.body.data[].own', count }] : []);
});

it('has no text of a reply or a request in a finding', async () => {
  const [exchange] = oneOf('models-list-china-ok.json').exchanges;
  if (!exchange) throw new Error('no exchange');
  const secret = 'own-id.own-secret';
  const request = { ...exchange.request, path: `${exchange.request.path}?token=${secret}` };
  const body = {
    object: 'list',
    data: [{ id: 'glm-4.6', object: 'model', created: secret, owned_by: 7, token: secret, keys: [secret] }],
    secret: { secret },
  };
  const { findings } = judged({ exchanges: [{ request, response: { ...exchange.response, body } }] });
  expect(findings.map(({ kind, place }) => `${kind} ${place}`)).toEqual([
    'differs response.body.data[].created',
    'differs response.body.data[].owned_by',
    'new response.body.data[].token',
    'new response.body.data[].keys',
    'new response.body.secret',
    'new request query token',
  ]);
  expect(JSON.stringify(findings)).not.toContain(secret);
});
