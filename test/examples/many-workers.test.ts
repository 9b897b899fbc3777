import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Job, Queue, RateLimitError, UnrecoverableError } from 'bullmq';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, vi } from 'vitest';
import { answering, categoryOf, type Parts, verdictOf } from '../../examples/many-workers/answer.ts';
import { newClient } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, faults } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { type Held, held } from '../support/held.ts';
import { hasRedis, type RedisServer, startRedis } from '../support/redis.ts';
import { bodiesOf, builtExamples, emptyFolder, outcome, type Running } from './example-process.ts';

const isInstalled = hasRedis();
if (!isInstalled) console.warn('Skipped: the tests of examples/many-workers need `redis-server` (apt-get install redis-server).');

interface Line {
  readonly id?: unknown;
  readonly tenant?: string;
  readonly urgent?: boolean;
  readonly request?: unknown;
}

const asking = (content: string): object => ({ model: 'glm-5.3', messages: [{ role: 'user', content }] });
const row = (id: string, more: Line = {}): Line => ({ id, request: asking(id), ...more });
const many = (count: number): Line[] => Array.from({ length: count }, (_, index) => row(`r${index}`));
/** The ids of the rows that were asked, in their order. */
const asked = (fake: FakeService): string[] => bodiesOf(fake).map((body) => (body as { messages: { content: string }[] }).messages[0]?.content ?? '');

/** Waits for a condition in Redis. Fails only by the timeout of the test. */
async function reached(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await wait(10);
}

/** The counts of a job at its first attempt. */
const first = { attemptsMade: 0, attemptsStarted: 1 };

describe('the verdict about an error', () => {
  test.for<[status: number, code: string, verdict: unknown, category: string]>([
    [429, '1302', { pauseMs: 1000 }, 'rate'],
    [429, '1305', { pauseMs: 1000 }, 'rate'],
    [500, '1234', 'retry', 'server'],
    [429, '1308', { pauseMs: 1000 }, 'quota'],
    [429, '1304', { pauseMs: 900_000 }, 'quota'],
    [429, '1313', 'hold', 'quota'],
    [429, '1113', 'hold', 'billing'],
    [401, '1000', 'hold', 'auth'],
    [400, '1210', 'bury', 'parameter'],
    [400, '1301', 'bury', 'content'],
    [429, '1311', 'bury', 'permission'],
  ])('of status %i and code %s', async ([status, code, verdict, category], { fake }) => {
    fake.answer('chat.create', faults.error(status, code, 'Your limit will reset at 2026-01-01 00:00:00'));
    const error = await failure(
      newClient(fake.configFor({ maxRetries: 0 }))
        .chat()
        .createSimple(undefined, 'm', 'hi'),
    );
    expect([verdictOf(error, first), categoryOf(error)]).toEqual([verdict, category]);
  });

  test('of a broken connection, an abort and an invalid request', async ({ fake }) => {
    fake.answer('chat.create', faults.resetBeforeHeaders());
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    const errors = [
      await failure(client.chat().createSimple(undefined, 'm', 'hi')),
      await failure(client.chat().createSimple(AbortSignal.abort(), 'm', 'hi')),
      await failure(client.chat().create(undefined, 'no request' as never)),
    ];
    expect(errors.map((error) => [verdictOf(error, first), categoryOf(error)])).toEqual([
      ['retry', 'connection'],
      ['give back', 'abort'],
      ['bury', 'validation'],
    ]);
  });

  test('of a refusal of the rate is the pause of its Retry-After, and otherwise one that doubles up to a minute', async ({ fake }) => {
    fake.answer('chat.create', faults.rateLimit({ ms: 7000 }), faults.error(429, '1302', 'too many'));
    const client = newClient(fake.configFor({ maxRetries: 0 }));
    const told = await failure(client.chat().createSimple(undefined, 'm', 'hi'));
    const untold = await failure(client.chat().createSimple(undefined, 'm', 'hi'));
    const starts = [1, 2, 6, 7, 50];
    expect(starts.map((attemptsStarted) => verdictOf(told, { attemptsMade: 0, attemptsStarted }))).toEqual(starts.map(() => ({ pauseMs: 7000 })));
    expect(starts.map((attemptsStarted) => verdictOf(untold, { attemptsMade: 0, attemptsStarted }))).toEqual(
      [1000, 2000, 32_000, 60_000, 60_000].map((pauseMs) => ({ pauseMs })),
    );
  });
});

