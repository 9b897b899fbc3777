import { describe, expect, it } from 'vitest';
import { type CallContext, type Client, newClient, type WaitOptions } from '../../src/overlay/index.ts';
import { type Fault, faults, type Reply, type ScriptedOperation } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';
import { failureOf } from '../support/spec.ts';

const fake = await sharedFake();

interface Waiter {
  readonly poll: ScriptedOperation;
  readonly reply: (status: string) => object;
  readonly running: object;
  readonly done: { readonly [field: string]: unknown };
  /** The word of success. */
  readonly success: string;
  /** Ends that are results here. */
  readonly results?: RegExp;
  readonly wait: (client: Client, ctx: CallContext, wait: number | WaitOptions<unknown>) => Promise<unknown>;
}

/** Every way to wait for a job, and what a poll of it finds while it runs and at its end. */
function waiterOf(waiter: Omit<Waiter, 'running' | 'done'>, running: string, more: object = {}): Waiter {
  return { ...waiter, running: waiter.reply(running), done: { ...waiter.reply(waiter.success), ...more } };
}

const waiters: Readonly<Record<string, Waiter>> = {
  waitForResult: waiterOf(
    {
      poll: 'client.getAsyncResult',
      reply: (task_status) => ({ id: 'task-1', task_status, choices: [{}] }),
      success: 'SUCCESS',
      wait: (client, ctx, wait) => client.waitForResult(ctx, 'task-1', wait),
    },
    'PROCESSING',
  ),
  'fileParser.wait': waiterOf(
    {
      poll: 'fileParser.result',
      reply: (status) => ({ task_id: 'task-1', status, content: null }),
      success: 'succeeded',
      wait: (client, ctx, wait) => client.fileParser().wait(ctx, 'task-1', 'text', wait),
    },
    'processing',
    { content: 'a' },
  ),
  'batch.wait': waiterOf(
    {
      poll: 'batch.retrieve',
      reply: (status) => ({ id: 'task-1', status, output_file_id: 'file-1' }),
      success: 'completed',
      results: /^(cancell?ed|expired)$/i,
      wait: (client, ctx, wait) => client.batch().wait(ctx, 'task-1', wait),
    },
    'in_progress',
  ),
  'agents.wait': waiterOf(
    {
      poll: 'agents.asyncResult',
      reply: (status) => ({ agent_id: 'a', async_id: 'task-1', status }),
      success: 'success',
      wait: (client, ctx, wait) => client.agents().wait(ctx, { agent_id: 'a', async_id: 'task-1' }, wait),
    },
    'pending',
    { choices: [] },
  ),
};

/** Faults that hold a poll for longer than any test runs. */
const holding: Readonly<Record<string, Fault>> = {
  'is silent': faults.silentBeforeHeaders(),
  'is silent after its header': faults.silentAfterHeaders(),
  'drips its body': faults.slowDrip(1, 10_000),
  'is refused for 59 s': faults.rateLimit({ seconds: 59 }),
};

describe.each(transports)('maxWait over $transport', ({ overrides }) => {
  describe.each(Object.entries(waiters))('%s', (_name, { poll, running, wait }) => {
    const client = (): Client => newClient(fake.configFor({ ...overrides, timeout: 0, streamIdleTimeout: 0 }));

    it.each(Object.entries(holding))('ends when the first poll %s', async (_what, fault) => {
      fake.fallback(poll, fault);
      const clock = stoppedClock();
      const waiting = wait(client(), undefined, { maxWait: 30_000 }).catch((thrown: unknown) => thrown);
      await until(() => fake.requests.length === 1);
      await turns();
      const error = await clock.run(waiting, 1000);
      expect(error).toSatisfy(ofKind('task'));
      expect(error).toMatchObject({ id: 'task-1', status: 'timeout', result: undefined });
      // The request is given up too: the service sees it end.
      await fake.idle();
    });

    it('ends with the last known state when a later poll is silent', async () => {
      fake.answer(poll, { body: running }, faults.silentBeforeHeaders());
      const clock = stoppedClock();
      const waiting = wait(client(), undefined, { interval: 100, maxWait: 600_000 }).catch((thrown: unknown) => thrown);
      await clock.until(() => fake.requests.length === 2);
      const error = await clock.run(waiting, 1000);
      expect(error).toMatchObject({ name: 'TaskError', status: 'timeout', result: running });
      await fake.idle();
    });

    it('leaves an abort by the caller an abort', async () => {
      fake.answer(poll, faults.silentBeforeHeaders());
      const controller = new AbortController();
      const waiting = wait(client(), controller.signal, { maxWait: 60_000 }).catch((thrown: unknown) => thrown);
      await until(() => fake.requests.length === 1);
      controller.abort();
      expect(await waiting).toSatisfy(ofKind('abort'));
    });
  });
});

