import { describe, expect, it } from 'vitest';
import { type CallContext, type Client, isAbortError, isTaskError, newClient, type WaitOptions } from '../../src/overlay/index.ts';
import { type Fault, faults, type ScriptedOperation } from '../../src/testing/index.ts';
import { transports } from '../support/both-ways.ts';
import { stoppedClock, turns, until } from '../support/clock.ts';
import { sharedFake } from '../support/fake.ts';

const fake = await sharedFake();

interface Waiter {
  readonly poll: ScriptedOperation;
  readonly running: object;
  readonly wait: (client: Client, ctx: CallContext, options: WaitOptions<unknown>) => Promise<unknown>;
}

/** Every way to wait for a job, and what a poll of it finds while it runs. */
const waiters: Readonly<Record<string, Waiter>> = {
  waitForResult: {
    poll: 'client.getAsyncResult',
    running: { id: 'task-1', task_status: 'PROCESSING' },
    wait: (client, ctx, options) => client.waitForResult(ctx, 'task-1', options),
  },
  'fileParser.wait': {
    poll: 'fileParser.result',
    running: { task_id: 'task-1', status: 'processing' },
    wait: (client, ctx, options) => client.fileParser().wait(ctx, 'task-1', 'text', options),
  },
  'batch.wait': {
    poll: 'batch.retrieve',
    running: { id: 'task-1', status: 'in_progress' },
    wait: (client, ctx, options) => client.batch().wait(ctx, 'task-1', options),
  },
  'agents.wait': {
    poll: 'agents.asyncResult',
    running: { agent_id: 'a', async_id: 'task-1', status: 'pending' },
    wait: (client, ctx, options) => client.agents().wait(ctx, { agent_id: 'a', async_id: 'task-1' }, options),
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

it('the timer of maxWait is cleared on every way out', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const client = newClient(fake.configFor({ maxRetries: 0 }));
  const options = { maxWait: 60 * 60_000 };
  await client.waitForResult(undefined, 'warm-up', { interval: 100 }).catch(() => undefined);
  await fake.idle();
  const before = timers();
  const ways: [string, object][] = [
    ['done', { body: { id: '1', task_status: 'SUCCESS' } }],
    ['failed', { body: { id: '1', task_status: 'FAIL' } }],
    ['refused', faults.error(400, '1210')],
  ];
  for (const [, answer] of ways) {
    fake.answer('client.getAsyncResult', answer as Fault);
    await client.waitForResult(undefined, 'task-1', options).catch(() => undefined);
  }
  const stop = new Error('stop');
  fake.answer('client.getAsyncResult', { body: { id: '1', task_status: 'PROCESSING' } });
  const onProgress = (): never => {
    throw stop;
  };
  await expect(client.waitForResult(undefined, 'task-1', { ...options, onProgress })).rejects.toBe(stop);
  await fake.idle();
  expect(timers()).toBeLessThanOrEqual(before);
});
