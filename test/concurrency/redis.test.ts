import { EventEmitter } from 'node:events';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type Evaluate, evaluateWith, redisLimiter } from '../../examples/redis-limiter.ts';
import { isQueueError, newClient } from '../../src/overlay/index.ts';
import { childOutcome, startChild } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';
import { hasRedis, type RedisServer, ScriptClient, startRedis } from '../support/redis.ts';

const ask = { gate: 'origin m', priority: 0, signal: new AbortController().signal };

describe('the example without Redis', () => {
  test('an error of the client is reported, and ends nothing', () => {
    const redis = Object.assign(new EventEmitter(), { eval: async () => 1 });
    const errors: Error[] = [];
    evaluateWith(redis, (error) => void errors.push(error));
    expect(redis.emit('error', new Error('Socket closed unexpectedly'))).toBe(true);
    expect(errors).toHaveLength(1);
  });

  test('a call waits while Redis is away, and is sent when it is back', async ({ fake }) => {
    let asks = 0;
    const evaluate = async (): Promise<unknown> => {
      if (++asks <= 3) throw new Error('offline');
      return 1;
    };
    const client = newClient(fake.configFor({ concurrency: { limiter: redisLimiter(evaluate, { name: 'a', places: 1, pollMs: 1 }) } }));
    await client.chat().createSimple(undefined, 'm', 'hi');
    expect(fake.requests).toHaveLength(1);
    // The last one gives the place back.
    await until(() => asks === 5);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['fails', () => Promise.reject(new Error('offline'))],
    ['does not answer', () => new Promise(() => undefined)],
  ])('a call fails when awayMs has passed, if Redis %s', async (_name, evaluate) => {
    const { fake } = await openFake();
    const limiter = redisLimiter(evaluate, { name: 'a', places: 1, pollMs: 1, awayMs: 20 });
    const error = await failure(
      newClient(fake.configFor({ concurrency: { limiter } }))
        .chat()
        .createSimple(undefined, 'm', 'hi'),
    );
    expect(isQueueError(error) && error).toMatchObject({
      reason: 'limiter',
      cause: { message: 'Redis has been away for 20 ms', cause: expect.any(Error) },
    });
    expect(fake.requests).toEqual([]);
  });

  test('a full Redis is not away: the call waits for longer than awayMs', async () => {
    let asks = 0;
    const evaluate = async (): Promise<unknown> => (++asks > 40 ? 1 : 0);
    const release = await redisLimiter(evaluate, { name: 'a', places: 1, pollMs: 2, awayMs: 1 }).acquire(ask);
    release('ok');
    expect(asks).toBeGreaterThan(40);
  });

  test('a lease is renewed while its call runs, whatever became of the ask before', async () => {
    let asks = 0;
    const evaluate = async (): Promise<unknown> => {
      if (++asks > 1) throw new Error('offline');
      return 1;
    };
    const release = await redisLimiter(evaluate, { name: 'a', places: 1, leaseMs: 3 }).acquire(ask);
    await until(() => asks === 5);
    release('ok');
  });
});

const isInstalled = hasRedis();
if (!isInstalled) console.warn('Skipped: the tests of examples/redis-limiter.ts need `redis-server` (apt-get install redis-server).');

describe.skipIf(!isInstalled)('the example with Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  /** A client of the server, and its scripts. */
  const connected = (): { redis: ScriptClient; evaluate: Evaluate } => {
    const redis = new ScriptClient(server.path);
    onTestFinished(() => redis.close());
    return { redis, evaluate: evaluateWith(redis, () => undefined) };
  };

  /** The imports and the client of a child process. */
  const program = (config: object, leaseMs: number, body: string): string => `
    import { evaluateWith, redisLimiter } from '${new URL('../../examples/redis-limiter.ts', import.meta.url)}';
    import { ScriptClient } from '${new URL('../support/redis.ts', import.meta.url)}';
    const redis = new ScriptClient('${server.path}');
    const limiter = redisLimiter(evaluateWith(redis, () => undefined), { name: 'account', places: 3, leaseMs: ${leaseMs}, pollMs: 5, awayMs: 60_000 });
    const client = newClient({ ...${JSON.stringify(config)}, concurrency: { limiter } });
    ${body}`;

  test('two processes with 30 calls each never have more than three at once in flight, and none is refused', async ({ fake }) => {
    fake.capacity({ atOnce: 3 }).fallback('chat.create', { turn: { text: 'yes' } });
    const body = program(
      fake.configFor(),
      60_000,
      `
      await Promise.all(Array.from({ length: 30 }, () => client.chat().createSimple(undefined, 'm', 'hi')));
      console.log('done');`,
    );
    const outcomes = await Promise.all([childOutcome(body), childOutcome(body)]);
    expect(outcomes.map(({ stdout }) => stdout)).toEqual(['done\n', 'done\n']);
    expect(fake.requests).toHaveLength(60);
    expect(fake.mostAtOnce).toBeLessThanOrEqual(3);
  });

  test('the places of a process that is killed become free', async ({ fake }) => {
    const answers = held(fake);
    const child = startChild(
      program(fake.configFor(), 300, "await Promise.all([1, 2, 3].map(() => client.chat().createSimple(undefined, 'm', 'hi')));"),
    );
    await until(() => answers.count === 3);
    const { evaluate } = connected();
    const limiter = redisLimiter(evaluate, { name: 'account', places: 3, leaseMs: 300, pollMs: 5 });
    const client = newClient(fake.configFor({ concurrency: { limiter } }));
    const controller = new AbortController();
    const waiting = failure(client.chat().createSimple(controller.signal, 'm', 'hi'));
    const call = client.chat().createSimple(undefined, 'm', 'hi');
    controller.abort();
    expect(await waiting).toMatchObject({ name: 'AbortError' });
    child.kill();
    await until(() => answers.count === 4);
    answers.open();
    await call;
  });

  test('a call in flight renews its lease', async ({ fake }) => {
    const answers = held(fake);
    const { evaluate } = connected();
    const limiter = redisLimiter(evaluate, { name: 'long', places: 1, leaseMs: 3000, pollMs: 5 });
    const client = newClient(fake.configFor({ concurrency: { limiter } }));
    const calls = [1, 2].map(() => client.chat().createSimple(undefined, 'm', 'hi'));
    await until(() => answers.count === 1);
    const key = `modelsvc:long:${new URL(fake.url).origin} m`;
    const leaseEnd = (): Promise<unknown> => evaluate("return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) - 1700000000000", key);
    const first = Number(await leaseEnd());
    while (!(Number(await leaseEnd()) > first));
    expect(answers.count).toBe(1);
    answers.open();
    await Promise.all(calls);
  });

  test('a restart of Redis ends neither a process nor a call, and leaves no place behind', async ({ fake }) => {
    const answers = held(fake);
    const child = startChild(`${program(fake.configFor(), 300, '')}
      console.log('ready');
      await Promise.all(Array.from({ length: 9 }, () => client.chat().createSimple(undefined, 'm', 'hi')));
      console.log('done');`);
    await child.line();
    await until(() => answers.count === 3);
    await server.kill();
    // Calls in flight go on, and calls that wait do not fail.
    answers.release(3);
    await fake.idle();
    await server.restart();
    await until(() => answers.count === 3);
    answers.open();
    expect(await child.line()).toBe('done');
    expect(fake.requests).toHaveLength(9);
    const { redis } = connected();
    while ((await redis.command('ZCARD', `modelsvc:account:${new URL(fake.url).origin} m`)) !== 0);
  });
});
