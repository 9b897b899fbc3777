import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type ExchangeFile, type RecordedExchange, readExchanges, writeExchanges } from '../../../src/testing/index.ts';

const json = { 'content-type': 'application/json' };

function asked(content: string, reply: object = { id: 'r' }, more: object = {}): RecordedExchange {
  return {
    request: { method: 'POST', host: 'api.z.ai', path: '/api/paas/v4/chat/completions', headers: json, body: { model: 'glm-5.3', content } },
    response: { status: 200, headers: json, body: { ...reply }, ...more },
  };
}

const streamed: RecordedExchange = {
  request: asked('stream').request,
  response: {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    frames: [
      { after: 3, event: 'message_start', data: '{"type":"message_start"}' },
      { after: 0, raw: ': ping\n\n' },
      { after: 12.5, data: '[DONE]' },
    ],
    count: 3,
    end: 'closed',
  },
};

describe('a file of exchanges', () => {
  test('is sorted, has one order of names, and ends in a line end', () => {
    const text = writeExchanges({ exchanges: [asked('b'), streamed, asked('a', { n: 1 }), asked('a', { n: 2 })] });
    const { format, version, exchanges, ...others } = JSON.parse(text) as ExchangeFile & { format: string; version: number };
    expect([format, version, others]).toEqual(['modelsvc/exchanges', 1, {}]);
    expect(exchanges).toEqual([asked('a', { n: 1 }), asked('a', { n: 2 }), asked('b'), streamed]);
    expect(text).toBe(`${JSON.stringify({ format, version, exchanges }, null, 2)}\n`);
    const names = (value: object): string[] => Object.keys(value);
    expect(exchanges.map(({ request }) => names(request))).toEqual(Array(4).fill(['method', 'host', 'path', 'headers', 'body']));
    expect(exchanges.map(({ response }) => names(response)).at(0)).toEqual(['status', 'headers', 'body']);
    expect(exchanges.map(({ response }) => names(response)).at(-1)).toEqual(['status', 'headers', 'frames', 'count', 'end']);
  });

  test('reads back as it was written', () => {
    const exchanges = [asked('a'), asked('b'), streamed];
    expect(readExchanges(writeExchanges({ exchanges: exchanges.toReversed() }))).toEqual({ exchanges });
    expect(writeExchanges(readExchanges(writeExchanges({ exchanges })))).toBe(writeExchanges({ exchanges }));
  });

  test('has the same bytes whatever the order of its exchanges and of the names in a request', () => {
    const { method, host, path, headers, body } = asked('a').request;
    const turned = { request: { body, headers, path, host, method }, response: asked('a').response };
    expect(writeExchanges({ exchanges: [asked('b'), turned] })).toBe(writeExchanges({ exchanges: [asked('a'), asked('b')] }));
  });

  test('keeps equal requests in the order of their arrival', () => {
    const { exchanges } = readExchanges(writeExchanges({ exchanges: [asked('a', { n: 2 }), asked('a', { n: 1 })] }));
    const [first, second] = exchanges;
    expect([first?.response.body, second?.response.body]).toEqual([{ n: 2 }, { n: 1 }]);
  });

  test('keeps the verdicts of a bundle', () => {
    const confirm = { host: 'api.z.ai', claims: [{ id: 'operation:chat.create', verdict: 'holds', exchanges: [0] }] };
    expect(readExchanges(writeExchanges({ exchanges: [asked('a')], confirm })).confirm).toEqual(confirm);
  });

  test('may have line ends of Windows and a byte order mark', () => {
    const text = writeExchanges({ exchanges: [asked('a')] });
    expect(readExchanges(`\uFEFF${text.replaceAll('\n', '\r\n')}`).exchanges).toEqual([asked('a')]);
  });
});

describe('the recordings of the repository', () => {
  const folder = new URL('../../recorded/', import.meta.url);

  test.each(readdirSync(folder).filter((name) => name.endsWith('.json')))('%s has the form', (name) => {
    const text = readFileSync(new URL(name, folder), 'utf8');
    expect(readExchanges(text, name).exchanges).toHaveLength(1);
  });
});

const key = `${'0123456789abcdef'.repeat(2)}.AbCdEfGh12345678`;

