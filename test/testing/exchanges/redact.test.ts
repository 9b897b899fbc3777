import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Json,
  type RecordedExchange,
  type RedactionProfile,
  readExchanges,
  redactExchange,
  writeExchanges,
} from '../../../src/testing/index.ts';

const apiKey = 'abcdef0123456789abcdef0123456789.Sec2etSec2etSec2';

function exchange(request: Json, response: Json, more: Partial<RecordedExchange['response']> = {}): RecordedExchange {
  return {
    request: {
      method: 'POST',
      host: 'api.z.ai',
      path: '/api/paas/v4/chat/completions',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'user-agent': 'me/1', cookie: 'sid=cookie-of-mine' },
      body: request,
    },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json', date: 'Fri, 10 Jul 2026 23:00:15 GMT', 'x-log-id': '2026071107001517f0ab19f8cb470c' },
      ...(more.frames ? {} : { body: response }),
      ...more,
    },
  };
}

describe('a cassette', () => {
  test('keeps texts, and loses credentials, ids, account data, and headers that vary', () => {
    const clean = redactExchange(
      exchange(
        { model: 'glm-5.3', messages: [{ role: 'user', content: 'Is it sunny in Paris?' }], user_id: 'me-1' },
        { id: '20260711070015cafe17f0ab', created: 1752188415, choices: [{ message: { content: 'Yes.' } }], balance: 12.5 },
      ),
    );
    expect(clean.request).toEqual({
      method: 'POST',
      host: 'api.z.ai',
      path: '/api/paas/v4/chat/completions',
      headers: { 'content-type': 'application/json' },
      body: { model: 'glm-5.3', messages: [{ role: 'user', content: 'Is it sunny in Paris?' }], user_id: '<removed>' },
    });
    expect(clean.response).toEqual({
      status: 200,
      headers: { 'content-type': 'application/json', 'x-log-id': '<id>' },
      body: { id: expect.stringMatching(/^id_[0-9a-f]{8}_1$/), created: 1752188415, choices: [{ message: { content: 'Yes.' } }], balance: 0 },
    });
  });

  test('finds a credential of the request wherever the reply repeats it: in parts, in JSON inside a text, in a name, in bytes', () => {
    const own = 'my+own/key-without "form"';
    const given = exchange(
      { model: 'm' },
      { a: `no such key: ${own}`, b: JSON.stringify({ c: JSON.stringify([own]) }), [own]: 1, d: encodeURIComponent(own) },
    );
    const withKey = { ...given, request: { ...given.request, headers: { 'x-api-key': own } } };
    expect(redactExchange(withKey).response.body).toEqual({ a: 'no such key: <key>', b: '{"c":"[\\"<key>\\"]"}', '<key>': 1, d: '<key>' });
    const bytes = { status: 200, headers: {}, base64: Buffer.from(`\0${own}\xff`, 'latin1').toString('base64') };
    const clean = redactExchange({ request: withKey.request, response: bytes }).response.base64 ?? '';
    expect(Buffer.from(clean, 'base64').toString('latin1')).toBe('\0<key>\xff');
  });

  test('gives an id one name in the reply and in what follows, and the same name in each recording', () => {
    const reply = (id: string): Json => ({ choices: [{ message: { tool_calls: [{ id, function: { name: 'f', arguments: '{}' } }] } }] });
    const first = redactExchange(exchange({ model: 'm' }, reply('call_00_1234567890abcdef')));
    const second = redactExchange(exchange({ model: 'm' }, reply('call_00_fedcba0987654321')));
    expect(first).toEqual(second);
    expect(JSON.stringify(first.response)).toMatch(/"call_[0-9a-f]{8}_1"/);
  });

  test('leaves names of models and ids that are words', () => {
    const body = { data: [{ id: 'glm-4.5-air' }, { id: 'glm-4-flash-250414' }], tool_call_id: 'call_1', agent_id: 'general_translation' };
    expect(redactExchange(exchange({}, body)).response.body).toEqual(body);
  });

  test('leaves the schemas and the arguments of tools, apart from credentials', () => {
    const body = {
      tools: [{ function: { name: 'mail', parameters: { type: 'object', properties: { email: { type: 'string' }, user: { type: 'string' } } } } }],
      tool_calls: [{ function: { arguments: '{"email":"a@b.example","password":"hunter2"}' } }],
    };
    expect(redactExchange(exchange(body, {})).request.body).toEqual({
      ...body,
      tool_calls: [{ function: { arguments: '{"email":"a@b.example","password":"<removed>"}' } }],
    });
  });

  test('follows the rules of the user', () => {
    const given = exchange({ user: 'me', city: 'Paris', note: 'call 0170-555-0199' }, {});
    const clean = redactExchange(given, { keepFields: ['user'], removeFields: ['city'], secrets: ['0170-555-0199'], keepHeaders: ['User-Agent'] });
    expect(clean.request).toMatchObject({ headers: { 'user-agent': 'me/1' }, body: { user: 'me', city: '<removed>', note: 'call <key>' } });
    expect(() => redactExchange(given, { keepHeaders: ['Cookie'] })).toThrow('redact.keepHeaders must not contain cookie');
    expect(() => redactExchange(given, { keepHeader: [] } as never)).toThrow('redact.keepHeader is unknown; did you mean keepHeaders?');
  });

  test('removes ids and credentials from paths and queries', () => {
    const given = exchange(null, {});
    const path = `/api/v1/responses/resp_0123456789abcdef?api_key=abc&after=x%20y&token=${apiKey}`;
    const clean = redactExchange({ ...given, request: { ...given.request, path } }).request.path;
    expect(clean).toMatch(/^\/api\/v1\/responses\/resp_[0-9a-f]{8}_1\?api_key=<removed>&after=x%20y&token=<removed>$/);
  });
});

