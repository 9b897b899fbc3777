import { expect, test } from 'vitest';
import { defineTool, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake, sharedFake } from '../support/fake.ts';
import { warm } from '../support/warm.ts';

const fake = await sharedFake();

function requests(count: number): Promise<void> {
  return until(() => fake.requests.length >= count);
}

onBothWays((driver, clientFor) => {
  test('close ends a call that waits for its header, a stream that is read, and a backoff', async () => {
    fake.answer(driver.operation, faults.silentBeforeHeaders(), faults.silentAfterHeaders(3), faults.rateLimit({ seconds: 50 }));
    let isWaiting = false;
    const client = clientFor(fake, { hooks: [{ onRetry: () => void (isWaiting = true) }] });
    const whole = failure(driver.create(client));
    await requests(1);
    const stream = taken(driver.stream(client));
    await requests(2);
    const waiting = failure(driver.create(client));
    await requests(3);
    await until(() => isWaiting);
    await client.close();
    for (const error of [await whole, (await stream).error, await waiting]) expect(error).toMatchObject({ kind: 'abort' });
    await fake.idle();
    expect(fake.requests).toHaveLength(3);
  });

  test('a closed client refuses calls and streams with a ConfigError, and closing again is harmless', async () => {
    const client = clientFor(fake);
    await client.close();
    await client[Symbol.asyncDispose]();
    expect(await failure(driver.create(client))).toMatchObject({ kind: 'config' });
    expect((await taken(driver.stream(client))).error).toMatchObject({ kind: 'config' });
    expect(fake.requests).toHaveLength(0);
  });
});

test('close closes idle sockets', async () => {
  const { fake: own, client } = await openFake();
  await warm(own, 'chat.create', () => client.chat().createSimple(undefined, 'm', 'hi'));
  expect(own.sockets).toBe(4);
  await client.close();
  await own.idle({ sockets: true, timeoutMs: 10_000 });
});

test('close ends a wait for a job between two polls', async () => {
  const client = newClient(fake.configFor());
  fake.task({ id: 'job', kind: 'chat', states: ['PROCESSING'] });
  const wait = failure(client.waitForResult(undefined, 'job', 600_000));
  await requests(1);
  await fake.idle();
  await turns();
  await client.close();
  expect(await wait).toMatchObject({ kind: 'abort' });
});

test('close ends a tool loop while a tool runs', async () => {
  const client = newClient(fake.configFor());
  let started = (): void => {};
  const running = new Promise<void>((resolve) => {
    started = resolve;
  });
  const hangs = defineTool({
    name: 'hangs',
    description: 'Never ends',
    input: { type: 'object', properties: {} },
    run: () => {
      started();
      return new Promise<string>(() => {});
    },
  });
  fake.chat.toolCall('hangs', {});
  const run = failure(client.chat().runWithTools(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] }, [hangs]));
  await running;
  await client.close();
  expect(await run).toMatchObject({ kind: 'abort' });
});