describe.each(Object.entries(waiters))('%s with a stopped clock', (_name, { poll, running, done, wait }) => {
  const outcomeOf = (given: number | WaitOptions<unknown>, ctx?: CallContext): Promise<unknown> =>
    wait(newClient(fake.configFor({ maxRetries: 0 })), ctx, given).catch((thrown: unknown) => thrown);

  /** The poll of this number is answered, so that the wait sleeps. */
  async function asleep(count: number): Promise<void> {
    await until(() => fake.requests.length === count && fake.exchanges === 0);
    await turns();
  }

  it('polls until maxWait, and a last time then', async () => {
    fake.fallback(poll, { body: running });
    const clock = stoppedClock();
    const waiting = outcomeOf({ maxWait: 4000 });
    for (const [index, ms] of [1000, 1500, 1500].entries()) {
      await asleep(index + 1);
      clock.pass(ms - 1);
      await turns();
      expect(fake.requests).toHaveLength(index + 1);
      clock.pass(1);
    }
    expect(await waiting).toMatchObject({ name: 'TaskError', status: 'timeout', result: running });
    expect(fake.requests).toHaveLength(4);
  });

  it('returns a job that has ended at the last poll', async () => {
    fake.answer(poll, { body: running }, { body: done });
    const clock = stoppedClock();
    const waiting = outcomeOf({ interval: 10_000, maxWait: 10_000 });
    await asleep(1);
    clock.pass(10_000);
    expect(await waiting).toMatchObject(done);
  });

  it('gives a last poll five seconds', async () => {
    fake.answer(poll, { body: running }, faults.silentBeforeHeaders());
    const clock = stoppedClock();
    let isOver = false;
    const waiting = outcomeOf({ interval: 10_000, maxWait: 10_000 }).finally(() => {
      isOver = true;
    });
    await asleep(1);
    clock.pass(10_000);
    await until(() => fake.requests.length === 2);
    await turns();
    clock.pass(4999);
    await turns();
    expect(isOver).toBe(false);
    clock.pass(1);
    expect(await waiting).toMatchObject({ name: 'TaskError', status: 'timeout', result: running });
  });

  it('polls once with a maxWait of 0', async () => {
    fake.answer(poll, { body: done }, { body: running });
    expect(await outcomeOf({ maxWait: 0 })).toMatchObject(done);
    expect(await outcomeOf({ maxWait: 0 })).toMatchObject({ name: 'TaskError', status: 'timeout', result: running });
    expect(fake.requests).toHaveLength(2);
  });

  it('takes a number for its interval', async () => {
    fake.answer(poll, { body: running }, { body: done });
    const clock = stoppedClock();
    const waiting = outcomeOf(700);
    await asleep(1);
    clock.pass(699);
    await turns();
    expect(fake.requests).toHaveLength(1);
    clock.pass(1);
    expect(await waiting).toMatchObject(done);
  });

  it('refuses wrong options and a wrong signal', async () => {
    for (const options of [null, '5000', { onState: 5 }, { interval: '5000' }, Number.NaN])
      expect(await outcomeOf(options as never)).toMatchObject({ kind: 'validation' });
    expect(await outcomeOf({ maxWait: 1000 }, { signal: 'none' as never })).toMatchObject({ kind: 'validation', path: 'ctx.signal' });
    expect(fake.requests).toEqual([]);
  });

  it('ends with the error of a poll that fails', async () => {
    fake.answer(poll, { body: running }, faults.error(400, '1210'));
    const clock = stoppedClock();
    const waiting = outcomeOf({ maxWait: 60_000 });
    await asleep(1);
    clock.pass(1000);
    expect(await waiting).toMatchObject({ kind: 'api', code: '1210' });
  });
});