/** Runs the processor of the workers for a row as BullMQ does, up to the attempts that add.ts gives a job. Resolves with its last reason. */
async function processed(parts: Parts): Promise<string> {
  const process = answering(parts);
  for (let [attemptsMade, attemptsStarted] = [0, 1]; attemptsMade < 10; attemptsStarted++)
    try {
      await process({ data: row('r'), attemptsMade, attemptsStarted } as unknown as Job);
      return 'answered';
    } catch (error) {
      if (error instanceof UnrecoverableError) return error.message;
      if (!(error instanceof RateLimitError)) attemptsMade++;
      // A row that is only ever refused is never dead.
      else if (attemptsStarted === 50) return 'refused';
    }
  return 'dead';
}

describe.each(transports)('a row whose request gets no complete answer, over $transport', ({ overrides }) => {
  const config = { ...overrides, maxRetries: 0, timeout: 100 } as const;
  const lost: Record<string, () => Fault> = {
    'the connection breaks before the header': () => faults.resetBeforeHeaders(),
    'the header does not come in time': () => faults.silentBeforeHeaders(),
    'the connection breaks in the answer': () => faults.resetMidBody(),
    'the answer is cut off': () => faults.cutJson(),
  };
  const fails: Record<string, () => Fault> = {
    ...lost,
    'the service is busy': () => faults.error(500, '1234', 'network error'),
    refused: () => faults.rateLimit({ ms: 1 }),
  };
  const kept = { has: async () => false, leave: async () => undefined, keep: async () => undefined };
  /** The dead row, and the number of requests that were lost. */
  const ended = async (fake: FakeService, script: readonly string[]): Promise<[reason: string, lost: number]> => {
    const client = newClient(fake.configFor(config));
    // The first request of a client has a new connection, the second one is kept alive.
    fake.fallback('chat.create', { turn: { text: 'warm' } });
    await client.chat().createSimple({ timeout: 30_000 }, 'glm-5.3', 'warm');
    vi.spyOn(console, 'error').mockReturnValue();
    let asked = 0;
    let count = 0;
    fake.fallback('chat.create', () => {
      const name = script[asked++ % script.length] ?? '';
      if (Object.hasOwn(lost, name)) count++;
      return fails[name]?.() ?? { turn: { text: 'yes' } };
    });
    const queue = { getRateLimitTtl: async () => -2, rateLimit: async () => undefined } as unknown as Queue;
    const reason = await processed({ client, queue, answers: kept });
    await client.close();
    return [reason, count];
  };

  test.for(Object.keys(lost))('costs the three requests that the page names: %s', async (name, { fake }) => {
    const [reason, requests] = await ended(fake, [name]);
    expect(reason).toMatch(/^(connection|timeout|stream|reply): /);
    expect(requests).toBe(3);
    expect(readFileSync('docs/guides/job-queue.md', 'utf8')).toContain('costs three requests at most');
  });

  test('costs no more in any mix with refusals and failures of the service', { timeout: 60_000 }, async ({ fake }) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...Object.keys(fails)), { minLength: 1, maxLength: 6 }), async (script) => {
        expect((await ended(fake, script))[1]).toBeLessThanOrEqual(3);
      }),
      { numRuns: 6 },
    );
  });
});

