import { expect } from 'vitest';
import {
  type GateState,
  isAbortError,
  isQueueError,
  type Limiter,
  type LimiterAsk,
  newClient,
  type Outcome,
  withPriority,
} from '../../src/overlay/index.ts';
import { fakeKey, faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { settled, stoppedClock, turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';

const model = 'glm-5.2';

/** A limiter in memory that writes down its asks and the outcomes. */
function limiterOf(
  places: number,
): Limiter & { readonly asks: LimiterAsk[]; readonly outcomes: Outcome[]; free: number; readonly waiting: (() => void)[] } {
  const limiter = {
    asks: [] as LimiterAsk[],
    outcomes: [] as Outcome[],
    waiting: [] as (() => void)[],
    free: places,
    async acquire(ask: LimiterAsk) {
      limiter.asks.push(ask);
      while (limiter.free === 0) await new Promise<void>((resolve) => limiter.waiting.push(resolve));
      limiter.free--;
      return (outcome: Outcome) => {
        limiter.outcomes.push(outcome);
        limiter.free++;
        limiter.waiting.shift()?.();
      };
    },
  };
  return limiter;
}

test('each attempt has a place of the limiter, given back once with its outcome', async ({ fake }) => {
  const limiter = limiterOf(2);
  const client = newClient(fake.configFor({ concurrency: { limiter } }));
  fake.capacity({ atOnce: 2 }).answer('chat.create', faults.error(500, '500'));
  fake.fallback('chat.create', { turn: { text: 'one two three' } });
  const calls = Array.from({ length: 10 }, () => client.chat().createSimple(withPriority(undefined, 3), model, 'hi'));
  const stream = (async () => {
    for await (const _item of client.chat().stream(undefined, { model, messages: [{ role: 'user', content: 'hi' }] }));
  })();
  await Promise.all([...calls, stream]);
  expect(fake.mostAtOnce).toBe(2);
  expect(limiter.free).toBe(2);
  expect(limiter.asks).toHaveLength(12);
  expect([...limiter.outcomes].sort()).toEqual([...Array(11).fill('ok'), 'other']);
  expect(limiter.asks[0]).toEqual({ gate: `${new URL(fake.url).origin} ${model}`, priority: 3, signal: expect.any(AbortSignal) });
  expect(JSON.stringify(limiter.asks)).not.toContain(fakeKey);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('max bounds the calls that ask the limiter', async ({ fake }) => {
  const limiter = limiterOf(0);
  const client = newClient(fake.configFor({ concurrency: { max: 3, limiter } }));
  const calls = Array.from({ length: 8 }, () => client.chat().createSimple(undefined, model, 'hi'));
  await until(() => limiter.asks.length === 3);
  await turns();
  expect(limiter.asks).toHaveLength(3);
  limiter.free = 1;
  limiter.waiting.shift()?.();
  await Promise.all(calls);
});

test('an abort while the limiter is asked reaches it by the signal, and a late place is given back', async ({ fake }) => {
  const limiter = limiterOf(0);
  const client = newClient(fake.configFor({ concurrency: { limiter } }));
  const controller = new AbortController();
  const call = failure(client.chat().createSimple(controller.signal, model, 'hi'));
  await until(() => limiter.waiting.length === 1);
  controller.abort();
  expect(isAbortError(await call)).toBe(true);
  expect(limiter.asks[0]?.signal.aborted).toBe(true);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  limiter.free = 1;
  limiter.waiting.shift()?.();
  await until(() => limiter.outcomes.length === 1);
  expect([limiter.outcomes, limiter.free]).toEqual([['other'], 1]);
  expect(fake.requests).toEqual([]);
});

test('queueTimeout covers the limiter', async ({ fake }) => {
  const limiter = limiterOf(0);
  const client = newClient(fake.configFor({ concurrency: { queueTimeout: 20, limiter } }));
  const error = await failure(client.chat().createSimple(undefined, model, 'hi'));
  expect(isQueueError(error) && error.reason).toBe('timeout');
  expect((error as Error).message).toContain('for a place among the calls of glm-5.2 (0 more waiting). Raise queueTimeout');
  expect(limiter.asks[0]?.signal.aborted).toBe(true);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test.each<[string, () => Promise<never>]>([
  ['rejects', () => Promise.reject(new Error('no redis'))],
  [
    'throws',
    () => {
      throw new Error('no redis');
    },
  ],
  ['resolves without a function', (async () => undefined) as never],
])('a limiter that %s fails the call with a QueueError, and nothing is sent', async (_name, acquire) => {
  const { fake } = await openFake();
  const client = newClient(fake.configFor({ concurrency: { limiter: { acquire } } }));
  const error = await failure(client.chat().createSimple(undefined, model, 'hi'));
  expect(isQueueError(error) && error.reason).toBe('limiter');
  expect((error as Error).cause).toBeInstanceOf(Error);
  expect(fake.requests).toEqual([]);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('a release that fails does not fail the call', async () => {
  const { client } = await openFake({
    concurrency: {
      limiter: {
        acquire: async () => async () => {
          throw new Error('no redis');
        },
      },
    },
  });
  await client.chat().createSimple(undefined, model, 'hi');
});

test('a limiter that fails for 5,000 waiting calls fails each of them, and leaves no place behind', async ({ fake }) => {
  const answers = held(fake);
  let asks = 0;
  const acquire = (): Promise<() => void> => {
    if (asks++ > 0) throw new Error('no redis');
    return Promise.resolve(() => undefined);
  };
  const client = newClient(fake.configFor({ concurrency: { max: 1, limiter: { acquire } } }));
  const first = client.chat().createSimple(undefined, model, 'hi');
  const others = Array.from({ length: 5000 }, () => failure(client.chat().createSimple(undefined, model, 'hi')));
  await until(() => answers.count === 1);
  answers.open();
  await first;
  expect((await Promise.all(others)).every(isQueueError)).toBe(true);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

test('an abort of all calls asks the limiter for none of them', async ({ fake }) => {
  const limiter = limiterOf(0);
  const client = newClient(fake.configFor({ concurrency: { max: 1, limiter } }));
  const controller = new AbortController();
  const calls = Array.from({ length: 50 }, () => failure(client.chat().createSimple(controller.signal, model, 'hi')));
  await until(() => limiter.asks.length === 1);
  controller.abort();
  expect((await Promise.all(calls)).every(isAbortError)).toBe(true);
  expect(limiter.asks).toHaveLength(1);
  expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
});

onBothWays(({ create, stream, operation }, clientFor) => {
  test('a call that waits in the limiter waits: for hooks, and in the state', async ({ fake }) => {
    const limiter = limiterOf(1);
    const events: (readonly [string, Pick<GateState, 'inFlight' | 'waiting'>])[] = [];
    const hook = {
      onQueue: (_meta: unknown, { inFlight, waiting }: GateState) => void events.push(['queue', { inFlight, waiting }]),
      onRequest: () =>
        void events.push(['request', { inFlight: client.concurrency(model)?.inFlight ?? 0, waiting: client.concurrency(model)?.waiting ?? 0 }]),
    };
    const client = clientFor(fake, { concurrency: { limiter }, hooks: [hook] });
    const answers = held(fake, operation);
    const first = create(client);
    await until(() => answers.count === 1);
    const others = [create(client), taken(stream(client))];
    await until(() => limiter.waiting.length === 2);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 1, waiting: 2 });
    answers.open();
    await Promise.all([first, ...others]);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
    expect(events.map(([name]) => name)).toEqual(['queue', 'request', 'queue', 'queue', 'request', 'request']);
    expect(events.slice(0, 4).map(([, counts]) => counts)).toEqual([
      { inFlight: 0, waiting: 1 },
      { inFlight: 1, waiting: 0 },
      { inFlight: 1, waiting: 1 },
      { inFlight: 1, waiting: 2 },
    ]);
  });

  test('maxQueue bounds the calls that wait in the limiter', async ({ fake }) => {
    const limiter = limiterOf(1);
    const client = clientFor(fake, { concurrency: { maxQueue: 3, limiter } });
    const answers = held(fake, operation);
    const running = [create(client)];
    await until(() => answers.count === 1);
    running.push(create(client), create(client), create(client));
    const error = await failure(create(client));
    expect(isQueueError(error) && error).toMatchObject({ reason: 'full', waitedMs: 0, state: { inFlight: 1, waiting: 3 } });
    const streamed = await taken(stream(client));
    expect(isQueueError(streamed.error) && streamed.error.reason).toBe('full');
    expect(limiter.asks).toHaveLength(4);
    answers.open();
    await Promise.all(running);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test('a used-up quota fails the calls that wait in the limiter, and tells it', async ({ fake }) => {
    const limiter = limiterOf(1);
    const client = clientFor(fake, { concurrency: { limiter } });
    fake.answer(operation, faults.error(429, '1308', 'used up'));
    const errors = await Promise.all(Array.from({ length: 5 }, () => failure(create(client))));
    for (const error of errors) expect(error).toMatchObject({ code: '1308' });
    expect(fake.requests).toHaveLength(1);
    expect(limiter.asks.map(({ signal }) => signal.aborted)).toEqual([false, true, true, true, true]);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test('a call whose place of the limiter comes during a pause is not sent before its end', async ({ fake }) => {
    const clock = stoppedClock();
    const limiter = limiterOf(1);
    const client = clientFor(fake, { concurrency: { limiter }, retryDelay: 100 });
    fake.answer(operation, faults.rateLimit(undefined, '1305'));
    const calls = [create(client), taken(stream(client)), create(client)];
    await until(() => limiter.outcomes.length > 0);
    expect(await settled(() => fake.requests.length)).toBe(1);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 2 });
    await clock.run(Promise.all(calls));
    expect(fake.requests).toHaveLength(4);
    expect([limiter.free, limiter.outcomes.filter((outcome) => outcome === 'ok').length]).toEqual([1, 3]);
  });

  test('a place of the limiter that is beyond the limit learned since goes back, and its call keeps its turn', async ({ fake }) => {
    const limiter = limiterOf(2);
    const client = clientFor(fake, { concurrency: { limiter } });
    const answers = held(fake, operation);
    const first = create(client);
    await until(() => answers.count === 1);
    fake.answer(operation, faults.rateLimit(undefined, '1302'));
    const others = Array.from({ length: 3 }, () => create(client));
    await until(() => limiter.outcomes.includes('refused'));
    expect(await settled(() => fake.requests.length)).toBe(2);
    expect(client.concurrency(model)).toMatchObject({ limit: 1, inFlight: 1 });
    answers.open();
    await Promise.all([first, ...others]);
    expect(fake.requests).toHaveLength(5);
    expect(limiter.free).toBe(2);
  });

  test('an abort of a call that waits for the end of a pause asks the limiter no more', async ({ fake }) => {
    const clock = stoppedClock();
    const limiter = limiterOf(1);
    const client = clientFor(fake, { concurrency: { limiter }, retryDelay: 100 });
    fake.answer(operation, faults.rateLimit(undefined, '1305'));
    const controller = new AbortController();
    const calls = [create(client), failure(create(client, controller.signal))];
    await until(() => limiter.outcomes.length === 2);
    controller.abort();
    expect(isAbortError(await calls[1])).toBe(true);
    await clock.run(Promise.all(calls));
    expect(limiter.asks).toHaveLength(3);
    expect(client.concurrency(model)).toMatchObject({ inFlight: 0, waiting: 0 });
  });

  test('a call inside the loop over a stream completes if the limiter has one place', async ({ fake }) => {
    const limiter = limiterOf(1);
    fake.answer(operation, { turn: { text: Array.from({ length: 2000 }, (_, index) => `${index} `) } });
    fake.fallback(operation, { turn: { text: 'inner' } });
    const client = clientFor(fake, { concurrency: { limiter }, maxBufferedBytes: 4096 });
    let count = 0;
    for await (const _item of stream(client)) if (count++ % 1000 === 0) await create(client);
    expect(count).toBeGreaterThanOrEqual(2000);
    expect(limiter.free).toBe(1);
  });
});
