import { expect } from 'vitest';
import { isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type FakeService, faults } from '../../src/testing/index.ts';
import { childOutcome } from '../support/child.ts';
import { turns, until } from '../support/clock.ts';
import { countingSignal } from '../support/counting-signal.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';

const model = 'glm-5.2';

test('an abort between the grant of a place and the resumption of its call gives the place back', async ({ fake }) => {
  const answers = held(fake);
  const controller = new AbortController();
  // The place is granted when the limit has changed, and the call resumes later.
  const client = newClient(
    fake.configFor({ concurrency: { start: 1 }, hooks: [{ onLimit: (_meta, { limit }) => limit === 3 && controller.abort() }] }),
  );
  const call = (ctx?: AbortSignal): Promise<unknown> => client.chat().createSimple(ctx, model, 'hi');
  const first = call();
  const aborted = failure(call(controller.signal));
  const others = [call(), call(), call()];
  await until(() => answers.count === 1);
  answers.release();
  await first;
  expect(isModelsvcError(await aborted, 'abort')).toBe(true);
  await until(() => answers.count > 0);
  answers.open();
  await Promise.all(others);
  expect(fake.requests).toHaveLength(4);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('an abort at any time frees its place', async () => {
  const { fake, client } = await openFake({ concurrency: 3, maxRetries: 1 });
  fake.fallback('chat.create', { ...faults.slowDrip(200, 1), reply: { turn: { text: 'word '.repeat(40) } } });
  let seed = 7;
  const random = (): number => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647;
  await Promise.all(
    Array.from({ length: 120 }, async (_, index) => {
      const controller = new AbortController();
      const call =
        index % 2 === 0
          ? client.chat().createSimple(controller.signal, model, 'hi')
          : (async () => {
              for await (const _item of client.chat().stream(controller.signal, { model, messages: [{ role: 'user', content: 'hi' }] }));
            })();
      const done = call.catch((error: unknown) => expect(isModelsvcError(error)).toBe(true));
      await turns(Math.floor(random() * 60));
      if (random() < 0.7) controller.abort();
      await done;
    }),
  );
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test("closing the client fails its waiting calls, and not another client's", async ({ fake }) => {
  const answers = held(fake);
  const [one, other] = [newClient(fake.configFor({ concurrency: 1 })), newClient(fake.configFor({ concurrency: 1 }))];
  const running = other.chat().createSimple(undefined, model, 'hi');
  await until(() => answers.count === 1);
  const failing = Array.from({ length: 5 }, () => failure(one.chat().createSimple(undefined, model, 'hi')));
  const waiting = other.chat().createSimple(undefined, model, 'hi');
  await one.close();
  for (const error of await Promise.all(failing)) expect(isModelsvcError(error, 'abort')).toBe(true);
  answers.open();
  await Promise.all([running, waiting]);
  expect(fake.requests).toHaveLength(2);
});

test('10,000 waiting calls have one listener on their signal, and one abort settles them all', async () => {
  const { fake, client } = await openFake({ concurrency: { max: 1, start: 1, maxQueue: 20_000 } });
  const answers = held(fake);
  const { controller, signal, listeners } = countingSignal();
  const calls = Array.from({ length: 10_001 }, () => failure(client.chat().createSimple(signal, model, 'hi')));
  await until(() => answers.count === 1);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 10_000 });
  expect(listeners()).toBe(1);
  controller.abort();
  for (const error of await Promise.all(calls)) expect(isModelsvcError(error, 'abort')).toBe(true);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  expect(listeners()).toBe(0);
  expect(fake.requests).toHaveLength(1);
  await fake.idle();
});

test('waiting costs at most 1 KB on top of the call and its body', async () => {
  const { fake } = await childFake();
  // Bytes per call. The calls of the second variant stop where the first variant's begin to wait.
  const bytes = async (isHeld: boolean): Promise<number> => {
    const { stdout } = await childOutcome(
      `
      import { GateAdmission } from '${new URL('../../src/overlay/call/attempt/admission.ts', import.meta.url)}';
      const held = [];
      if (${isHeld}) GateAdmission.prototype.pass = () => new Promise((resolve) => held.push(resolve));
      const config = { ...${JSON.stringify(fake.configFor())}, concurrency: { max: 1, start: 1, queueTimeout: 3_600_000 } };
      const client = newClient({ ...config, httpClient: () => new Promise(() => {}) });
      const calls = [];
      const used = async (count) => {
        for (let index = 0; index < count; index++) calls.push(client.chat().createSimple(undefined, 'm', 'x'));
        for (let round = 0; round < 5; round++) { await new Promise((resolve) => setTimeout(resolve, 10)); gc(); }
        return process.memoryUsage().heapUsed;
      };
      const before = await used(1000);
      console.log(Math.round((await used(9000) - before) / 9000));
      process.exit();`,
      ['--expose-gc'],
    );
    return Number(stdout);
  };
  expect((await bytes(false)) - (await bytes(true))).toBeLessThan(1024);
});

async function childFake(): Promise<{ readonly fake: FakeService }> {
  const { fake } = await openFake();
  return { fake };
}

test('a process ends by itself when its waiting calls have been aborted', async () => {
  const { fake } = await childFake();
  fake.fallback('chat.create', faults.silentAfterHeaders(2));
  const { stdout } = await childOutcome(`
    const client = newClient({ ...${JSON.stringify(fake.configFor())}, concurrency: { max: 1, start: 1, queueTimeout: 3_600_000 } });
    const stream = client.chat().stream(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] });
    await stream.next();
    const controller = new AbortController();
    const calls = Array.from({ length: 100 }, () => client.chat().createSimple(controller.signal, 'm', 'hi'));
    while (client.concurrency('m').waiting < 100) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    console.log(new Set((await Promise.allSettled(calls)).map(({ reason }) => reason.name)));
    console.log(client.concurrency('m').waiting, stream !== undefined);
  `);
  expect(stdout).toBe("Set(1) { 'AbortError' }\n0 true\n");
});

test('a process does not end while a call waits for a stream whose reader has stopped', async () => {
  const { fake } = await childFake();
  fake.fallback('chat.create', (request) => {
    const isOuter = JSON.stringify(request.body).includes('outer');
    return isOuter ? { ...faults.slowDrip(100, 5), reply: { turn: { text: 'word '.repeat(100) } } } : { turn: { text: 'inner' } };
  });
  const { stdout } = await childOutcome(`
    const client = newClient({ ...${JSON.stringify(fake.configFor())}, concurrency: 1 });
    let count = 0;
    for await (const item of client.chat().stream(undefined, { model: 'm', messages: [{ role: 'user', content: 'outer' }] }))
      if (count++ === 0) console.log((await client.chat().createSimple(undefined, 'm', 'hi')).choices[0].message.content);
    console.log(count > 50);
  `);
  expect(stdout).toBe('inner\ntrue\n');
});

test('a stream that is dropped unread gives its place back when it is collected', async () => {
  const { fake } = await childFake();
  fake.answer('chat.create', faults.silentAfterHeaders(2), { turn: { text: 'next' } });
  const { stdout } = await childOutcome(
    `
    const client = newClient({ ...${JSON.stringify(fake.configFor())}, concurrency: 1 });
    await (async () => { await client.chat().stream(undefined, { model: 'm', messages: [{ role: 'user', content: 'hi' }] }).next(); })();
    const next = client.chat().createSimple(undefined, 'm', 'hi');
    const collect = setInterval(() => gc(), 5);
    console.log((await next).choices[0].message.content);
    clearInterval(collect);
  `,
    ['--expose-gc'],
  );
  expect(stdout).toBe('next\n');
});