describe.skipIf(!isInstalled)('many workers', () => {
  const start = builtExamples(
    ['add', 'report', 'work'].map((name) => `many-workers/${name}`),
    'bundle',
  );
  let server: RedisServer;
  let redis: Redis;
  let queue: Queue;
  beforeAll(async () => {
    server = await startRedis();
    redis = new Redis(server.path, { maxRetriesPerRequest: null }).on('error', () => undefined);
    queue = new Queue('rows', { connection: redis }).on('error', () => undefined);
  });
  beforeEach(async () => void (await redis.flushall()));
  afterAll(async () => {
    redis?.disconnect();
    await server?.stop();
  });

  const env = (more: Record<string, string> = {}): Record<string, string> => ({
    REDIS_URL: server.path,
    ...more,
  });
  const add = async (fake: FakeService, lines: readonly (Line | string)[]): Promise<Running> => {
    const path = join(await emptyFolder(), 'rows.jsonl');
    writeFileSync(path, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
    return start('many-workers/add', fake, { args: [path], env: env() });
  };
  const added = async (fake: FakeService, lines: readonly (Line | string)[]): Promise<void> => {
    expect(await outcome(await add(fake, lines))).toMatchObject({
      code: 0,
      stderr: '',
      stdout: `${lines.length} rows are in the queue or answered\n`,
    });
  };
  /** Rows of a producer in this process, which starts faster. */
  const queued = (lines: readonly Line[]): Promise<unknown> =>
    queue.addBulk(lines.map((data, index) => ({ name: '', data, opts: { jobId: `row-${data.id}`, priority: index + 1, removeOnComplete: true } })));
  const work = (fake: FakeService, more: Record<string, string> = {}): Running => start('many-workers/work', fake, { env: env(more) });
  const report = async (fake: FakeService, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await outcome(start('many-workers/report', fake, { args, env: env() }));
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };
  const texts = async (): Promise<Record<string, string>> =>
    Object.fromEntries(Object.entries(await redis.hgetall('rows:answers')).map(([id, text]) => [id, JSON.parse(text).choices[0].message.content]));
  /** Resolves when this number of rows has an answer, and none is in work. */
  const answered = async (count: number): Promise<void> => {
    await reached(async () => (await redis.hlen('rows:answers')) >= count && (await queue.getActiveCount()) === 0);
  };
  /** The lock of a dead worker ends now, not later. */
  const unlock = async (id: string): Promise<void> => void (await redis.del(`bull:rows:row-${id}:lock`));

  test('two producers and two workers: each row is asked once and answered once, within the places of the key', async ({ fake }) => {
    fake.capacity({ atOnce: 2 }).fallback('chat.create', { turn: { text: 'yes' } });
    const producers = await Promise.all([add(fake, many(20)), add(fake, many(20).reverse())]);
    for (const producer of producers) expect(await producer.end).toBe(0);
    const workers = [work(fake, { PLACES: '2' }), work(fake, { PLACES: '2' })];
    await answered(20);
    expect(asked(fake).toSorted()).toEqual(
      many(20)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(fake.mostAtOnce).toBeLessThanOrEqual(2);
    // A producer that is started again adds no call.
    await added(fake, many(20));
    await reached(async () => (await queue.count()) + (await queue.getActiveCount()) === 0);
    expect(fake.requests).toHaveLength(20);
    for (const { child } of workers) child.kill('SIGTERM');
    expect(await Promise.all(workers.map(({ end }) => end))).toEqual([0, 0]);
    expect(await redis.keys('rows:tenant:*')).toEqual([]);
  });

  test('the workers start no more rows than their limit of a minute', async ({ fake }) => {
    fake.fallback('chat.create', { turn: { text: 'yes' } });
    await queued(many(5));
    for (let count = 0; count < 2; count++) work(fake, { PER_MINUTE: '3' });
    await answered(3);
    await reached(async () => (await queue.getRateLimitTtl(3)) > 0);
    expect([fake.requests.length, await queue.count()]).toEqual([3, 2]);
  });

  test('a refusal with a Retry-After makes all workers wait, and its row is not counted', async ({ fake }) => {
    const pauses: number[] = [];
    let isRefused = true;
    fake.fallback('chat.create', () => (isRefused ? faults.rateLimit({ ms: 3_600_000 }) : { turn: { text: 'yes' } }));
    await queued(many(5));
    const workers = [work(fake, { PLACES: '1' }), work(fake, { PLACES: '1' })];
    await Promise.race(workers.map((worker) => worker.shows('All workers wait for 3600 s')));
    await reached(async () => pauses.push(await queue.getRateLimitTtl(1)) > 0 && (await queue.getActiveCount()) === 0);
    expect(pauses.at(-1)).toBeGreaterThan(3_500_000);
    // No request is sent until the pause is over; here it ends early.
    expect([fake.requests.length, await queue.count()]).toEqual([1, 5]);
    isRefused = false;
    await redis.del('bull:rows:limiter');
    for (const { child } of workers) child.kill('SIGTERM');
    work(fake, { PLACES: '1' });
    await answered(5);
    expect([fake.requests.length, await queue.getFailedCount()]).toEqual([6, 0]);
  });

  test('a short pause does not end a longer one', async ({ fake }) => {
    const replies: ((ms: number) => void)[] = [];
    fake.fallback('chat.create', () => new Promise((resolve) => replies.push((ms) => resolve(faults.rateLimit({ ms })))));
    await queued(many(2));
    const worker = work(fake, { PLACES: '2' });
    await until(() => replies.length === 2);
    replies[0]?.(3_600_000);
    await reached(async () => (await queue.getRateLimitTtl(1)) > 3_000_000);
    replies[1]?.(2000);
    await worker.shows('All workers wait for 2 s');
    await reached(async () => (await queue.getActiveCount()) === 0);
    expect(await queue.getRateLimitTtl(1)).toBeGreaterThan(3_000_000);
  });

  test('urgent rows are first, and tenants take turns', async ({ fake }) => {
    const of = (tenant: string, count: number): Line[] => Array.from({ length: count }, (_, index) => row(`${tenant}${index + 1}`, { tenant }));
    await added(fake, of('a', 4));
    await added(fake, [...of('b', 2), row('u', { tenant: 'a', urgent: true })]);
    work(fake, { PLACES: '1' });
    await answered(7);
    expect(asked(fake)).toEqual(['u', 'a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  });

  test('rows that cannot be answered are dead letters by category, and one command puts a category back', async ({ fake }) => {
    fake.answer('chat.create', faults.error(400, '1301', 'unsafe'), { turn: { text: 'safe', usage: { input: 500_000, output: 500_000 } } });
    await queued([row('c'), row('fine'), { id: 'x', request: 'no request' }, { id: 'y' }]);
    await queue.add('', null as never, { jobId: 'stray' });
    work(fake, { PLACES: '1' });
    await reached(async () => (await queue.getFailedCount()) === 4 && (await redis.hlen('rows:answers')) === 1);
    const text = await report(fake);
    expect(text).toContain('1 answered, 0 in work, 0 waiting, 0 to retry, dead: {');
    expect(text).toContain(', next row in 0 ms\n');
    expect(JSON.parse(text.match(/{.*?}/)?.[0] ?? '')).toEqual({ content: 1, validation: 3 });
    expect(text).toMatch(/1000000 tokens, about \$[1-9]/);
    await report(fake, '--retry', 'content');
    await answered(2);
    expect(fake.requests).toHaveLength(3);
  });

  test('a used-up window pauses the queue until its reset', async ({ fake }) => {
    let isUsedUp = true;
    const reset = new Date(Date.now() + 8 * 3_600_000 + 2000).toISOString().slice(0, 19).replace('T', ' ');
    fake.fallback('chat.create', () => (isUsedUp ? faults.error(429, '1308', `Your limit will reset at ${reset}`) : { turn: { text: 'yes' } }));
    await queued(many(5));
    const worker = work(fake, { PLACES: '1' });
    await worker.shows('All workers wait for');
    isUsedUp = false;
    await answered(5);
    expect(fake.requests).toHaveLength(6);
    expect((await queue.getFailedCount()) + worker.printed.stderr.split('All workers wait').length).toBe(2);
  });

  test('a key without money holds the queue, and no row is lost', async ({ fake }) => {
    fake.answer('chat.create', faults.error(429, '1113', 'no money'));
    await queued(many(3));
    const worker = work(fake, { PLACES: '1' });
    await worker.shows('The queue is paused until you run report.ts --resume. billing:');
    await reached(async () => (await queue.getActiveCount()) === 0);
    expect(fake.requests).toHaveLength(1);
    expect(await queue.isPaused()).toBe(true);
    await report(fake, '--resume');
    await answered(3);
    expect(fake.requests).toHaveLength(4);
  });

  describe('a worker is killed', () => {
    const cases: readonly [string, number, (worker: Running, answers: Held, fake: FakeService) => Promise<() => Promise<unknown>>][] = [
      [
        'while its call is in flight',
        2,
        async (_worker, answers) => {
          await queued([row('r')]);
          await until(() => answers.count === 1);
          return async () => undefined;
        },
      ],
      [
        'with an answer that Redis does not take',
        2,
        async (worker, answers) => {
          await queued([row('r')]);
          await until(() => answers.count === 1);
          await redis.set('rows:answers', 'not a hash');
          answers.release();
          await worker.shows('r: the answer waits for Redis');
          return () => redis.del('rows:answers');
        },
      ],
      [
        'between the answer and the end of its job',
        1,
        async (worker, answers) => {
          await queued([row('r')]);
          await until(() => answers.count === 1);
          await redis.call('ACL', 'SETUSER', 'default', '-srem');
          answers.release();
          await worker.shows('r: the answer waits for Redis');
          return () => redis.call('ACL', 'SETUSER', 'default', '+srem');
        },
      ],
    ];
    test.for(cases)('%s: another one ends the row, and %i requests were sent in all', async ([, requests, reach], { fake }) => {
      const answers = held(fake);
      const first = work(fake, { PLACES: '1', LOCK_MS: '2000' });
      const mend = await reach(first, answers, fake);
      first.child.kill('SIGKILL');
      expect(await first.end).toBe('SIGKILL');
      await mend();
      answers.open();
      await unlock('r');
      work(fake, { PLACES: '1', LOCK_MS: '2000' });
      await answered(1);
      await reached(async () => (await queue.count()) === 0);
      expect(fake.requests).toHaveLength(requests);
      expect(await texts()).toEqual({ r: 'held' });
    });
  });

  test('an answer that Redis does not take is kept as soon as it does', async ({ fake }) => {
    const answers = held(fake);
    await queued([row('r')]);
    const worker = work(fake);
    await until(() => answers.count === 1);
    await redis.set('rows:answers', 'not a hash');
    answers.open();
    await worker.shows('r: the answer waits for Redis');
    await redis.del('rows:answers');
    await answered(1);
    expect(fake.requests).toHaveLength(1);
  });

  test('of two answers to a row the first counts, and the worker that was late goes on', async ({ fake }) => {
    const replies: ((text: string) => void)[] = [];
    fake.fallback('chat.create', () => new Promise((resolve) => replies.push((text) => resolve({ turn: { text } }))));
    await queued([row('r')]);
    const late = work(fake, { LOCK_MS: '2000' });
    await until(() => replies.length === 1);
    late.child.kill('SIGSTOP');
    await unlock('r');
    const other = work(fake, { LOCK_MS: '2000' });
    await until(() => replies.length === 2);
    replies[1]?.('first');
    await answered(1);
    late.child.kill('SIGCONT');
    replies[0]?.('second');
    other.child.kill('SIGTERM');
    await other.end;
    await queued([row('next')]);
    await until(() => replies.length === 3);
    replies[2]?.('third');
    await answered(2);
    expect(await texts()).toEqual({ r: 'first', next: 'third' });
  });

  test('SIGTERM finishes calls in flight, and takes no more rows', async ({ fake }) => {
    const answers = held(fake);
    await queued(many(3));
    const worker = work(fake, { PLACES: '1' });
    await until(() => answers.count === 1);
    worker.child.kill('SIGTERM');
    answers.open();
    expect(await worker.end).toBe(0);
    expect([await redis.hlen('rows:answers'), await queue.count(), await queue.getActiveCount()]).toEqual([1, 2, 0]);
  });

  test('SIGTERM gives rows back whose calls do not end in time, and does not count them as attempts', async ({ fake }) => {
    const answers = held(fake);
    await queued([row('r')]);
    const worker = work(fake, { GRACE_MS: '500' });
    await until(() => answers.count === 1);
    worker.child.kill('SIGTERM');
    expect(await worker.end).toBe(0);
    expect([await queue.count(), await queue.getActiveCount(), (await queue.getJob('row-r'))?.attemptsMade]).toEqual([1, 0, 0]);
    answers.open();
    work(fake);
    await answered(1);
  });

  test('workers survive a restart of Redis that keeps its data', async ({ fake }) => {
    const answers = held(fake);
    await queued(many(12));
    work(fake, { PLACES: '2' });
    await until(() => answers.count === 2);
    await server.kill();
    answers.open();
    await fake.idle();
    await server.restart();
    await answered(12);
    expect(Object.keys(await texts()).toSorted()).toEqual(
      many(12)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(fake.requests).toHaveLength(12);
  });

  test.each([
    ['a line that is no row', ['{"id":"a"}', 'nonsense'], [], [], /rows\.jsonl: line 2 must be a JSON object with an id\n$/],
    ['a full Redis', [row('r')], ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0'], /OOM command not allowed/],
    ['a read-only Redis', [row('r')], ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE'], /READONLY You can't write/],
  ] as const)('the producer ends with one error for %s', async (_name, lines, harm, mend, error) => {
    const [command, ...rest] = harm;
    if (command) await redis.call(command, ...rest);
    const { code, stderr } = await outcome(await add('' as never, lines));
    if (mend[0]) await redis.call(mend[0], ...mend.slice(1));
    expect(code).toBe(1);
    expect(stderr).toMatch(error);
  });

  test('the producer ends if Redis refuses connections', async () => {
    const { code, stderr } = await outcome(start('many-workers/add', '', { args: ['package.json'], env: env({ REDIS_URL: '/nowhere/redis.sock' }) }));
    expect(code).toBe(1);
    expect(stderr).toContain('ENOENT');
  });
});
