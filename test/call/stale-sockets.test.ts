import { expect } from 'vitest';
import { type FakeService, faults } from '../../src/testing/index.ts';
import { onBothWays } from '../support/both-ways.ts';
import { startChild } from '../support/child.ts';
import { turns } from '../support/clock.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';

onBothWays((driver, clientFor) => {
  test.each([0, 1])('a server that closes idle sockets after %i s finds them closed by then', async (seconds) => {
    const { fake } = await openFake();
    fake.fallback(driver.operation, faults.keepAliveHint(seconds));
    await driver.create(clientFor(fake));
    // The fake closes none itself: this settles because the client left first.
    await fake.idle({ sockets: true, timeoutMs: 15_000 });
    expect(fake.requests).toHaveLength(1);
  });
});

const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

// Fetch has a pool of its own.
test('a longer hint keeps the socket, and a reply without one lifts the hint', async ({ fake, client }) => {
  for (const fault of [faults.keepAliveHint(60), faults.slowHeaders(0), faults.keepAliveHint(60)]) {
    fake.answer('chat.create', fault);
    await client.chat().create(undefined, request);
    // A call that follows at once would take another socket.
    await turns();
  }
  expect(fake.sockets).toBe(1);
});

/** A client in a process of its own makes `count` calls at once, before and after the server closed its sockets while the event loop stood still. */
async function beforeAndAfterCut(fake: FakeService, count: number): Promise<unknown> {
  // While the process waits for a line, its event loop is blocked.
  const child = startChild(`
    import { readSync } from 'node:fs';
    const seen = [];
    const hooks = [{ onRequest: () => void seen.push('request'), onResponse: () => void seen.push('response') }];
    const client = newClient({ ...${JSON.stringify(fake.configFor({ maxRetries: 0 }))}, hooks });
    const call = () => client.chat().create(undefined, ${JSON.stringify(request)});
    const calls = () => Promise.all(Array.from({ length: ${count} }, call));
    await calls();
    await new Promise((resolve) => setImmediate(resolve));
    console.log('answered');
    readSync(0, new Uint8Array(1));
    await calls();
    console.log(JSON.stringify(seen));
  `);
  expect(await child.line()).toBe('answered');
  await fake.refuse();
  await fake.accept();
  child.write('\n');
  return JSON.parse(await child.line());
}

test('a socket that the server closed while the event loop stood still is not written to', async ({ fake }) => {
  expect(await beforeAndAfterCut(fake, 1)).toEqual(['request', 'response', 'request', 'response']);
  expect(fake.requests).toHaveLength(2);
});

test('several calls that begin at once write to none of the sockets that were closed while the event loop stood still', async ({ fake }) => {
  await beforeAndAfterCut(fake, 4);
  expect(fake.requests).toHaveLength(8);
});
