import { describe, expect, it } from 'vitest';
import { type Client, type Config, isValidationError, newClient, RegionChina } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { failureOf } from '../support/spec.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'glm-4.6', messages };
const message = { model: 'glm-4.7', max_tokens: 9, messages };

/** A client that sends to a function, and the URLs that it got. */
function recording(config: Partial<Config>): { client: Client; urls: string[] } {
  const urls: string[] = [];
  const httpClient: NonNullable<Config['httpClient']> = async (url) => {
    urls.push(url);
    return Response.json({ id: '1', choices: [], content: [], data: [], results: [], input_tokens: 1, created: 1 });
  };
  return { client: newClient({ apiKey: 'any', httpClient, maxRetries: 0, ...config }), urls };
}

const vendor: Partial<Config>[] = [
  {},
  { region: RegionChina },
  { baseURL: 'https://open.bigmodel.cn/api/coding/paas/v4' },
  // A gateway of the service, and a fake.
  { endpoints: 'https://gateway.example', serviceRules: true },
  configFor('http://127.0.0.1:8080'),
];
const elsewhere: Partial<Config>[] = [
  { endpoints: 'http://127.0.0.1:8080' },
  {
    baseURL: 'https://gateway.example/v1',
    endpoints: { messages: 'https://gateway.example/m', china: 'https://gateway.example/c' },
  },
  configFor('http://127.0.0.1:8080', { serviceRules: false }),
];

/** Requests beyond a range or length of the vendor. */
const beyond: [path: string, call: (client: Client) => Promise<unknown>][] = [
  ['temperature', (c) => c.chat().create(undefined, { ...chat, temperature: 1.2 })],
  ['top_p', (c) => c.chat().create(undefined, { ...chat, top_p: 0 })],
  ['max_tokens', (c) => c.chat().create(undefined, { ...chat, max_tokens: 2_000_000 })],
  ['max_tokens', (c) => c.chat().create(undefined, { ...chat, max_tokens: -1 })],
  ['stop', (c) => c.chat().create(undefined, { ...chat, stop: ['a', 'b', 'c', 'd', 'e'] })],
  ['request_id', (c) => c.chat().create(undefined, { ...chat, request_id: 'a' })],
  ['user_id', (c) => c.chat().create(undefined, { ...chat, user_id: 'x'.repeat(200) })],
  [
    'temperature',
    (c) =>
      c
        .chat()
        .stream(undefined, { ...chat, temperature: 2 })
        .next(),
  ],
  ['temperature', (c) => c.anthropic().create(undefined, { ...message, temperature: 1.2 })],
  ['top_k', (c) => c.anthropic().create(undefined, { ...message, top_k: -1 })],
  ['input', (c) => c.embeddings().create(undefined, { model: 'embedding-3', input: Array.from({ length: 65 }, () => 'a') })],
  ['dimensions', (c) => c.embeddings().create(undefined, { model: 'embedding-3', input: 'a', dimensions: 4096 })],
  ['documents', (c) => c.rerank().create(undefined, { model: 'rerank', query: 'a', documents: Array.from({ length: 129 }, () => 'b') })],
  [
    'metadata',
    (c) =>
      c
        .batch()
        .create(undefined, { input_file_id: 'a', endpoint: 'b', metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, ''])) }),
  ],
  ['file', (c) => c.audio().transcribe(undefined, { model: 'm', file: new Uint8Array(1), filename: 'a.flac' })],
  ['file_base64', (c) => c.audio().transcribe(undefined, { model: 'm', file_base64: 'A'.repeat(35 * 1024 * 1024) })],
  ['file', (c) => c.files().upload(undefined, { purpose: 'batch', file: new Uint8Array(1), filename: 'a.csv' })],
  ['file', (c) => c.layout().parse(undefined, { model: 'glm-ocr', file: `iVBORw0KGgoA${'A'.repeat(14 * 1024 * 1024)}` })],
  ['image_url', (c) => c.videos().generate(undefined, { model: 'cogvideox-3', image_url: `iVBORw0KGgoA${'A'.repeat(7 * 1024 * 1024)}` })],
  ['limit', (c) => c.files().list(undefined, { purpose: 'batch', limit: 500 })],
];

describe('a value beyond a range of the vendor', () => {
  it.each(beyond)('%s is refused on its hosts, before a request', async (path, call) => {
    for (const config of vendor) {
      const { client, urls } = recording(config);
      const error = await failureOf(() => call(client));
      expect(error).toSatisfy(isValidationError);
      expect((error as { path: string }).path.startsWith(path)).toBe(true);
      expect(urls).toEqual([]);
    }
  });

  it.each(beyond)('%s is sent to another server', async (_path, call) => {
    for (const config of elsewhere) {
      const { client, urls } = recording(config);
      await call(client).catch(() => undefined);
      expect(urls).toHaveLength(1);
      expect(urls[0]).not.toMatch(/z\.ai|bigmodel/);
    }
  });

  it('temperature in a batch follows the host of the batch', async () => {
    const run = (client: Client): Promise<unknown> => client.batch().run(undefined, [{ body: { ...chat, temperature: 1.2 } }], { maxWait: 0 });
    const own = recording({});
    expect(await failureOf(() => run(own.client))).toMatchObject({ path: 'requests[0].body.temperature' });
    expect(own.urls).toEqual([]);
    const other = recording({ baseURL: 'https://gateway.example/v1' });
    await run(other.client).catch(() => undefined);
    expect(other.urls[0]).toBe('https://gateway.example/v1/files');
  });
});

const tool = (name: string): object => ({ type: 'function', function: { name, description: 'F.', parameters: { type: 'object' } } });

/** Types, required fields and the rules of the contract. */
const always: [string, (client: Client) => Promise<unknown>][] = [
  ['temperature', (c) => c.chat().create(undefined, { ...chat, temperature: '1' as never })],
  ['model', (c) => c.chat().create(undefined, { ...chat, model: '' })],
  ['messages', (c) => c.chat().create(undefined, { ...chat, messages: [] })],
  ['messages', (c) => c.chat().create(undefined, { ...chat, messages: [{ role: 'system', content: 'a' }] })],
  ['tools', (c) => c.chat().create(undefined, { ...chat, tools: Array.from({ length: 129 }, (_, index) => tool(`f${index}`)) as never })],
  ['tools[0].function.name', (c) => c.chat().create(undefined, { ...chat, tools: [tool('not a name')] as never })],
  ['tools[0].type', (c) => c.chat().create(undefined, { ...chat, tools: [{ type: 'unknown' }] as never })],
  ['tools[0].function', (c) => c.chat().create(undefined, { ...chat, tools: [{ type: 'function' }] as never })],
  ['max_tokens', (c) => c.anthropic().create(undefined, { ...message, max_tokens: undefined as never })],
];

it.each(always)('%s is checked on every host', async (path, call) => {
  for (const config of [...vendor, ...elsewhere]) {
    const { client, urls } = recording(config);
    expect(await failureOf(() => call(client))).toMatchObject({ kind: 'validation', path });
    expect(urls).toEqual([]);
  }
});
