import { describe, expect, it } from 'vitest';
import { allRoutes } from '../../src/generated/routes.ts';
import { type Client, type Config, isApiError, newClient, RegionChina, RegionGlobal } from '../../src/overlay/index.ts';
import { everyOperation, type KnownOperation } from '../support/every-operation.ts';
import { failureOf } from '../support/spec.ts';

type Surface = KnownOperation['surface'];
type Place = readonly [root: string, key: 'main-key' | 'china-key'];

const overrides = {
  messages: 'https://gateway.example/messages',
  responses: 'https://gateway.example/responses',
  agents: 'https://gateway.example/agents/',
  monitor: 'https://gateway.example/monitor',
  biz: 'http://127.0.0.1:8080/biz',
  china: 'https://gateway.example/china',
  coding: 'https://gateway.example/coding',
  platform: 'https://gateway.example/platform',
};

const globalPlaces: Readonly<Record<Surface, Place>> = {
  chat: ['https://api.z.ai/api/paas/v4', 'main-key'],
  china: ['https://open.bigmodel.cn/api/paas/v4', 'china-key'],
  messages: ['https://api.z.ai/api/anthropic', 'main-key'],
  responses: ['https://api.z.ai/api/v1', 'main-key'],
  agents: ['https://api.z.ai/api', 'main-key'],
  monitor: ['https://api.z.ai/api/monitor', 'main-key'],
  biz: ['https://api.z.ai/api/biz', 'main-key'],
};

const chinaPlaces: Readonly<Record<Surface, Place>> = {
  chat: ['https://api.z.ai/api/paas/v4', 'main-key'],
  china: ['https://open.bigmodel.cn/api/paas/v4', 'china-key'],
  messages: ['https://open.bigmodel.cn/api/anthropic', 'china-key'],
  responses: ['https://open.bigmodel.cn/api/v1', 'china-key'],
  agents: ['https://open.bigmodel.cn/api', 'china-key'],
  monitor: ['https://open.bigmodel.cn/api/monitor', 'china-key'],
  biz: ['https://open.bigmodel.cn/api/biz', 'china-key'],
};

/** Places of `endpoints: url`: the china key goes to china roots, and with region china to the region's. */
function everywhere(root: string, chat: string, regional: Place[1]): Readonly<Record<Surface, Place>> {
  const place: Place = [root, regional];
  return { chat: [chat, 'main-key'], china: [root, 'china-key'], messages: place, responses: place, agents: place, monitor: place, biz: place };
}

/** Where each surface is, and with which key, for each way to configure it. */
const table: [name: string, config: Partial<Config>, places: Readonly<Record<Surface, Place>>][] = [
  ['nothing said', {}, globalPlaces],
  ['region global', { region: RegionGlobal }, globalPlaces],
  ['region china moves all but chat', { region: RegionChina }, chinaPlaces],
  [
    'baseURL moves chat alone',
    { baseURL: 'https://api.z.ai/api/coding/paas/v4/' },
    { ...globalPlaces, chat: ['https://api.z.ai/api/coding/paas/v4', 'main-key'] },
  ],
  [
    'baseURL on the china host takes the china key',
    { baseURL: 'https://open.bigmodel.cn/api/paas/v4' },
    { ...globalPlaces, chat: ['https://open.bigmodel.cn/api/paas/v4', 'china-key'] },
  ],
  [
    'baseURL elsewhere keeps the main key, whatever the region',
    { baseURL: 'http://127.0.0.1:8080/v1', region: RegionChina },
    { ...chinaPlaces, chat: ['http://127.0.0.1:8080/v1', 'main-key'] },
  ],
  [
    'endpoints move every other root',
    { endpoints: overrides },
    {
      chat: ['https://api.z.ai/api/paas/v4', 'main-key'],
      china: ['https://gateway.example/china', 'china-key'],
      messages: ['https://gateway.example/messages', 'main-key'],
      responses: ['https://gateway.example/responses', 'main-key'],
      agents: ['https://gateway.example/agents', 'main-key'],
      monitor: ['https://gateway.example/monitor', 'main-key'],
      biz: ['http://127.0.0.1:8080/biz', 'main-key'],
    },
  ],
  [
    'endpoints with region china take its key',
    { endpoints: overrides, region: RegionChina },
    {
      chat: ['https://api.z.ai/api/paas/v4', 'main-key'],
      china: ['https://gateway.example/china', 'china-key'],
      messages: ['https://gateway.example/messages', 'china-key'],
      responses: ['https://gateway.example/responses', 'china-key'],
      agents: ['https://gateway.example/agents', 'china-key'],
      monitor: ['https://gateway.example/monitor', 'china-key'],
      biz: ['http://127.0.0.1:8080/biz', 'china-key'],
    },
  ],
  [
    'endpoints as a URL moves every root',
    { endpoints: 'http://127.0.0.1:8080/' },
    everywhere('http://127.0.0.1:8080', 'http://127.0.0.1:8080', 'main-key'),
  ],
  [
    'endpoints as a URL, with region china',
    { endpoints: 'http://127.0.0.1:8080/mock', region: RegionChina },
    everywhere('http://127.0.0.1:8080/mock', 'http://127.0.0.1:8080/mock', 'china-key'),
  ],
  [
    'endpoints as a URL, with chat below it',
    { endpoints: 'http://127.0.0.1:8080', baseURL: 'http://127.0.0.1:8080/v1' },
    everywhere('http://127.0.0.1:8080', 'http://127.0.0.1:8080/v1', 'main-key'),
  ],
  [
    'an endpoint on the china host takes the china key',
    { endpoints: { agents: 'https://open.bigmodel.cn/api' } },
    { ...globalPlaces, agents: ['https://open.bigmodel.cn/api', 'china-key'] },
  ],
];

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly key: string | null;
}

