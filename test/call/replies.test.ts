import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { isApiError, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { onBothWays, taken, transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

const json = { 'content-type': 'application/json' };
const good = { id: '1', choices: [{ index: 0, finish_reason: 'stop', message: { content: 'hi' } }], content: [{}], output: [{}] };

onBothWays((driver, clientFor) => {
  test.each(['application/json', 'application/problem+json', 'application/vnd.service.v4+json;charset=utf-8', 'Application/JSON', 'text/json', ''])(
    'JSON as %j is read, and instead of a stream it is not taken for one',
    async (type) => {
      const answer = { body: JSON.stringify(good), headers: { 'content-type': type } };
      fake.answer(driver.operation, answer, answer);
      expect(await driver.create(clientFor(fake))).toEqual(good);
      const { items, error } = await taken(driver.stream(clientFor(fake)));
      expect(isApiError(error) && error.serviceMessage).toContain('got JSON');
      expect(items).toEqual([]);
    },
  );

  test.each([
    ['nothing, with content-length 0', ''],
    ['white space', ' \r\n\t\n'],
  ])('%s under status 200 is an error that names the request', async (_what, body) => {
    fake.answer(driver.operation, { body, headers: json });
    const error = await failure(driver.create(clientFor(fake)));
    expect(isModelsvcError(error, 'reply') && error.problem).toBe('truncated');
    expect(error).toMatchObject({ requestId: fake.requests[0]?.requestId });
    expect(fake.requests).toHaveLength(1);
  });

  test.each(['null', '5', '"text"', 'true'])('%s instead of an object is malformed', async (body) => {
    fake.answer(driver.operation, { body, headers: json });
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ kind: 'reply', problem: 'malformed' });
  });

  test.each([408, 409, 425])('status %d is not retried: the contract names 429, 5xx and network errors', async (status) => {
    fake.answer(driver.operation, { body: {}, status });
    expect(await failure(driver.create(clientFor(fake)))).toMatchObject({ kind: 'api', status, attempts: 1 });
    expect(fake.requests).toHaveLength(1);
  });

  test.each([
    ['a number', 1305, '1305'],
    ['a string', '1305', '1305'],
    ['a word', 'overloaded_error', 'overloaded_error'],
    ['null', null, undefined],
    ['a name that every object has', 'constructor', 'constructor'],
    ['another such name', '__proto__', '__proto__'],
  ])('error.code as %s', async (_what, code, expected) => {
    const answer = { body: JSON.stringify({ error: { code, message: 'words' } }), status: 400, headers: json };
    fake.answer(driver.operation, answer);
    const error = await failure(driver.create(clientFor(fake)));
    expect(error).toMatchObject({ kind: 'api', code: expected, serviceMessage: 'words' });
    expect(isApiError(error) && error.category).toMatch(/^(rate|parameter|server)$/);
  });

  test('no retry header of its own, and each attempt the same request', async () => {
    fake.answer(driver.operation, { body: {}, status: 503 }, { body: {}, status: 503 }, { body: good });
    await driver.create(clientFor(fake));
    const [first, ...rest] = fake.requests.map(({ headers, body, path }) => ({ headers, body, path }));
    expect(rest).toEqual([first, first]);
    expect(Object.keys(first?.headers ?? {}).filter((name) => /retry|stainless/.test(name))).toEqual([]);
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

  test('a chunked body without a single chunk is not a reply', async () => {
    fake.answer('chat.create', { body: Readable.from([]), headers: json });
    const client = newClient(fake.configFor(overrides));
    expect(await failure(client.chat().create(undefined, request))).toMatchObject({ kind: 'reply', problem: 'truncated' });
  });

  test('headers of a context reach the wire once, whatever their case; the later one wins', async () => {
    const client = newClient(fake.configFor(overrides));
    await client.chat().create({ headers: { 'X-Trace': 'a', 'x-other': 'b', 'x-trace': 'c' } }, request);
    await client.chat().create({ headers: { Accept: 'application/vnd.mine+json', 'USER-AGENT': 'mine/1' } }, request);
    const [first, second] = fake.requests.map((one) => one.headers);
    expect([first?.['x-trace'], first?.['x-other']]).toEqual(['c', 'b']);
    expect([second?.['accept'], second?.['user-agent']]).toEqual(['application/vnd.mine+json', 'mine/1']);
  });

  test('query parameters that are undefined are left out, and text is encoded', async () => {
    const client = newClient(fake.configFor(overrides));
    await client.files().list(undefined, { purpose: 'batch', after: 'a&b=c d/é', limit: 5, order: undefined } as never);
    expect(fake.requests[0]?.parameters).toEqual({ purpose: 'batch', limit: '5', after: 'a&b=c d/é' });
  });

  test('an id in a path is one segment, dots and slashes and percent signs included', async () => {
    const client = newClient(fake.configFor(overrides));
    fake.fallback('files.delete', { example: 'deleted' });
    for (const id of ['a/b', '..%2f..', '%2e%2e', 'a?b#c', 'é 你']) {
      await client.files().delete(undefined, id);
      expect(fake.requests.at(-1)?.parameters['file_id']).toBe(id);
    }
  });
});
