import { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { type Evaluate, evaluateWith, redisLimiter } from '../../examples/redis-limiter.ts';
import { type Client, isQueueError, newClient } from '../../src/overlay/index.ts';
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

  test('a place whose reply was lost is given back, if the call is aborted', async () => {
    const members = new Set<unknown>();
    const evaluate: Evaluate = async (script, _key, member) => {
      if (script.includes("ZREM'")) members.delete(member);
      else if (members.add(member).size > 0) throw new Error('offline');
      return 1;
    };
    const controller = new AbortController();
    const asked = redisLimiter(evaluate, { name: 'a', places: 1, pollMs: 1 }).acquire({ ...ask, signal: controller.signal });
    await until(() => members.size === 1);
    controller.abort();
    await expect(asked).rejects.toThrow('aborted');
    expect(members.size).toBe(0);
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

  test.each([
    ['refuses writes, because it has become a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE'], 'READONLY'],
    ['does not answer', ['CLIENT', 'PAUSE', '600000', 'WRITE'], ['CLIENT', 'UNPAUSE'], 'no answer in time'],
  ])('while Redis %s, calls wait; they are sent when it is well again, or fail with its reason after awayMs', async (_name, harm, mend, reason) => {
    const { fake } = await openFake();
    const { redis } = connected();
    // A connection of its own, because commands of one are answered in order.
    const { evaluate } = connected();
    await redis.command(...harm);
    onTestFinished(async () => void (await redis.command(...mend)));
    let asks = 0;
    const counted: Evaluate = (...ask) => {
      asks++;
      return evaluate(...ask);
    };
    const limited = (awayMs: number): Client =>
      newClient(fake.configFor({ concurrency: { limiter: redisLimiter(counted, { name: 'harm', places: 1, pollMs: 1, awayMs }) } }));
    const error = await failure(limited(20).chat().createSimple(undefined, 'm', 'hi'));
    expect(inspect(error)).toContain(reason);
    const before = asks;
    const call = limited(600_000).chat().createSimple(undefined, 'm', 'hi');
    await until(() => asks > before);
    expect(fake.requests).toEqual([]);
    await redis.command(...mend);
    await call;
    expect(fake.requests).toHaveLength(1);
  });

  test('a Redis without memory gives places', async () => {
    const { redis, evaluate } = connected();
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    onTestFinished(async () => void (await redis.command('CONFIG', 'SET', 'maxmemory', '0')));
    (await redisLimiter(evaluate, { name: 'memory', places: 1, pollMs: 1 }).acquire(ask))('ok');
  });

  // The clock of Redis is that of its machine, so its data are moved in place of it.
  const hour = 3_600_000;

  test('after a jump back of the clock of Redis, the place of a dead process is free one lease later', async () => {
    const { redis, evaluate } = connected();
    const key = `modelsvc:back:${ask.gate}`;
    await redis.command('ZADD', key, String(Date.now() + hour), 'dead');
    (await redisLimiter(evaluate, { name: 'back', places: 1, leaseMs: 100, pollMs: 5 }).acquire(ask))('ok');
    while ((await redis.command('ZCARD', key)) !== 0);
  });

  test('after a jump forward of the clock of Redis, a call in flight takes its place again', async () => {
    const { redis, evaluate } = connected();
    const key = `modelsvc:forward:${ask.gate}`;
    const limiter = redisLimiter(evaluate, { name: 'forward', places: 1, leaseMs: 300, pollMs: 5 });
    const release = await limiter.acquire(ask);
    await evaluate("local all = redis.call('ZRANGE', KEYS[1], 0, -1) return redis.call('ZADD', KEYS[1], 1, all[1])", key);
    const other = await limiter.acquire(ask);
    while ((await redis.command('ZCARD', key)) !== 2);
    release('ok');
    other('ok');
    while ((await redis.command('ZCARD', key)) !== 0);
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