describe('a broken file is refused by one sentence with the place', () => {
  const text = writeExchanges({ exchanges: [asked('a'), streamed] });
  const changed = (change: (file: Record<string, never>) => void): string => {
    const file = JSON.parse(text) as Record<string, never>;
    change(file);
    return JSON.stringify(file);
  };
  const edit = (path: string, value: unknown): string =>
    changed((file) => {
      const steps = path.split('.');
      const last = steps.pop() as string;
      let at: Record<string, unknown> = file;
      for (const step of steps) at = at[step] as Record<string, unknown>;
      if (value === undefined) delete at[last];
      else at[last] = value;
    });
  const frames = streamed.response.frames ?? [];

  test.each([
    ['empty', '', 'x.json: is empty'],
    ['cut off', text.slice(0, 300), 'x.json: is cut off after 300 characters. Restore it, or record it again.'],
    ['cut off inside a text', text.slice(0, text.indexOf('api.z') + 3), 'is cut off after'],
    ['no JSON', text.replace('"method"', 'method'), 'x.json: is not JSON: see line 7'],
    ['a merge conflict', text.replace('"method"', '\n<<<<<<< HEAD\n'), 'has the marks of a merge conflict at line 8'],
    ['another kind of file', '{"name":"x"}', 'x.json: format must be modelsvc/exchanges'],
    ['no object', '[]', 'x.json: is not a file of exchanges'],
    ['a later version', edit('version', 2), 'x.json: version must be 1, but is 2. Update modelsvc, or record the file again.'],
    ['no version', edit('version', undefined), 'x.json: version must be 1. Record the file again.'],
    ['no list', edit('exchanges', {}), 'x.json: exchanges must be a list'],
    ['an unknown name', edit('exchanges.0.request.metod', 'POST'), 'exchanges[0].request.metod is unknown; did you mean method?'],
    ['no request', edit('exchanges.0.request', undefined), 'exchanges[0].request must be an object'],
    ['a wrong type', edit('exchanges.0.response.status', '200'), 'exchanges[0].response.status must be a number from 200 to 599'],
    ['no headers', edit('exchanges.1.response.headers', undefined), 'exchanges[1].response.headers must be an object of headers'],
    ['two bodies', edit('exchanges.0.response.text', 'x'), 'exchanges[0].response has body and text; only one of them can be the body'],
    ['a missing frame', edit('exchanges.1.response.frames', frames.slice(1)), 'frames has 2 of 3 frames. Record it again, or correct count'],
    ['no frames', edit('exchanges.1.response.frames', undefined), 'exchanges[1].response.frames is missing, but count is there'],
    ['a frame without its gap', edit('exchanges.1.response.frames.0.after', undefined), 'frames[0].after must be a number of milliseconds'],
    ['a frame without text', edit('exchanges.1.response.frames.2.data', undefined), 'frames[2] must have either data or raw'],
    ['an unknown end', edit('exchanges.1.response.end', 'gone'), 'response.end must be one of closed, cut, reset, left'],
    ['no end', edit('exchanges.1.response.end', undefined), 'response.end must be one of'],
    ['a credential header', edit('exchanges.0.request.headers.authorization', 'x'), 'headers.authorization must not be in the file'],
    ['a key', edit('exchanges.0.response.body.deep', [{ at: `my key: ${key}` }]), 'exchanges[0].response.body.deep[0].at has a text that looks like'],
    ['a key in a frame', edit('exchanges.1.response.frames.0.data', `{"a":"${key}"}`), 'exchanges[1].response.frames[0].data has a text that'],
    ['a key as a name', edit(`exchanges.0.response.body.${key.replace('.', '')}`, 1), undefined],
  ])('%s', (_, broken, message) => {
    const read = (): unknown => readExchanges(broken, 'x.json');
    if (message === undefined) return void expect(read).not.toThrow();
    expect(read).toThrow(message);
    expect(read).toThrow(/^readExchanges: /);
    expect(read).not.toThrow(key);
  });

  test('a key as a name, or in bytes', () => {
    expect(() => readExchanges(changed((file) => Object.assign(file, { confirm: { [key]: 1 } })))).toThrow(
      'confirm has a name that looks like a key of the service',
    );
    const bytes = { ...asked('a').response, body: undefined, base64: Buffer.from(`x ${key}`).toString('base64') };
    expect(() => writeExchanges({ exchanges: [{ ...asked('a'), response: bytes }] })).toThrow('response.base64 has a text that looks like');
  });

  test.each([
    ['PEM', '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----'],
    ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'x'.repeat(20)}`],
    ['sk-', `sk-${'proj-abcDEF123456789'}`],
    ['bearer', 'Authorization: Bearer abcdefgh12345'],
  ])('refuses %s', (_, secret) => {
    expect(() => writeExchanges({ exchanges: [asked(secret)] })).toThrow('writeExchanges: exchanges[0].request.body.content has a text');
  });
});