/** A client that sends no request: its httpClient notes each request and refuses it. */
function recordingClient(config: Partial<Config>): { client: Client; sent: Sent[] } {
  const sent: Sent[] = [];
  const httpClient: NonNullable<Config['httpClient']> = async (url, init) => {
    sent.push({ method: init.method ?? '', url, key: new Headers(init.headers).get('authorization') });
    return Response.json({ error: { code: '1000', message: 'Refused.' } }, { status: 401 });
  };
  return { client: newClient({ apiKey: 'main-key', chinaAPIKey: 'china-key', httpClient, ...config }), sent };
}

async function sentBy(config: Partial<Config>, perform: (client: Client) => Promise<unknown>): Promise<string[]> {
  const { client, sent } = recordingClient(config);
  const error = await perform(client).catch((cause: unknown) => cause);
  expect(error).toSatisfy(isApiError);
  return sent.map(({ method, url, key }) => `${method} ${url.split('?')[0]} ${key}`);
}

it('covers every operation of the spec', () => {
  expect(Object.keys(everyOperation).sort()).toEqual(allRoutes.map((route) => route.id).sort());
});

describe.each(table)('%s', (_name, config, places) => {
  it.each(Object.entries(everyOperation))('%s', async (_id, { surface, wire, perform }) => {
    const [root, key] = places[surface];
    const [method, path] = wire.split(' ');
    // `serviceRules` chooses neither host nor key.
    for (const serviceRules of [undefined, true, false])
      expect(await sentBy({ ...config, serviceRules }, perform)).toEqual([`${method} ${root}${path} Bearer ${key}`]);
  });
});

it('endpoints as a URL and a baseURL on another origin is a ConfigError', async () => {
  for (const baseURL of ['https://api.z.ai/api/paas/v4', 'http://127.0.0.1:8081', 'https://127.0.0.1:8080'])
    expect(await failureOf(() => newClient({ apiKey: 'any', baseURL, endpoints: 'http://127.0.0.1:8080' }))).toMatchObject({
      kind: 'config',
      message: 'baseURL must have the origin of endpoints',
    });
});

describe('a root with a path that the host of the vendor does not have is a ConfigError', () => {
  const chat = 'https://api.z.ai/api/paas/v4 or https://api.z.ai/api/coding/paas/v4';
  const china = 'https://open.bigmodel.cn/api/paas/v4 or https://open.bigmodel.cn/api/coding/paas/v4';
  const wrong: [field: string, config: Partial<Config>, use: string][] = [
    ['baseURL', { baseURL: 'https://api.z.ai/v1' }, chat],
    ['baseURL', { baseURL: 'https://api.z.ai' }, chat],
    ['baseURL', { baseURL: 'https://api.z.ai/' }, chat],
    ['baseURL', { baseURL: 'https://api.z.ai/api/paas/v4/chat/completions' }, chat],
    ['baseURL', { baseURL: 'https://api.z.ai/api/anthropic' }, chat],
    ['baseURL', { baseURL: 'https://open.bigmodel.cn/api/paas/v3' }, china],
    ['endpoints.messages', { endpoints: { messages: 'https://api.z.ai/api/anthropic/v1' } }, 'https://api.z.ai/api/anthropic'],
    ['endpoints.responses', { endpoints: { responses: 'https://open.bigmodel.cn/api/paas/v4' } }, 'https://open.bigmodel.cn/api/v1'],
    ['endpoints.platform', { endpoints: { platform: 'https://api.z.ai/v4' } }, chat],
    ['endpoints', { endpoints: 'https://api.z.ai/v4' }, chat],
  ];
  it.each(wrong)('%s: %j', async (path, config, use) => {
    const error = (await failureOf(() => newClient({ apiKey: 'any', ...config }))) as Error;
    expect(error).toMatchObject({ kind: 'config', path });
    expect(error.message).toContain(`use ${use}`);
  });

  const right: Partial<Config>[] = [
    { baseURL: 'https://api.z.ai/api/paas/v4/' },
    { baseURL: 'https://open.bigmodel.cn/api/coding/paas/v4' },
    { baseURL: 'https://api.z.ai.example/v1' },
    { baseURL: 'http://api.z.ai:8080/v1' },
    { endpoints: { platform: 'https://api.z.ai/api/coding/paas/v4' } },
    { endpoints: 'https://api.z.ai/api/paas/v4' },
  ];
  it.each(right)('and %j is not', (config) => void newClient({ apiKey: 'any', ...config }));
});

