// A gateway that repeats what it was sent: no credential of a request is in the file, whatever its name, its place and its form.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { replayExchanges } from '../../../src/testing/index.ts';
import { newFile, recorder } from './support.ts';

const headerNames = `authorization proxy-authorization x-api-key api-key cookie x-auth-token x-gateway-key cf-access-client-secret cf-access-client-id
  x-goog-api-key ocp-apim-subscription-key x-amz-security-token x-access x-team x-forwarded-user private-token x-session x-functions-key`.split(
  /\s+/,
);
const parameterNames =
  `key token sig signature subscription-key api_key apikey access_token X-Amz-Signature X-Amz-Credential X-Amz-Security-Token OSSAccessKeyId
  Signature client_secret auth jwt password Key-Pair-Id`.split(/\s+/);
const fieldNames =
  `token passphrase secret_access_key api_key apiKey client_secret accessToken refresh_token password private_key authorization x-api-key
  session_token aws_secret_access_key credentials auth jwt webhookSecret sas_token bearer_token`.split(/\s+/);

/** Printable, with everything that one of the forms escapes. */
const secrets = fc
  .tuple(fc.stringMatching(/^[a-z][0-9][A-Za-z0-9+/=_.~-]{10,30}[0-9][a-z]$/), fc.constantFrom('', '"q"', '<b>&', "it's", 'a b', '\\n'))
  .map(([text, odd]) => `${text}${odd}${text.slice(0, 3)}`);
const plainSecrets = fc.stringMatching(/^[a-z][0-9][A-Za-z0-9+/=_.~-]{10,40}[0-9][a-z]$/);

/** The texts by which a search would find the secret in a file. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  const inBasic = [0, 1, 2].map((offset) =>
    Buffer.from('x'.repeat(offset) + secret)
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), base64.replace(/=+$/, ''), ...inBasic];
}

function expectNone(file: string, given: readonly string[]): void {
  const text = readFileSync(file, 'utf8');
  const unescaped = text.replaceAll('\\', '');
  for (const form of given.flatMap(formsOf)) {
    expect(text).not.toContain(form);
    expect(unescaped).not.toContain(form);
  }
}

/** How a gateway repeats a value. */
const echoes: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  json: (value) => JSON.stringify(value),
  twice: (value) => JSON.stringify(JSON.stringify({ value })),
  percent: encodeURIComponent,
  form: (value) => new URLSearchParams({ value }).toString(),
  base64: (value) => Buffer.from(value).toString('base64'),
  'base64 of user and value': (value) => Buffer.from(`user:${value}`).toString('base64'),
  'base64url of JSON': (value) => Buffer.from(JSON.stringify({ key: value })).toString('base64url'),
  link: (value) => `see https://files.example/a/b.png?w=1&zz=${encodeURIComponent(value)}.`,
};

const url = 'http://127.0.0.1:8080';

/** A fetch to the gateway. It needs no key, as a host of media. */
async function gateway(input: string, init: RequestInit): Promise<Response> {
  const { echo, ...sent } = JSON.parse(await new Response(init.body ?? '{}').text()) as { echo?: { kind: string; texts: string[] } };
  const { kind, texts = [] } = echo ?? { kind: 'json' };
  const { headers } = init;
  const { pathname, search } = new URL(input);
  const error = { message: `refused: ${texts.join(' ')}`, list: texts, [texts[0] ?? 'x']: 1 };
  const body = JSON.stringify({ error, headers, url: pathname + search, sent });
  const repeated = { 'x-echo': encodeURIComponent(texts.join(' ')), 'set-cookie': `a=${encodeURIComponent(texts[0] ?? '')}` };
  if (kind === 'stream') {
    const frames = `event: error\ndata: ${body}\n\n: ${texts.join(' ')}\n\ndata: ${body}\r\n\r\ndata: [DONE]\n\n`;
    return new Response(frames, { headers: { ...repeated, 'content-type': 'text/event-stream' } });
  }
  const type = kind === 'text' ? `text/plain; x=${encodeURIComponent(texts[0] ?? '')}` : 'application/json';
  return new Response(kind === 'cut' ? body.slice(0, -1) : body, { status: 400, headers: { ...repeated, 'content-type': type } });
}

const kinds = fc.constantFrom('json', 'stream', 'text', 'cut');
const forms = fc.subarray(Object.keys(echoes), { minLength: 1 });
const echoOf = (secret: string, kind: string, chosen: readonly string[]) => ({ kind, texts: chosen.map((name) => echoes[name]?.(secret) ?? '') });

async function recorded(send: (fetch: (input: string, init: RequestInit) => Promise<Response>) => Promise<Response>): Promise<string> {
  const file = newFile();
  const cassette = recorder(file, { fetch: gateway });
  await (await send(cassette)).text();
  await cassette.save();
  return file;
}

