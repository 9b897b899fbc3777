import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { configFor, faults, startFakeService } from '../../src/testing/index.ts';
import { onBothWays } from '../support/both-ways.ts';

onBothWays((driver, clientFor) => {
  test.each([0, 1])('a server that closes idle sockets after %i s finds them closed by then', async (seconds) => {
    const fake = await startFakeService();
    onTestFinished(() => fake.close());
    fake.fallback(driver.operation, faults.keepAliveHint(seconds));
    await driver.create(clientFor(fake));
    // The fake closes none itself: this settles because the client left first.
    await fake.idle({ sockets: true, timeoutMs: 15_000 });
    expect(fake.requests).toHaveLength(1);
  });
});

const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

/** A server in a thread of its own, which cuts its sockets while this thread stands still. */
const serverCode = `
  const { createServer } = require('node:http');
  const { parentPort, workerData: flag } = require('node:worker_threads');
  const sockets = new Set();
  let requests = 0;
  const server = createServer((incoming, outgoing) => {
    requests++;
    incoming.resume().on('end', () => {
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify({ id: '1', choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }] }));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
  });
  parentPort.on('message', (word) => {
    if (word === 'cut') for (const socket of sockets) socket.destroy();
    else parentPort.postMessage(requests);
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

// Fetch has a pool of its own.
test('a longer hint keeps the socket, and a reply without one lifts the hint', async () => {
  const fake = await startFakeService();
  onTestFinished(() => fake.close());
  const client = newClient(fake.configFor());
  for (const fault of [faults.keepAliveHint(60), faults.slowHeaders(0), faults.keepAliveHint(60)]) {
    fake.answer('chat.create', fault);
    await client.chat().create(undefined, request);
    await fake.idle();
  }
  expect(fake.sockets).toBe(1);
});

/** A client whose sockets, one for each of `count` calls, have been cut while the event loop stood still. */
async function afterCut(count: number): Promise<{ call(): Promise<object>; requests(): Promise<number>; seen: readonly string[] }> {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const server = new Worker(serverCode, { eval: true, workerData: flag });
  onTestFinished(async () => {
    await server.terminate();
  });
  const answer = (): Promise<number> => new Promise((resolve) => server.once('message', resolve));
  const port = await answer();
  const seen: string[] = [];
  const hooks = [{ onRequest: () => void seen.push('request'), onResponse: () => void seen.push('response') }];
  const client = newClient(configFor(`http://127.0.0.1:${port}`, { maxRetries: 0, hooks }));
  const call = (): Promise<object> => client.chat().create(undefined, request);
  await Promise.all(Array.from({ length: count }, call));
  await new Promise((resolve) => setImmediate(resolve));
  server.postMessage('cut');
  Atomics.wait(flag, 0, 0);
  // Still without a turn of the loop, until the sockets count as idle.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
  const requests = (): Promise<number> => {
    const counted = answer();
    server.postMessage('count');
    return counted;
  };
  return { call, requests, seen };
}

test('a socket that the server closed while the event loop stood still is not written to', async () => {
  const { call, requests, seen } = await afterCut(1);
  await call();
  expect(await requests()).toBe(2);
  expect(seen).toEqual(['request', 'response', 'request', 'response']);
});

test('several calls that begin at once write to none of the sockets that were closed while the event loop stood still', async () => {
  const { call, requests } = await afterCut(4);
  await Promise.all(Array.from({ length: 4 }, call));
  expect(await requests()).toBe(8);
});