describe('without a china key', () => {
  it.each(Object.entries(everyOperation))('%s takes the main key in every region', async (_id, { perform }) => {
    for (const region of [RegionGlobal, RegionChina]) {
      const [only, ...more] = await sentBy({ chinaAPIKey: '', region }, perform);
      expect(only).toMatch(/ Bearer main-key$/);
      expect(more).toEqual([]);
    }
  });
});

describe('streams and the methods that wait go where their operation goes', () => {
  const message = [{ role: 'user' as const, content: 'hi' }];
  const cases: [string, string, (client: Client) => Promise<unknown>][] = [
    [
      'chat.stream',
      'POST https://api.z.ai/api/paas/v4/chat/completions Bearer main-key',
      (c) => c.chat().stream(undefined, { model: 'm', messages: message }).next(),
    ],
    [
      'anthropic.stream',
      'POST https://open.bigmodel.cn/api/anthropic/v1/messages Bearer china-key',
      (c) => c.anthropic().stream(undefined, { model: 'm', max_tokens: 1, messages: message }).next(),
    ],
    [
      'agents.stream',
      'POST https://open.bigmodel.cn/api/v1/agents Bearer china-key',
      (c) => c.agents().stream(undefined, { agent_id: 'a', messages: message }).next(),
    ],
    [
      'agents.wait',
      'POST https://open.bigmodel.cn/api/v1/agents/async-result Bearer china-key',
      (c) => c.agents().wait(undefined, { agent_id: 'a', async_id: 'b' }),
    ],
    ['waitForResult', 'GET https://api.z.ai/api/paas/v4/async-result/a%2Fb Bearer main-key', (c) => c.waitForResult(undefined, 'a/b')],
    ['batch.wait', 'GET https://api.z.ai/api/paas/v4/batches/a%2Fb Bearer main-key', (c) => c.batch().wait(undefined, 'a/b')],
  ];
  it.each(cases)('%s', async (_name, expected, perform) => {
    expect(await sentBy({ region: RegionChina }, perform)).toEqual([expected]);
  });
});

describe('detection asks the roots of the region, whatever baseURL is', () => {
  const elsewhere = { baseURL: 'https://gateway.example/chat' };
  const probes: [string, Partial<Config>, string[]][] = [
    [
      'global',
      elsewhere,
      [
        'POST https://api.z.ai/api/coding/paas/v4/chat/completions Bearer main-key',
        'POST https://api.z.ai/api/paas/v4/chat/completions Bearer main-key',
      ],
    ],
    [
      'china',
      { ...elsewhere, region: RegionChina },
      [
        'POST https://open.bigmodel.cn/api/coding/paas/v4/chat/completions Bearer china-key',
        'POST https://open.bigmodel.cn/api/paas/v4/chat/completions Bearer china-key',
      ],
    ],
    [
      'endpoints as a URL',
      { endpoints: 'http://127.0.0.1:8080' },
      ['POST http://127.0.0.1:8080/chat/completions Bearer main-key', 'POST http://127.0.0.1:8080/chat/completions Bearer main-key'],
    ],
    [
      'overrides',
      { ...elsewhere, endpoints: overrides },
      [
        'POST https://gateway.example/coding/chat/completions Bearer main-key',
        'POST https://gateway.example/platform/chat/completions Bearer main-key',
      ],
    ],
  ];
  it.each(probes)('%s', async (_name, config, expected) => {
    const { client, sent } = recordingClient(config);
    await client.detection().probeWithBilledChat(undefined);
    expect(sent.map(({ method, url, key }) => `${method} ${url} ${key}`)).toEqual(expected);
  });

  it('and for free: the quota and the model list', async () => {
    const { client, sent } = recordingClient({ ...elsewhere, region: RegionChina });
    await client.detection().detect(undefined);
    expect(sent.map(({ method, url, key }) => `${method} ${url} ${key}`).sort()).toEqual([
      'GET https://open.bigmodel.cn/api/monitor/usage/quota/limit Bearer china-key',
      'GET https://open.bigmodel.cn/api/paas/v4/models Bearer china-key',
    ]);
  });
});
