import { describe, expect, it } from 'vitest';
import { type AnthropicMessageRequest, type Client, type Config, newClient, RegionChina } from '../../src/overlay/index.ts';
import { configFor } from '../../src/testing/index.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';

const messages = [{ role: 'user' as const, content: 'hi' }];
const chat = { model: 'glm-4.6', messages };
const message = { model: 'glm-4.7', max_tokens: 9, messages };

/** A client that sends to a function, and the URLs that it got. */
function recording(config: Partial<Config>): { client: Client; urls: string[] } {
  const urls: string[] = [];
  const httpClient: NonNullable<Config['httpClient']> = async (url) => {
    urls.push(url);
    return Response.json({
      id: '1',
      choices: [{}],
      content: [{}],
      data: [{ url: 'https://host.example/a.png' }],
      results: [],
      input_tokens: 1,
      created: 1,
    });
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

const thinking = (budget: number, max: number): AnthropicMessageRequest => ({
  model: 'glm-4.7',
  max_tokens: max,
  messages: [{ role: 'user', content: 'hi' }],
  thinking: { type: 'enabled', budget_tokens: budget },
});

const image = (model: string, size: string) => (client: Client) => client.images().generate(undefined, { model, prompt: 'a boat', size });

/** Requests beyond a range or length of the vendor, and the words of some errors. */
const beyond: [path: string, call: (client: Client) => Promise<unknown>, says?: string][] = [
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
  ['dimensions', (c) => c.embeddings().create(undefined, { model: 'embedding-2', input: 'a', dimensions: 512 }), 'must be one of 1024'],
  ['input', (c) => c.moderations().create(undefined, { model: 'moderation', input: 'x'.repeat(2001) }), 'must have at most 2000 characters'],
  ['count', (c) => c.tools().webSearch(undefined, { search_query: 'x', search_engine: 'search_pro', count: 51 }), 'must be at most 50'],
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
  ['thinking.budget_tokens', (c) => c.anthropic().create(undefined, thinking(1023, 4096)), 'must be at least 1024'],
  ['thinking.budget_tokens', (c) => c.anthropic().create(undefined, thinking(4096, 4096)), 'must be below max_tokens (4096)'],
  ['thinking.budget_tokens', (c) => c.anthropic().stream(undefined, thinking(5000, 4096)).next(), 'must be below max_tokens (4096)'],
  ['size', image('another-model', 'auto'), 'must be a width and a height in pixels, for instance 1024x1024'],
  ['size', image('glm-image', '1280x1281'), 'must have sides that are multiples of 32, and at most 4194304 pixels'],
  ['size', image('glm-image', '4096x2048'), 'must have sides that are multiples of 32, and at most 4194304 pixels'],
  ['size', image('glm-image', '0x1024'), 'must have sides that are multiples of 32, and at most 4194304 pixels'],
  ['size', image('cogview-4', '496x1024'), 'must have sides of 512 to 2048 that are multiples of 16, and at most 2097152 pixels'],
  ['size', image('cogview-3-flash', '2048x2048'), 'must have sides of 512 to 2048 that are multiples of 16, and at most 2097152 pixels'],
  [
    'size',
    (c) => c.images().generateAsync(undefined, { model: 'glm-image', prompt: 'a boat', size: '1000x1000' }),
    'must have sides that are multiples of 32, and at most 4194304 pixels',
  ],
];

describe('a value beyond a range of the vendor', () => {
  it.each(beyond)('%s is refused on its hosts, before a request', async (path, call, says = '') => {
    for (const config of vendor) {
      const { client, urls } = recording(config);
      const error = await failureOf(() => call(client));
      expect(error).toSatisfy(ofKind('validation'));
      expect((error as { path: string }).path.startsWith(path)).toBe(true);
      expect((error as Error).message.endsWith(says)).toBe(true);
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

  it('does not include a suggested size, or the least budget of thinking', async () => {
    const { client, urls } = recording({});
    const big = ['1280x1280', '1568x1056', '1056x1568', '1472x1088', '1088x1472', '1728x960', '960x1728', '2048x2048'];
    const small = ['1024x1024', '768x1344', '864x1152', '1344x768', '1152x864', '1440x720', '720x1440', '512x2048'];
    for (const size of big) await image('glm-image', size)(client);
    for (const size of small) await image('cogview-4-250304', size)(client);
    await image('another-model', '7x7')(client);
    await client.anthropic().create(undefined, thinking(1024, 1025));
    await client.anthropic().create(undefined, { ...thinking(1024, 1025), thinking: { type: 'enabled' } });
    expect(urls).toHaveLength(big.length + small.length + 3);
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