describe('no credential is in the file', () => {
  test('of a header outside the list of harmless ones', async () => {
    const names = fc.oneof(fc.constantFrom(...headerNames), fc.stringMatching(/^x-[a-z]{3,8}-[a-z]{3,8}$/));
    const wraps = fc.constantFrom<(secret: string) => string>(
      (secret) => secret,
      (secret) => `Bearer ${secret}`,
      (secret) => `Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
      (secret) => `Basic ${Buffer.from(`${secret}:`).toString('base64')}`,
    );
    await fc.assert(
      fc.asyncProperty(names, plainSecrets, wraps, kinds, forms, async (name, secret, wrap, kind, chosen) => {
        const echo = echoOf(secret, kind, chosen);
        const value = name === 'cookie' ? `sid=${encodeURIComponent(secret)}; a=b` : wrap(secret);
        const send = (fetch: (input: string, init: RequestInit) => Promise<Response>, headers: Record<string, string>) =>
          fetch(`${url}/v1/x?n=1`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body: JSON.stringify({ prompt: 'hi', echo }),
          });
        const file = await recorded((fetch) => send(fetch, { [name]: value }));
        expectNone(file, [secret]);
        // A replay with the same headers finds it.
        expect((await send(replayExchanges(file), { [name]: value })).status).toBe(kind === 'stream' ? 200 : 400);
      }),
      // Without the sign in the middle it would look like the name of a cookie.
      { numRuns: 150, examples: [['authorization', 'a0A-_a0-=-+A0a', (secret) => `Bearer ${secret}`, 'json', ['plain']]] },
    );
  });

  test('of a parameter, to the own host with a key and without one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...parameterNames), secrets, kinds, forms, fc.boolean(), async (name, secret, kind, chosen, isOwn) => {
        const echo = echoOf(secret, kind, chosen);
        const send = (fetch: (input: string, init: RequestInit) => Promise<Response>, value: string) =>
          fetch(`${url}/v1/x?limit=2&${name}=${encodeURIComponent(value)}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...(isOwn && { authorization: 'Bearer own-key-4711' }) },
            body: JSON.stringify({ echo }),
          });
        const file = await recorded((fetch) => send(fetch, secret));
        expectNone(file, [secret]);
        expect((await send(replayExchanges(file), secret)).status).toBe(kind === 'stream' ? 200 : 400);
      }),
      { numRuns: 150 },
    );
  });

  test('of any parameter of a link to another host, in the reply and when it is opened', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constantFrom(...parameterNames), fc.stringMatching(/^[a-z]{2,3}zz$/)),
        secrets,
        kinds,
        async (name, secret, kind) => {
          const link = `${url}/files/cat.mp4?limit=1&${name}=${encodeURIComponent(secret)}&Expires=1790000000`;
          const file = newFile();
          const cassette = recorder(file, { fetch: gateway });
          const ask = async (fetch: typeof cassette): Promise<string> => {
            const headers = { 'content-type': 'application/json', authorization: 'Bearer own-key-4711' };
            const reply = await fetch(`${url}/v1/video`, { method: 'POST', headers, body: JSON.stringify({ echo: { kind, texts: [link] } }) });
            const text = await reply.text();
            return /http:[^" ]*cat[^" \r\n\\]*/.exec(text.slice(text.indexOf('refused')))?.[0] ?? '';
          };
          await (await cassette(await ask(cassette), {})).text();
          await cassette.save();
          expectNone(file, [secret]);
          const replay = replayExchanges(file);
          // The replay gets the recorded link, and the recorded answer to it.
          const headers = { 'content-type': 'application/json', authorization: 'Bearer none' };
          const given = await replay(`${url}/v1/video`, { method: 'POST', headers, body: JSON.stringify({ echo: { kind, texts: [link] } }) });
          const text = await given.text();
          const again = /http:[^" ]*cat[^" \r\n\\]*/.exec(text.slice(text.indexOf('refused')))?.[0] ?? '';
          expect((await replay(again, {})).status).toBe(400);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('of a field', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fieldNames),
        secrets,
        kinds,
        fc.subarray(Object.keys(echoes)),
        fc.constantFrom('field', 'list', 'inner', 'pair', 'text', 'headers'),
        async (name, secret, kind, chosen, place) => {
          const holder: Readonly<Record<string, unknown>> = {
            field: { [name]: secret },
            list: { [name]: [secret] },
            inner: { [name]: { user: 'me', value: secret } },
            pair: [{ name, value: secret }],
            text: { arguments: JSON.stringify({ [name]: secret }) },
            headers: { headers: { 'x-any': secret } },
          };
          const body = JSON.stringify({ mcp: holder[place], echo: echoOf(secret, kind, chosen) });
          const headers = { 'content-type': 'application/json', authorization: 'Bearer own-key-4711' };
          const file = await recorded((fetch) => fetch(`${url}/v1/x`, { method: 'POST', headers, body }));
          expectNone(file, [secret]);
          const replay = replayExchanges(file);
          expect((await replay(`${url}/v1/x`, { method: 'POST', headers, body })).status).toBe(kind === 'stream' ? 200 : 400);
        },
      ),
      { numRuns: 200 },
    );
  });
});