describe('a bundle', () => {
  test('has only words of the spec, numbers, and the lengths of texts', () => {
    const clean = redactExchange(
      exchange(
        { model: 'glm-5.3', messages: [{ role: 'user', content: 'my secret plan' }], stream: false, temperature: 0.5 },
        { id: 'x', choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'ok then' } }], hunter2: 'hunter2', at: 1752188415000 },
      ),
      { profile: 'bundle' },
    );
    expect(clean.request.body).toEqual({ model: 'glm-5.3', messages: [{ role: 'user', content: '<text 14>' }], stream: false, temperature: 0.5 });
    expect(clean.response.body).toMatchObject({
      id: '<text 1>',
      choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: '<text 7>' } }],
      '<name 7>': '<text 7>',
    });
    expect(JSON.stringify(clean)).not.toContain('hunter2');
    expect(JSON.stringify(clean)).not.toContain('1752188415000');
  });

  test('keeps the words of a claim', () => {
    expect(redactExchange(exchange({ model: 'glm-99' }, {}), { profile: 'bundle', words: ['glm-99'] }).request.body).toEqual({ model: 'glm-99' });
  });
});

/** Credentials of each shape. */
const secrets: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(fc.stringMatching(/^[0-9a-f]{32}$/), fc.stringMatching(/^[A-Za-z0-9]{16}$/)).map(([id, secret]) => `${id}.${secret}`),
  fc.stringMatching(/^sk-[A-Za-z0-9_-]{20,40}$/),
  fc.stringMatching(/^Bearer [A-Za-z0-9._~+/-]{12,40}$/),
  fc.stringMatching(/^eyJ[A-Za-z0-9_-]{10,20}\.eyJ[A-Za-z0-9_-]{10,20}\.[A-Za-z0-9_-]{10,20}$/),
  fc.stringMatching(/^[A-Za-z0-9+/]{40,80}$/).map((body) => `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`),
  // A key without a shape, which the headers of the request have.
  fc.constant('any shape: of "key"/4711'),
  fc.constant(apiKey),
);

/** A value with secrets as texts, inside texts, as names, and in JSON inside texts. */
const planted: fc.Arbitrary<{ readonly value: Json; readonly secrets: readonly string[] }> = fc
  .array(fc.tuple(secrets, fc.constantFrom('text', 'inside', 'name', 'nested', 'twice', 'list'), fc.string({ maxLength: 8 })), { maxLength: 6 })
  .map((plants) => {
    const fields = plants.map(([secret, how, name], index): [string, Json] => {
      if (how === 'name') return [secret, index];
      if (how === 'inside') return [name, `the key ${secret} is wrong`];
      if (how === 'nested') return [name, JSON.stringify({ [name]: { arguments: secret } })];
      if (how === 'twice') return [name, JSON.stringify({ a: JSON.stringify([{ b: secret }]) })];
      return [name, how === 'list' ? [[secret]] : secret];
    });
    return { value: Object.fromEntries(fields), secrets: plants.map(([secret]) => secret) };
  });

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

const exchanges: fc.Arbitrary<{ readonly exchange: RecordedExchange; readonly secrets: readonly string[] }> = fc
  .record({ request: planted, reply: planted, frame: planted, other: json, secret: secrets, header: secrets, streamed: fc.boolean() })
  .map(({ request, reply, frame, other, secret, header, streamed }) => {
    const frames = [
      { after: 1, event: 'message', data: JSON.stringify(frame.value) },
      { after: 0, raw: `: ${secret.replaceAll('\n', ' ')}\r\ndata: ${JSON.stringify(frame.value)}\r\n\r\n` },
      { after: 2, data: `text and ${secret}` },
    ];
    const given = exchange({ planted: request.value, other }, [reply.value, other], streamed ? { frames, count: 3, end: 'closed' } : {});
    const { headers } = given.response;
    return {
      exchange: {
        request: { ...given.request, headers: { ...given.request.headers, 'x-api-key': 'any shape: of "key"/4711', 'x-own': header } },
        response: { ...given.response, headers: { ...headers, 'set-cookie': header, 'x-own': header, 'content-type': header, 'x-log-id': header } },
      },
      secrets: [...request.secrets, ...(streamed ? [...frame.secrets, secret] : reply.secrets), header, apiKey, 'cookie-of-mine'],
    };
  });

describe.each<RedactionProfile>(['cassette', 'bundle'])('any exchange, as a %s', (profile) => {
  const rules = { profile, keepHeaders: ['x-own'] };

  test('has none of its secrets in the file, and reads back as it was written', () => {
    fc.assert(
      fc.property(fc.array(exchanges, { minLength: 1, maxLength: 3 }), (given) => {
        const clean = given.map(({ exchange }) => redactExchange(exchange, rules));
        const text = writeExchanges({ exchanges: clean });
        const unescaped = text.replaceAll(/\\+/g, '');
        for (const secret of given.flatMap((one) => one.secrets)) {
          expect(text).not.toContain(secret);
          expect(unescaped).not.toContain(secret.replaceAll('\n', 'n'));
        }
        const back = readExchanges(text);
        expect(writeExchanges(back)).toBe(text);
        expect([...back.exchanges].sort(byText)).toEqual([...clean].sort(byText));
      }),
      { numRuns: 150 },
    );
  });

  test('stays as it is when it is redacted again', () => {
    fc.assert(
      fc.property(exchanges, (given) => {
        const once = redactExchange(given.exchange, rules);
        expect(redactExchange(once, rules)).toEqual(once);
      }),
      { numRuns: 150 },
    );
  });
});

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