it('the timer of maxWait is cleared on every way out', async () => {
  const config = JSON.stringify(fake.configFor({ maxRetries: 0 }));
  const task = (task_status: string): Reply => ({ body: { id: '1', task_status, choices: [{}] } });
  const running = task('PROCESSING');
  fake.answer('client.getAsyncResult', task('SUCCESS'), task('FAIL'), faults.error(400, '1210'), running, running, faults.silentBeforeHeaders());
  const { stdout } = await childOutcome(`
    const client = newClient(${config});
    const controller = new AbortController();
    const throwing = () => { throw new Error('stop'); };
    const aborting = () => void setImmediate(() => controller.abort());
    for (const [ctx, onState] of [[], [], [], [undefined, throwing], [controller.signal, aborting], [AbortSignal.timeout(300)]])
      await client.waitForResult(ctx, 'task-1', { maxWait: 3_600_000, interval: 600_000, onState }).catch((error) => console.log(error.name));
  `);
  expect(stdout.trim().split('\n')).toEqual(['TaskError', 'ApiError', 'Error', 'AbortError', 'AbortError']);
});

const ends = 'FAIL FAILED Failed failed FAILURE CANCELED CANCELLED cancelled EXPIRED ERROR TIMEOUT TIMED_OUT ABORTED REJECTED'.split(' ').concat('');
const stillRunning = ['QUEUED', 'cancelling', 'RETRYING', 'SUCCESSFUL?', 'constructor'];

const client = newClient(fake.configFor());

describe.each(Object.entries(waiters))('%s', (_name, { poll, reply, success, wait, results }) => {
  async function outcome(...statuses: string[]): Promise<{ error: unknown; polls: number }> {
    fake.answer(poll, ...statuses.map((status) => ({ body: reply(status) })));
    let error: unknown;
    const before = fake.requests.length;
    await wait(client, undefined, { interval: 1 }).catch((thrown: unknown) => {
      error = thrown;
    });
    return { error, polls: fake.requests.length - before };
  }

  it.each(ends.filter((word) => !results?.test(word) && !(poll === 'agents.asyncResult' && word === 'failed')))(
    '%j ends it with a TaskError',
    async (word) => {
      const { error, polls } = await outcome(word);
      expect(error).toSatisfy(ofKind('task'));
      expect(error).toMatchObject({ id: 'task-1', status: word, result: reply(word) });
      if (!results)
        expect((error as Error).message).toMatch(
          word === '' ? /ended with an empty status\. Its last reply is in error\.result\. Start a new job/ : new RegExp(word),
        );
      expect(polls).toBe(1);
    },
  );

  it.each(stillRunning)('%s counts as running', async (word) => {
    expect(await outcome(word, success)).toEqual({ error: undefined, polls: 2 });
  });

  it('the word of success counts in any case', async () => {
    expect(await outcome(success.toUpperCase())).toEqual({ error: undefined, polls: 1 });
    expect(await outcome(success.toLowerCase())).toEqual({ error: undefined, polls: 1 });
  });
});

describe('a batch', () => {
  it.each(['canceled', 'CANCELLED', 'Expired'])('with status %s is a result, for its finished requests', async (status) => {
    fake.answer('batch.retrieve', { body: { id: 'task-1', status } });
    expect(await client.batch().wait(undefined, 'task-1')).toMatchObject({ status });
  });
});

describe('waitForResult', () => {
  it.each([null, 'SUCCESS'])('ends with a TaskError where the answer is empty: status %s', async (task_status) => {
    fake.answer('client.getAsyncResult', { body: { id: 'task-1', task_status, choices: [] } });
    expect(await failureOf(() => client.waitForResult(undefined, 'task-1'))).toMatchObject({ kind: 'task', result: { choices: [] } });
  });

  it('ends with the answer where the service sends no status', async () => {
    fake.answer('client.getAsyncResult', { body: { id: 'task-1', task_status: null, choices: [{}] } });
    expect(await client.waitForResult(undefined, 'task-1')).toMatchObject({ choices: [{}] });
    expect(await failureOf(() => client.waitForResult(undefined, 'task-1', { maxWait: -1 }))).toMatchObject({ path: 'maxWait' });
  });
});
