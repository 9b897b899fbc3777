import { expect, test } from 'vitest';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeService, faults, type ScriptedOperation } from '../../src/testing/index.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { startRawServer } from '../support/raw-server.ts';

const fake = await sharedFake();

const request = { model: 'glm-5.2', messages: [{ role: 'user', content: 'hi' }] };

/** Holds the answers to an operation back until they are let go. */
function held(service: FakeService, operation: ScriptedOperation): { readonly asked: () => boolean; readonly release: () => void } {
  let asked = false;
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  service.answer(operation, async () => {
    asked = true;
    await gate;
    return undefined;
  });
  return { asked: () => asked, release };
}

// fetch on Node 20 cannot tell the phases apart: there `timeout` is one bound, and these are node:http's alone.
test('a server that takes the connection and never speaks TLS runs into the bound for the handshake', async () => {
  const mute = await startRawServer();
  const clock = stoppedClock();
  const baseURL = `https://127.0.0.1:${mute.port}`;
  const call = newClient({ apiKey: 'test-key', baseURL, timeout: 1000, maxRetries: 0 }).chat().create(undefined, request);
  call.catch(() => undefined);
  await until(() => mute.heard !== '');
  await expect(clock.run(call, 10)).rejects.toMatchObject({ kind: 'timeout', phase: 'tls', timeoutMs: 1000 });
});

test('header wait starts when the request has been sent, not when the call began', async () => {
  const clock = stoppedClock();
  const answer = held(fake, 'files.upload');
  async function* slowly(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    await turns();
    clock.pass(900);
    yield new Uint8Array(10);
  }
  const call = newClient(fake.configFor({ timeout: 1000, maxRetries: 0 }))
    .files()
    .upload(undefined, { file: slowly(), purpose: 'batch' });
  await until(answer.asked);
  await turns();
  clock.pass(900);
  answer.release();
  await expect(call).resolves.toBeDefined();
});

test('the bound for the header', async () => {
  const clock = stoppedClock();
  const answer = held(fake, 'chat.create');
  let over = false;
  const call = newClient(fake.configFor({ timeout: 1000, maxRetries: 0 }))
    .chat()
    .create(undefined, request)
    .catch((error: unknown) => error)
    .finally(() => {
      over = true;
    });
  await until(answer.asked);
  await turns();
  clock.pass(999);
  await turns();
  expect(over).toBe(false);
  clock.pass(1);
  expect(await call).toMatchObject({ kind: 'timeout', phase: 'headers', timeoutMs: 1000 });
  answer.release();
});

test('timeout 0 is not a bound', async () => {
  const clock = stoppedClock();
  const answer = held(fake, 'chat.create');
  const call = newClient(fake.configFor({ timeout: 0 }))
    .chat()
    .create(undefined, request);
  await until(answer.asked);
  await turns();
  clock.pass(24 * 60 * 60_000);
  answer.release();
  await expect(call).resolves.toBeDefined();
});

test('an upload may take longer than the bound, as long as it moves', async () => {
  const clock = stoppedClock();
  async function* slowly(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 6; count++) {
      await turns();
      clock.pass(900);
      yield new Uint8Array(10);
    }
  }
  const client = newClient(fake.configFor({ timeout: 1000, maxRetries: 0 }));
  await expect(client.files().upload(undefined, { file: slowly(), purpose: 'batch' })).resolves.toBeDefined();
});

test('a source that pauses longer than the bound is not the service being silent', async () => {
  const clock = stoppedClock();
  async function* pausing(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    await turns();
    clock.pass(60_000);
    await turns();
    yield new Uint8Array(10);
  }
  const client = newClient(fake.configFor({ timeout: 1000, maxRetries: 0 }));
  await expect(client.files().upload(undefined, { file: pausing(), purpose: 'batch' })).resolves.toBeDefined();
});

test('a service that takes no more of an upload runs into the bound', async () => {
  fake.answer('files.upload', faults.stallUpload());
  const clock = stoppedClock();
  const call = newClient(fake.configFor({ timeout: 10_000, maxRetries: 0 }))
    .files()
    .upload(undefined, { file: new Uint8Array(40_000_000), purpose: 'batch' });
  call.catch(() => undefined);
  await until(() => fake.requests.length === 1);
  await expect(clock.run(call)).rejects.toMatchObject({ kind: 'timeout', phase: 'request' });
});
