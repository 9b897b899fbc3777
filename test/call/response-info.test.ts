// The facts of the exchange behind a result, and the bytes of its reply.
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Context, newClient, responseInfo, toolRun, withResponse, withTimeout } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken, transports } from '../support/both-ways.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();
const json = { 'content-type': 'application/json' };
const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes);

onBothWays((driver, clientFor) => {
  test('the bytes are those of the reply, on a fresh and on a warm socket, also compressed and retried', async () => {
    const client = clientFor(fake, { retryDelay: 1 });
    fake.answer(driver.operation, { turn: { text: 'Größe: 5 €' } });
    const ctx = withResponse(undefined);
    const first = await driver.create(client, ctx);
    expect(JSON.parse(text(responseInfo(first)?.bytes))).toEqual(JSON.parse(JSON.stringify(first)));
    const body = `${JSON.stringify(first, null, 3)}\n`;
    fake.answer(driver.operation, { body, headers: json }, { ...faults.gzip(), reply: { body, headers: json } });
    for (const reply of [await driver.create(client, ctx), await driver.create(client, ctx)]) {
      const info = responseInfo(reply);
      expect(text(info?.bytes)).toBe(body);
      expect(info).toMatchObject({ status: 200, attempts: 1 });
      expect(info?.headers.get('content-type')).toBe('application/json');
    }
    fake.answer(driver.operation, faults.serverErrors(1), { body, headers: json });
    const retried = responseInfo(await driver.create(client, ctx));
    expect([text(retried?.bytes), retried?.attempts]).toEqual([body, 2]);
  });

  test('no bytes are kept without withResponse, nor of a stream', async () => {
    const client = clientFor(fake);
    fake.answer(driver.operation, { turn: { text: 'one' } }, { turn: { text: 'two' } });
    expect(responseInfo(await driver.create(client))?.bytes).toBeUndefined();
    const stream = driver.stream(client, withResponse(undefined));
    expect(responseInfo(stream)).toBeUndefined();
    await stream.next();
    // Status and headers are known before the rest of the stream.
    expect(responseInfo(stream)).toMatchObject({ status: 200, bytes: undefined });
    expect(responseInfo(stream)?.headers.get('content-type')).toContain('text/event-stream');
    await taken(stream);
  });

  test('a tool loop has the bytes of its last reply', async () => {
    fake.answer(driver.operation, { turn: { toolCalls: [{ name: 'clock', arguments: {} }] } }, { turn: { text: 'noon' } });
    const tools = [{ type: 'function', name: 'clock', input_schema: { type: 'object' }, function: { name: 'clock' } }];
    const service = driver.service(clientFor(fake));
    const given = [withResponse(undefined), driver.request('The time?', { tools }), () => '12:00'] as unknown as [Context, never, never];
    const reply = await service.runWithTools(...given);
    expect(toolRun(reply as never)?.modelCalls).toBe(2);
    expect(JSON.parse(text(responseInfo(reply)?.bytes))).toEqual(JSON.parse(JSON.stringify(reply)));
  });
});

describe.each(transports)('$transport', ({ overrides }) => {
  test.each(Object.entries(everyOperation))('%s: its result has the facts of its exchange', async (_id, { perform }) => {
    const result = (await perform(newClient(fake.configFor(overrides)))) as object;
    expect(responseInfo(result)).toMatchObject({ status: 200, attempts: 1, bytes: undefined });
  });
});

test('the bytes have a buffer of their own, and are not printed', async () => {
  const client = newClient(fake.configFor());
  fake.chat.reply('a secret answer');
  const info = responseInfo(await client.chat().createSimple({ keepResponse: true }, 'glm-5.2', 'hi'));
  expect(text(info.bytes)).toContain('a secret answer');
  expect(info.bytes?.buffer.byteLength).toBe(info.bytes?.length);
  expect(info.bytes?.constructor).toBe(Uint8Array);
  expect(inspect(info, { depth: 9, showHidden: true }) + JSON.stringify(info)).not.toMatch(/secret|Uint8Array/);
});

test('the result of a job has them too', async () => {
  const client = newClient(fake.configFor());
  const task = await client.chat().createAsync(undefined, { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] });
  const result = await client.waitForResult(withResponse(undefined), task.id, 1);
  expect(JSON.parse(text(responseInfo(result).bytes))).toMatchObject({ id: task.id });
});

test('withResponse keeps the rest of the context, and keepResponse is true or false', async () => {
  const { signal } = new AbortController();
  expect(withResponse(withTimeout(signal, 5))).toEqual({ signal, timeout: 5, keepResponse: true });
  const error = await failure(
    newClient(fake.configFor())
      .chat()
      .createSimple({ keepResponse: 'yes' } as never, 'glm-5.2', 'hi'),
  );
  expect(error).toMatchObject({ kind: 'validation', path: 'ctx.keepResponse', problem: 'must be true or false' });
  expect(fake.requests).toEqual([]);
});
