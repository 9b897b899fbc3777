import { describe, expect, test } from 'vitest';
import { type Config, newClient } from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { onBothWays } from '../support/both-ways.ts';
import { turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';

const fake = await sharedFake({ keys: 'any' });
const chat = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

onBothWays(({ operation, create }, clientFor) => {
  test('changes the fields given, keeps the others, and resets those that are undefined', async () => {
    const client = clientFor(fake, { maxRetries: 0, userAgent: 'mine/1', headers: { 'x-team': 'one' } });
    const changed = client.with({ maxRetries: 1, headers: { 'x-other': 'two' } });
    const reset = changed.with({ userAgent: undefined, headers: undefined });
    fake.answer(operation, faults.serverErrors(2));
    expect(await failure(create(client))).toMatchObject({ kind: 'api', attempts: 1 });
    await create(changed);
    await create(reset);
    await create(client);
    expect(fake.requests.map(({ headers }) => [headers['user-agent'], headers['x-team'], headers['x-other']])).toEqual([
      ['mine/1', 'one', undefined],
      ['mine/1', undefined, 'two'],
      ['mine/1', undefined, 'two'],
      [expect.stringMatching(/^modelsvc\//), undefined, undefined],
      ['mine/1', 'one', undefined],
    ]);
  });

  test('a client of with is closed on its own: calls of the other client in flight go on', async () => {
    const client = clientFor(fake);
    const other = client.with({ timeout: 60_000 });
    let held = 0;
    let release = (): void => undefined;
    const wait = new Promise<void>((resolve) => {
      release = resolve;
    });
    fake.answer(operation, async () => {
      held++;
      await wait;
      return undefined;
    });
    const pending = create(client);
    await until(() => held === 1);
    await other.close();
    release();
    await expect(pending).resolves.toBeDefined();
    expect(fake.requests).toHaveLength(1);
    expect(await failure(create(other))).toMatchObject({ kind: 'config' });
    await expect(create(client)).resolves.toBeDefined();
    await client.close();
    await expect(create(client.with({}))).resolves.toBeDefined();
  });
});

describe('on the Node transport', () => {
  // A socket rests for some turns after an answer.
  test.each([
    ['one after the other use one socket', turns, 1],
    ['that follow at once take turns with two', async () => undefined, 2],
  ] as const)('connections are shared: calls %s', async (_name, rest, sockets) => {
    const { fake: own, client } = await openFake();
    const clients = [client, client.with({ maxRetries: 0 }), client.with({ apiKey: fakeKey }).with({ headers: { 'x-team': 'one' } })];
    for (const one of [...clients, ...clients]) {
      await one.chat().create(undefined, chat);
      await rest();
    }
    expect(own.requests).toHaveLength(6);
    expect(own.sockets).toBe(sockets);
  });
});

describe('refuses', () => {
  const client = newClient({ apiKey: 'any' });
  test.each<[string, unknown, string]>([
    ['an unknown field', { timeoutMs: 5 }, 'timeoutMs is unknown; did you mean timeout?'],
    ['an invalid value', { timeout: -1 }, 'timeout must be a duration from 0 to 20 days; pass a number of milliseconds'],
    ['no key', { apiKey: undefined }, 'apiKey is required (newClientFromEnv reads it from SVC_API_KEY)'],
    ['a root of another origin', { baseURL: 'https://a.test', endpoints: 'https://b.test' }, 'baseURL must have the origin of endpoints'],
  ])('%s', async (_name, changes, message) => {
    expect(await failure(Promise.resolve().then(() => client.with(changes as Partial<Config>)))).toMatchObject({ kind: 'config', message });
  });

  test.each([undefined, null, {}])('not %j, which changes no field', (changes) => {
    expect(client.with(changes as never)).toBeInstanceOf(client.constructor);
  });
});

test('starts from the Config as it was given, not as it was changed later', async () => {
  const headers: Record<string, string> = { 'x-team': 'one' };
  const hooks: NonNullable<Config['hooks']>[number][] = [];
  const config = { ...fake.configFor(), headers, hooks };
  const client = newClient(config);
  config.apiKey = 'changed';
  headers['x-team'] = 'changed';
  let fired = 0;
  hooks.push({ onStart: () => void fired++ });
  await client.with({ maxRetries: 0 }).chat().create(undefined, chat);
  expect(fake.requests[0]?.headers).toMatchObject({ 'x-team': 'one', authorization: `Bearer ${fakeKey}` });
  expect(fired).toBe(0);
});

test('takes fields that a Config inherits', async () => {
  class Defaults {
    readonly apiKey: string = 'inherited-key';
  }
  const config = Object.create(Object.assign(new Defaults(), { baseURL: fake.url })) as Config;
  await newClient(config).with({ maxRetries: 0 }).chat().create(undefined, chat);
  expect(fake.requests[0]?.headers['authorization']).toBe('Bearer inherited-key');
});

describe('a Config read from JSON', () => {
  test.each([
    ['{"apiKey":"any","header":{"x-a":"b"}}', 'header is unknown; did you mean headers?'],
    ['{"apiKey":"any","CA":"pem"}', 'CA is unknown; did you mean ca?'],
    ['{"apiKey":"any","agents":{}}', 'agents is unknown; did you mean agent?'],
    ['{"apiKey":"any","dangerouslyAllowBrowsers":true}', 'dangerouslyAllowBrowsers is unknown; did you mean dangerouslyAllowBrowser?'],
    ['{"apiKey":"any","dangerouslyAllowBrowser":"yes"}', 'dangerouslyAllowBrowser must be true or false'],
    ['{"apiKey":"any","agent":{}}', 'agent must be an Agent of node:https or node:http'],
    ['{"apiKey":"any","agent":true}', 'agent must be an Agent of node:https or node:http'],
    ['{"apiKey":"any","agent":null}', 'agent must be an Agent of node:https or node:http'],
    ['{"apiKey":"any","ca":"/etc/ca.pem"}', 'ca must be certificates in PEM: the text or bytes of the file, not its path'],
    ['{"apiKey":"any","ca":null}', 'ca must be certificates in PEM: the text or bytes of the file, not its path'],
    ['{"apiKey":"any","ca":[]}', 'ca must be certificates in PEM: the text or bytes of the file, not its path'],
    ['{"apiKey":"any","$schema":"x"}', expect.stringMatching(/^\$schema is unknown; remove it, /)],
  ])('%s', async (text, message) => {
    expect(await failure(Promise.resolve().then(() => newClient(JSON.parse(text) as Config)))).toMatchObject({ kind: 'config', message });
  });
});
