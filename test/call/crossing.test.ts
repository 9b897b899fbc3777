// A key of one host of the vendor does not reach the other in silence: ways to say the account, times operations, on the wire.
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Client, type Config, isModelsvcError, newClient, newClientFromEnv } from '../../src/overlay/index.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';

const china = 'https://open.bigmodel.cn/api/paas/v4';
const global = 'https://api.z.ai/api/paas/v4';
const hosts = { china: 'open.bigmodel.cn', global: 'api.z.ai' } as const;

/** The host and key of a request, or `refused` if there is none. */
type Place = string;
interface Way {
  readonly name: string;
  readonly make: (httpClient: NonNullable<Config['httpClient']>) => Client;
  readonly chat: Place;
  readonly others: Place;
  readonly china?: Place;
}

function fromEnv(env: Record<string, string>, httpClient: NonNullable<Config['httpClient']>, changes: Partial<Config> = {}): Client {
  for (const [name, value] of Object.entries(env)) {
    const before = process.env[name];
    process.env[name] = value;
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
  return newClientFromEnv().with({ httpClient, ...changes });
}

const way = (name: string, config: Partial<Config>, chat: Place, others: Place, chinaPlace?: Place): Way => ({
  name,
  make: (httpClient) => newClient({ apiKey: 'main', httpClient, ...config }),
  chat,
  others,
  ...(chinaPlace !== undefined && { china: chinaPlace }),
});
const inChina = `${hosts.china} main`;
const inGlobal = `${hosts.global} main`;
const env = { SVC_API_KEY: 'main', SVC_API_BASE_URL: china };

const ways: readonly Way[] = [
  way('nothing', {}, inGlobal, inGlobal),
  way('region', { region: 'china' }, inGlobal, inChina),
  way('baseURL', { baseURL: china }, inChina, 'refused'),
  way('baseURL of a plan', { baseURL: 'https://open.bigmodel.cn/api/coding/paas/v4' }, inChina, 'refused'),
  way('baseURL with slash, port and case', { baseURL: 'HTTPS://Open.BigModel.cn:443/api/paas/v4/' }, inChina, 'refused'),
  way('baseURL with a final dot', { baseURL: 'https://open.bigmodel.cn./api/paas/v4' }, inChina, 'refused'),
  way('a plan with a final dot and a port', { baseURL: 'https://open.bigmodel.cn.:443/api/coding/paas/v4' }, inChina, 'refused'),
  way('baseURL with a final dot, and region', { baseURL: 'https://open.bigmodel.cn./api/paas/v4', region: 'china' }, inChina, inChina),
  way('baseURL and region', { baseURL: china, region: 'china' }, inChina, inChina),
  way('global baseURL', { baseURL: global }, inGlobal, inGlobal),
  way('global baseURL and region', { baseURL: global, region: 'global' }, inGlobal, inGlobal),
  way('two accounts', { baseURL: china, chinaAPIKey: 'other' }, `${hosts.china} other`, inGlobal, `${hosts.china} other`),
  way('two accounts of one key', { baseURL: china, chinaAPIKey: 'main' }, inChina, inGlobal),
  way(
    'two accounts and both hosts',
    { baseURL: global, region: 'china', chinaAPIKey: 'other' },
    inGlobal,
    `${hosts.china} other`,
    `${hosts.china} other`,
  ),
  way('an empty china key', { baseURL: china, chinaAPIKey: '' }, inChina, 'refused'),
  way('endpoints that name the other host', { baseURL: china, endpoints: { agents: 'https://api.z.ai/api' } }, inChina, inGlobal),
  way('a gateway', { baseURL: 'https://gateway.example/v1' }, 'gateway.example main', inGlobal),
  way(
    'a host that imitates the vendor',
    { baseURL: 'https://open.bigmodel.cn.evil.example/api/paas/v4' },
    'open.bigmodel.cn.evil.example main',
    inGlobal,
  ),
  { name: 'variables', make: (httpClient) => fromEnv(env, httpClient), chat: inChina, others: 'refused' },
  {
    name: 'variables in quotes',
    make: (httpClient) => fromEnv({ SVC_API_KEY: '"main"', SVC_API_BASE_URL: `'${china}'` }, httpClient),
    chat: inChina,
    others: 'refused',
  },
  { name: 'variables and region', make: (httpClient) => fromEnv(env, httpClient, { region: 'china' }), chat: inChina, others: inChina },
  { name: 'an empty variable', make: (httpClient) => fromEnv({ ...env, SVC_API_BASE_URL: '' }, httpClient), chat: inGlobal, others: inGlobal },
];

describe.each(ways)('with $name', ({ make, chat, others, china: chinaPlace = inChina }) => {
  test.each(Object.entries(everyOperation))('%s', async (id, { surface, perform }) => {
    const sent: string[] = [];
    const client = make(async (url, { headers }) => {
      sent.push(`${new URL(url).host} ${headers['authorization']?.replace('Bearer ', '')}`);
      return Response.json({ error: { code: '1000', message: 'Refused.' } }, { status: 401 });
    });
    const error = await failure(perform(client));
    const place = surface === 'chat' ? chat : surface === 'china' ? chinaPlace : others;
    expect(sent).toEqual(place === 'refused' ? [] : [place]);
    if (place !== 'refused') return;
    const cure = "set region: 'china' (after newClientFromEnv(): .with({ region: 'china' }))";
    expect(isModelsvcError(error, 'config') && error.message).toBe(
      `baseURL is on ${hosts.china}, and ${id} would send its key to ${hosts.global}; ${cure}`,
    );
  });
});

test('other ways to a surface are refused too', async () => {
  const client = newClient({ apiKey: 'main', baseURL: china, httpClient: () => Promise.reject(new Error('sent')) });
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const calls = [
    client.anthropic().stream(undefined, { model: 'm', max_tokens: 1, messages }).next(),
    client.bindings('monitor').GET('/usage/quota/limit'),
    client.detection().detect(undefined),
    client.detection().probeWithBilledChat(undefined),
    client.agents().wait(undefined, { agent_id: 'a', async_id: 'b' }),
  ];
  for (const call of calls) expect(isModelsvcError(await failure(call), 'config')).toBe(true);
});

test.each([
  ['china', global, hosts.global],
  ['global', china, hosts.china],
] as const)('region %s with a root of the other host needs the other key', (region, baseURL, host) => {
  expect(() => newClient({ apiKey: 'main', region, baseURL })).toThrow(
    `region is ${region}, and baseURL is a root of ${host}; leave one of them out, or set apiKey and chinaAPIKey`,
  );
  const gateway = 'https://gateway.example';
  const all = { messages: gateway, responses: gateway, agents: gateway, monitor: gateway, biz: gateway, coding: gateway, platform: gateway };
  newClient({ apiKey: 'main', region, baseURL, endpoints: all });
});
