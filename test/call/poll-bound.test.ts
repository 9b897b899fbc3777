import { describe, expect, it } from 'vitest';
import { type CallContext, type Client, isAbortError, isTaskError, newClient, type WaitOptions } from '../../src/overlay/index.ts';
import { type Fault, faults, type Reply, type ScriptedOperation } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { childOutcome } from '../support/child.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

interface Waiter {
  readonly poll: ScriptedOperation;
  readonly running: object;
  readonly done: object;
  readonly wait: (client: Client, ctx: CallContext, wait: number | WaitOptions<unknown>) => Promise<unknown>;
}

/** Every way to wait for a job, and what a poll of it finds while it runs and at its end. */
const waiters: Readonly<Record<string, Waiter>> = {
  waitForResult: {
    poll: 'client.getAsyncResult',
    running: { id: 'task-1', task_status: 'PROCESSING' },
    done: { id: 'task-1', task_status: 'SUCCESS', choices: [{}] },
    wait: (client, ctx, wait) => client.waitForResult(ctx, 'task-1', wait),
  },
  'fileParser.wait': {
    poll: 'fileParser.result',
    running: { task_id: 'task-1', status: 'processing' },
    done: { task_id: 'task-1', status: 'succeeded', content: 'a' },
    wait: (client, ctx, wait) => client.fileParser().wait(ctx, 'task-1', 'text', wait),
  },
  'batch.wait': {
    poll: 'batch.retrieve',
    running: { id: 'task-1', status: 'in_progress' },
    done: { id: 'task-1', status: 'completed', output_file_id: 'file-1' },
    wait: (client, ctx, wait) => client.batch().wait(ctx, 'task-1', wait),
  },
  'agents.wait': {
    poll: 'agents.asyncResult',
    running: { agent_id: 'a', async_id: 'task-1', status: 'pending' },
    done: { agent_id: 'a', async_id: 'task-1', status: 'success', choices: [] },
    wait: (client, ctx, wait) => client.agents().wait(ctx, { agent_id: 'a', async_id: 'task-1' }, wait),
  },
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
      expect(error).toSatisfy(isTaskError);
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
      expect(await waiting).toSatisfy(isAbortError);
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

  it('refuses options and a signal that are none', async () => {
    for (const options of [null, '5000', { onProgress: 5 }, { interval: '5000' }, Number.NaN])
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
    for (const [ctx, onProgress] of [[], [], [], [undefined, throwing], [controller.signal, aborting], [AbortSignal.timeout(300)]])
      await client.waitForResult(ctx, 'task-1', { maxWait: 3_600_000, interval: 600_000, onProgress }).catch((error) => console.log(error.name));
  `);
  expect(stdout.trim().split('\n')).toEqual(['TaskError', 'ApiError', 'Error', 'AbortError', 'AbortError']);
});
