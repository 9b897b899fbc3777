import { type ChildProcess, spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { redisLimiter } from '../../examples/redis-limiter.ts';
import { newClient } from '../../src/overlay/index.ts';
import { childOutcome } from '../support/child.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';
import { hasRedis, type RedisServer, ScriptClient, startRedis } from '../support/redis.ts';

const isInstalled = hasRedis();
if (!isInstalled) console.warn('Skipped: the tests of examples/redis-limiter.ts need `redis-server` (apt-get install redis-server).');

describe.skipIf(!isInstalled)('the example with Redis', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server?.stop());

  /** The imports and the client of a child process. */
  const program = (config: object, leaseMs: number, body: string): string => `
    import { redisLimiter } from '${new URL('../../examples/redis-limiter.ts', import.meta.url)}';
    import { ScriptClient } from '${new URL('../support/redis.ts', import.meta.url)}';
    const redis = new ScriptClient('${server.path}');
    const limiter = redisLimiter(redis.evaluate, { name: 'account', places: 3, leaseMs: ${leaseMs}, pollMs: 5 });
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
    const body = `import { newClient } from '${new URL('../../src/overlay/index.ts', import.meta.url)}';
      ${program(fake.configFor(), 300, "await Promise.all([1, 2, 3].map(() => client.chat().createSimple(undefined, 'm', 'hi')));")}`;
    const child: ChildProcess = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', body], { stdio: 'ignore' });
    await until(() => answers.count === 3);
    const redis = new ScriptClient(server.path);
    onTestFinished(() => redis.close());
    const limiter = redisLimiter(redis.evaluate, { name: 'account', places: 3, leaseMs: 300, pollMs: 5 });
    const client = newClient(fake.configFor({ concurrency: { limiter } }));
    const controller = new AbortController();
    const waiting = failure(client.chat().createSimple(controller.signal, 'm', 'hi'));
    const call = client.chat().createSimple(undefined, 'm', 'hi');
    controller.abort();
    expect(await waiting).toMatchObject({ name: 'AbortError' });
    child.kill('SIGKILL');
    await until(() => answers.count === 4);
    answers.open();
    await call;
  });

  test('a call in flight renews its lease', async ({ fake }) => {
    const answers = held(fake);
    const redis = new ScriptClient(server.path);
    onTestFinished(() => redis.close());
    const limiter = redisLimiter(redis.evaluate, { name: 'long', places: 1, leaseMs: 3000, pollMs: 5 });
    const client = newClient(fake.configFor({ concurrency: { limiter } }));
    const calls = [1, 2].map(() => client.chat().createSimple(undefined, 'm', 'hi'));
    await until(() => answers.count === 1);
    const key = `modelsvc:long:${new URL(fake.url).origin} m`;
    const leaseEnd = (): Promise<unknown> =>
      redis.evaluate("return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) - 1700000000000", key);
    const first = Number(await leaseEnd());
    while (!(Number(await leaseEnd()) > first));
    expect(answers.count).toBe(1);
    answers.open();
    await Promise.all(calls);
  });
});
