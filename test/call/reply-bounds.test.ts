import { describe, expect, test } from 'vitest';
import { type Client, type Config, isApiError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { type SurfaceDriver, surfaces, taken, textIn, transports } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { settled } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const mebibyte = 1024 * 1024;

// The bounds are the same on every surface: test/call/warm-sockets.test.ts has the floods on each.
const driver = surfaces[0] as SurfaceDriver;

describe.each(transports)('$transport', ({ overrides: own }) => {
  const clientFor = (overrides: Partial<Config> = {}): Client => newClient(fake.configFor({ ...own, wholeReplies: true, ...overrides }));

  test('a gzip reply that inflates to 540 MB is an error at the bound: create and stream', async () => {
    fake.answer(driver.operation, faults.gzipBomb(), faults.gzipBomb());
    const client = clientFor();
    expect(await failure(driver.create(client))).toMatchObject({ kind: 'reply', problem: 'too-large' });
    expect((await taken(driver.stream(client))).error).toMatchObject({ kind: 'stream', problem: 'too-large' });
    expect(fake.requests).toHaveLength(2);
    await fake.idle({ timeoutMs: 10_000 });
  });

  test('a reply of 65 MB is too large by default, and none is with maxReplyBytes 0', async () => {
    fake.answer(driver.operation, faults.hugeEvent(65 * mebibyte), faults.hugeEvent(65 * mebibyte));
    const error = await failure(driver.create(clientFor()));
    expect(error).toMatchObject({ kind: 'reply', problem: 'too-large' });
    expect(String(error)).toMatch(/67108864 bytes\. The call may be billed; raise maxReplyBytes/);
    await expect(driver.create(clientFor({ maxReplyBytes: 0 }))).resolves.toBeDefined();
    expect(fake.requests).toHaveLength(2);
  });

  test('maxReplyBytes counts what a collected answer keeps, not its frames', async () => {
    const pieces = Array.from({ length: 5000 }, () => 'abcd');
    fake.answer(driver.operation, { turn: { text: pieces } }, { turn: { text: pieces } }, faults.endlessFrames());
    const collectedBy = (maxReplyBytes: number): Promise<object> => driver.create(clientFor({ wholeReplies: false, maxReplyBytes }));
    expect(JSON.stringify(await collectedBy(21_000)).length).toBeGreaterThan(20_000);
    const error = await failure(collectedBy(19_000));
    expect(error).toMatchObject({ kind: 'stream', problem: 'too-large', partial: { choices: [{}] } });
    expect(String(error)).toMatch(/19000 bytes\. The call may be billed; raise maxReplyBytes/);
    expect(await failure(collectedBy(mebibyte))).toMatchObject({ kind: 'stream', problem: 'too-large' });
    await fake.idle();
  });

  test('an event of 17 MB is too large by default, and none is with maxEventBytes 0', async () => {
    fake.answer(driver.operation, faults.hugeEvent(17 * mebibyte), faults.hugeEvent(17 * mebibyte));
    const { error } = await taken(driver.stream(clientFor()));
    expect(error).toMatchObject({ kind: 'stream', problem: 'too-large' });
    expect(String(error)).toMatch(/16777216 bytes\. The call may be billed; raise maxEventBytes/);
    const { items, error: none } = await taken(driver.stream(clientFor({ maxEventBytes: 0 })));
    expect(none).toBeUndefined();
    expect(textIn(items).length).toBeGreaterThan(17 * mebibyte);
  });

  test('an error body that never ends gives the header its say, whole or streamed', async () => {
    const endless = faults.all(faults.error(400, '1210'), faults.endlessLine());
    fake.answer(driver.operation, endless, endless);
    for (const error of [await failure(driver.create(clientFor())), (await taken(driver.stream(clientFor()))).error])
      expect(isApiError(error) && [error.status, error.requestId === undefined]).toEqual([400, false]);
    expect(fake.requests).toHaveLength(2);
    await fake.idle();
  });

  test('an error body that drips for ever is given up after timeout, and its status decides about a retry', async () => {
    fake.answer(driver.operation, faults.drippedError(400), faults.drippedError(503));
    const client = clientFor({ timeout: 600, maxRetries: 1 });
    const error = await failure(driver.create(client));
    expect(isApiError(error) && [error.status, error.requestId === undefined]).toEqual([400, false]);
    expect(fake.requests).toHaveLength(1);
    await expect(driver.create(client)).resolves.toBeDefined();
    expect(fake.requests).toHaveLength(3);
    await fake.idle();
  });

  test('maxErrorBytes bounds what is read of an error, and 0 reads all of it', async () => {
    const body = { padding: 'x'.repeat(200_000), error: { code: '1210', message: 'told at the end' } };
    const reply = { body, status: 400 };
    fake.answer(driver.operation, reply, reply, reply);
    const codeOf = async (maxErrorBytes?: number): Promise<unknown> => {
      const error = await failure(driver.create(clientFor(maxErrorBytes === undefined ? {} : { maxErrorBytes })));
      return isApiError(error) ? [error.status, error.code] : error;
    };
    expect(await codeOf()).toEqual([400, undefined]);
    expect(await codeOf(100)).toEqual([400, undefined]);
    expect(await codeOf(0)).toEqual([400, '1210']);
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  test('bytes() and text() of a binary reply are bounded, stream() is not', async () => {
    const file = new Uint8Array(2 * mebibyte);
    fake.answer('files.content', ...Array.from({ length: 4 }, () => ({ body: file })));
    const files = newClient(fake.configFor({ ...overrides, maxReplyBytes: mebibyte })).files();
    expect(await failure(files.content(undefined, 'f').then((reply) => reply.bytes()))).toMatchObject({ problem: 'too-large' });
    expect(await failure(files.content(undefined, 'f').then((reply) => reply.text()))).toMatchObject({ problem: 'too-large' });
    let size = 0;
    for await (const block of await files.content(undefined, 'f')) size += block.length;
    expect(size).toBe(file.length);
    const unbounded = newClient(fake.configFor({ ...overrides, maxReplyBytes: 0 })).files();
    expect((await (await unbounded.content(undefined, 'f')).bytes()).length).toBe(file.length);
  });

  test('empty data lines cost no more than their size', async () => {
    const sent = flooding('data:\n'.repeat(10_000), 64 * mebibyte, 'text/event-stream');
    const client = newClient(fake.configFor({ ...overrides, maxEventBytes: mebibyte }));
    const { error } = await taken(client.chat().stream(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] }));
    expect(error).toMatchObject({ kind: 'stream', problem: 'too-large' });
    expect(sent()).toBeLessThan(32 * mebibyte);
  });

  test.each([
    ['a stream', `data: ${JSON.stringify({ id: '1', choices: [{ index: 0, delta: { content: 'x'.repeat(60_000) } }] })}\n\n`, 'text/event-stream'],
    ['a file', 'x'.repeat(65_536), 'application/octet-stream'],
  ])('%s whose reader pauses holds maxBufferedBytes at most, and then goes on', async (kind, block, type) => {
    const total = 96 * mebibyte;
    const sent = flooding(block, total, type);
    const client = newClient(fake.configFor({ ...overrides, maxBufferedBytes: mebibyte }));
    const reader: AsyncIterator<object> =
      kind === 'a file'
        ? (await client.files().content(undefined, 'f'))[Symbol.asyncIterator]()
        : client.chat().stream(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    await reader.next();
    // The server stops once every buffer on the way is full; the system's own hold a few MB.
    expect(await settled(sent)).toBeLessThan(total / 2);
    for (let more = 0; more < 200; more++) expect((await reader.next()).done).toBeFalsy();
    await reader.return?.();
  });
});

/** The fake's next reply to any operation: a block again and again, as fast as it is taken, up to `total` bytes. Returns the bytes sent. */
function flooding(block: string, total: number, type: string): () => number {
  let sent = 0;
  async function* blocks(): AsyncGenerator<string> {
    for (; sent < total; sent += block.length) yield block;
  }
  fake.answer('*', { body: blocks(), headers: { 'content-type': type } });
  return () => sent;
}

test('without maxReplyBytes the engine has a limit: a typed error, and the process goes on', async () => {
  const { fake: own } = await openFake();
  // Run apart: it takes more than a gigabyte.
  own.answer('chat.create', faults.gzipBomb());
  const { stdout } = await childOutcome(`
    const client = newClient(${JSON.stringify(own.configFor({ maxReplyBytes: 0, wholeReplies: true }))});
    const error = await client.chat().create(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] }).catch((error) => error);
    console.log(error.kind, error.problem);
  `);
  expect(stdout.trim()).toBe('reply too-large');
  expect(own.requests).toHaveLength(1);
});
