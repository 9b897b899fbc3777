import { afterEach, describe, expect, test } from 'vitest';
import { isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, transports } from '../support/both-ways.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { warm } from '../support/warm.ts';

const fake = await sharedFake();
const id = 'request-7';
const headers = { 'content-type': 'text/event-stream', 'x-log-id': id };
const json = { 'content-type': 'application/json', 'x-log-id': id };

async function readAll(stream: AsyncIterable<object>): Promise<void> {
  for await (const _ of stream);
}

const clients: { close(): void }[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

onBothWays((driver, clientFor) => {
  describe.each(['cold', 'warm'])('on a %s socket', (state) => {
    const prepared = async (overrides: object = {}): Promise<ReturnType<typeof clientFor>> => {
      const client = clientFor(fake, { maxRetries: 0, ...overrides });
      clients.push(client);
      if (state === 'warm') await warm(fake, driver.operation, () => driver.create(client), 1);
      return client;
    };
    const begun = { frames: [{ type: 'ping', choices: [{ index: 0, delta: { content: 'a' } }] }], headers };

    test('a reset in the middle of a stream has the request id', async () => {
      const client = await prepared();
      fake.answer(driver.operation, { ...faults.resetMidBody(), reply: begun });
      const error = await failure(readAll(driver.stream(client)));
      expect(isModelsvcError(error, 'connection', 'timeout')).toBe(true);
      expect(error).toMatchObject({ requestId: id, phase: 'body' });
    });

    test('silence in the middle of a stream has the request id', async () => {
      const client = await prepared({ streamIdleTimeout: 50 });
      fake.answer(driver.operation, { ...faults.silentAfterHeaders(1), reply: begun });
      const error = await failure(readAll(driver.stream(client)));
      expect(isModelsvcError(error, 'timeout')).toBe(true);
      expect(error).toMatchObject({ requestId: id, phase: 'body' });
    });

    test('a reset in the middle of JSON has the request id; one before the header has none', async () => {
      const client = await prepared();
      fake.answer(driver.operation, { ...faults.resetMidBody(), reply: { body: { long: 'x'.repeat(10_000) }, headers: json } });
      expect(await failure(driver.create(client))).toMatchObject({ requestId: id, phase: 'body' });
      fake.answer(driver.operation, faults.resetBeforeHeaders());
      expect(await failure(driver.create(client))).toMatchObject({ kind: 'connection', requestId: undefined });
    });
  });

  const pretty = JSON.stringify({ error: { code: '1302', message: 'too many requests', details: [{ a: {} }] }, request_id: 'r' }, null, 2);
  test.each([
    ['bare, at the start', [`${pretty}\n`]],
    ['bare, with CRLF', [pretty.replaceAll('\n', '\r\n')]],
    ['bare, within the stream', [': hi\n\n', `${pretty}\n\n`]],
    ['bare, cut into pieces', [...pretty].map((character) => character)],
    ['after one data:', [`data: ${pretty}\n\n`]],
    ['after one data: of an error event', [`event: error\ndata: ${pretty}\n\n`]],
    ['each line as data:', [`${pretty.replaceAll(/^/gm, 'data: ')}\n\n`]],
    ['bare, on one line', [`${JSON.stringify(JSON.parse(pretty))}\n`]],
  ])('a JSON error in several lines keeps its code: %s', async (_name, frames) => {
    fake.answer(driver.operation, { frames, headers });
    const error = await failure(readAll(driver.stream(clientFor(fake, { maxRetries: 0 }))));
    expect(error).toMatchObject({ kind: 'api', code: '1302', serviceMessage: 'too many requests', requestId: id });
  });

  test('a JSON error that is cut off in its middle is a truncated stream', async () => {
    fake.answer(driver.operation, { frames: [pretty.slice(0, -5)], headers });
    expect(await failure(readAll(driver.stream(clientFor(fake))))).toMatchObject({ kind: 'stream', problem: 'truncated' });
  });

  test('lines without a field name next to complete data have no effect', async () => {
    const frames = [`note\n  x: 1\ndata: ${JSON.stringify(driver.piece('a'))}\n}\n\n`, 'stray\n\n', driver.end, 'data: [DONE]\n\n'];
    fake.answer(driver.operation, { frames, headers });
    await expect(readAll(driver.stream(clientFor(fake)))).resolves.toBeUndefined();
  });
});

describe.each(transports)('a job that failed with an error object, over $transport', ({ overrides }) => {
  test('waitForResult throws a TaskError with text and code, without the key', async () => {
    const config = fake.configFor(overrides);
    const body = { id: 'job-1', task_status: 'FAIL', error: { code: '1301', message: `unsafe prompt ${config.apiKey}` } };
    fake.answer('client.getAsyncResult', { body, headers: json });
    const error = await failure(newClient(config).waitForResult(undefined, 'job-1', 100));
    expect(isModelsvcError(error, 'task')).toBe(true);
    expect(error).toMatchObject({ status: 'FAIL', id: 'job-1', code: '1301', result: body });
    expect(String(error)).toMatch(/waitForResult: unsafe prompt .*\(code 1301\)/);
    expect(String(error)).not.toContain(config.apiKey);
  });

  test('text and code next to the status count too', async () => {
    const body = { id: 'job-1', task_status: 'FAIL', code: 1301, message: 'unsafe prompt' };
    fake.answer('client.getAsyncResult', { body, headers: json });
    const error = await failure(newClient(fake.configFor(overrides)).waitForResult(undefined, 'job-1', 100));
    expect(error).toMatchObject({ kind: 'task', status: 'FAIL', code: '1301' });
    expect(String(error)).toContain('unsafe prompt');
  });

  test('fileParser().wait throws one too', async () => {
    fake.answer('fileParser.result', { body: { task_id: 'p', status: 'failed', error: { code: '1210', message: 'not a PDF' } }, headers: json });
    const error = await failure(newClient(fake.configFor(overrides)).fileParser().wait(undefined, 'p', 'text', { interval: 100 }));
    expect(error).toMatchObject({ kind: 'task', status: 'failed', code: '1210' });
    expect(String(error)).toContain('not a PDF');
  });

  test('an error object of a job that did not end is the failure of the poll', async () => {
    fake.answer('client.getAsyncResult', { body: { task_status: 'PROCESSING', error: { code: '1302', message: 'slow down' } }, headers: json });
    const error = await failure(newClient(fake.configFor({ ...overrides, maxRetries: 0 })).waitForResult(undefined, 'job-2', 100));
    expect(error).toMatchObject({ kind: 'api', code: '1302' });
  });
});

describe.each(transports)('bindings over $transport', ({ overrides }) => {
  const secret = 'the answer is 42';

  test.each([
    ['with a length', { 'content-length': String(secret.length) }],
    ['without a length', { 'content-length': '' }],
  ])('a success that is not JSON, %s, is a ReplyError that does not quote it', async (_name, length) => {
    fake.answer('models.list', { body: secret, headers: { ...json, ...length } });
    const error = await failure(newClient(fake.configFor(overrides)).bindings('chat').GET('/models'));
    expect(error).toMatchObject({ kind: 'reply', problem: 'malformed', requestId: id, operation: 'GET /models' });
    expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain('the answer');
    expect(String(error)).toContain('is not JSON (16 characters)');
  });
});
