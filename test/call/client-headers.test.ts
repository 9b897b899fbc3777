import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { toCurl } from '../../src/debug/index.ts';
import { type Config, isApiError, newClient } from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { onBothWays, taken, transports } from '../support/both-ways.ts';
import { everyWay } from '../support/every-way.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

describe.each(transports)('headers of a Config over $transport', ({ overrides }) => {
  test.each(everyWay)('are sent by %s', async (_name, perform) => {
    const client = newClient(fake.configFor({ ...overrides, maxRetries: 0, headers: { 'X-Team': 'team-4711' } }));
    await perform(client).catch(() => undefined);
    expect(fake.requests.length).toBeGreaterThan(0);
    for (const { headers } of fake.requests) expect(headers).toMatchObject({ 'x-team': 'team-4711', authorization: `Bearer ${fakeKey}` });
  });
});

onBothWays(({ operation, create, stream }, clientFor) => {
  test('a context header of the same name wins, in any case; the others stay', async () => {
    const client = clientFor(fake, { headers: { 'X-Team': 'one', 'x-other': 'two', 'user-agent': 'mine/1' }, userAgent: 'not/this' });
    await create(client, { headers: { 'x-tEAM': 'three' } });
    await taken(stream(client, { headers: { 'x-team': 'four' } }));
    expect(fake.requests.map(({ headers }) => [headers['x-team'], headers['x-other'], headers['user-agent']])).toEqual([
      ['three', 'two', 'mine/1'],
      ['four', 'two', 'mine/1'],
    ]);
  });

  test('their values are redacted from the words of the service and absent from a printed client', async () => {
    const client = clientFor(fake, { headers: { 'x-team': 'TEAM-VALUE-4711' } });
    fake.answer(operation, faults.error(400, '1210', 'bad team TEAM-VALUE-4711'));
    const error = await failure(create(client));
    expect(isApiError(error) && error.message).toContain('bad team [key]');
    expect(inspect([error, client], { depth: 10, showHidden: true }) + JSON.stringify(client)).not.toContain('TEAM-VALUE');
  });
});

test.each(['authorization', 'Authorization', 'x-api-key', 'X-API-Key', 'api-key', 'proxy-authorization', 'cookie'])(
  '%s is refused: the key goes in apiKey',
  async (name) => {
    const error = await failure(Promise.resolve().then(() => newClient({ apiKey: 'any', headers: { [name]: 'secret-4711' } })));
    expect(error).toMatchObject({ kind: 'config', message: `headers.${name.toLowerCase()} is a credential: the key goes in apiKey` });
    expect(inspect(error)).not.toContain('secret-4711');
  },
);

test.each<[string, unknown, string]>([
  ['a line break', { 'x-a': 'one\ntwo' }, 'headers contains a name or value that is not valid in an HTTP header'],
  ['a number', { 'x-a': 1 }, 'headers contains a name or value that is not valid in an HTTP header'],
  ['a name with a blank', { 'x a': 'one' }, 'headers contains a name or value that is not valid in an HTTP header'],
  ['content-length', { 'Content-Length': '4' }, 'headers.content-length is set by the transport: remove it'],
  ['a Headers object', new Headers({ 'x-a': 'one' }), 'headers must be a plain object of names and values'],
  ['pairs', [['x-a', 'one']], 'headers must be a plain object of names and values'],
  ['text', 'x-a: one', 'headers must be a plain object of names and values'],
  ['null', null, 'headers must be a plain object of names and values'],
])('%s is refused by newClient', async (_name, headers, message) => {
  const error = await failure(Promise.resolve().then(() => newClient({ apiKey: 'any', headers } as Config)));
  expect(error).toMatchObject({ kind: 'config', message });
});

test.each([
  ['a Headers object', new Headers({ 'x-a': 'one' })],
  ['a Map', new Map([['x-a', 'one']])],
  ['pairs', [['x-a', 'one']]],
  ['text', 'x-a: one'],
  ['null', null],
])('%s is refused in a context', async (_name, headers) => {
  const rule = 'must be a plain object of names and values';
  const refusal = (call: () => unknown): Promise<unknown> => failure(Promise.resolve().then(call));
  expect(
    await refusal(() =>
      newClient(fake.configFor())
        .models()
        .list({ headers: headers as never }),
    ),
  ).toMatchObject({
    message: `models.list: ctx.headers ${rule}`,
  });
  expect(fake.requests).toEqual([]);
});

test.each(transports)('neither they nor headers of a context follow a redirect to another origin ($transport)', async ({ overrides }) => {
  const { fake: store } = await openFake();
  fake.answer('files.content', { status: 302, headers: { location: store.host('/stored', { body: 'content' }) }, body: '' });
  const client = newClient(fake.configFor({ ...overrides, headers: { 'x-team': 'team-4711' } }));
  const reply = await client.files().content({ headers: { 'x-own': 'own-4711' } }, 'file-1');
  expect(await reply.text()).toBe('content');
  expect(fake.requests[0]?.headers).toMatchObject({ 'x-team': 'team-4711', 'x-own': 'own-4711' });
  expect(store.requests.map(({ path }) => path)).toEqual(['/stored']);
  for (const name of ['x-team', 'x-own', 'authorization']) expect(store.requests[0]?.headers).not.toHaveProperty(name);
});

test('toCurl names them without their values', () => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };
  const command = toCurl('chat.create', request, { headers: { 'x-team': 'team-4711' } });
  expect(command).toContain('x-team: PLACEHOLDER');
  expect(command).not.toContain('team-4711');
});
