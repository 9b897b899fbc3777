import { describe, expect, it } from 'vitest';
import { type Client, isTaskError, type WaitOptions } from '../../src/overlay/index.ts';
import type { ScriptedOperation } from '../../src/testing/index.ts';
import { openFake } from '../support/fake.ts';
import { failureOf } from '../support/spec.ts';

interface Waiter {
  readonly poll: ScriptedOperation;
  readonly reply: (status: string) => object;
  readonly done: string;
  readonly wait: (client: Client, options: WaitOptions<unknown>) => Promise<unknown>;
  /** Ends that are results here. */
  readonly results?: RegExp;
}

const waiters: Readonly<Record<string, Waiter>> = {
  waitForResult: {
    poll: 'client.getAsyncResult',
    reply: (task_status) => ({ id: 'task-1', task_status, choices: [{}] }),
    done: 'SUCCESS',
    wait: (client, options) => client.waitForResult(undefined, 'task-1', options),
  },
  'fileParser.wait': {
    poll: 'fileParser.result',
    reply: (status) => ({ task_id: 'task-1', status, content: null }),
    done: 'succeeded',
    wait: (client, options) => client.fileParser().wait(undefined, 'task-1', 'text', options),
  },
  'agents.wait': {
    poll: 'agents.asyncResult',
    reply: (status) => ({ agent_id: 'a', async_id: 'task-1', status }),
    done: 'success',
    wait: (client, options) => client.agents().wait(undefined, { agent_id: 'a', async_id: 'task-1' }, options),
  },
  'batch.wait': {
    poll: 'batch.retrieve',
    reply: (status) => ({ id: 'task-1', status, output_file_id: 'file-1' }),
    done: 'completed',
    wait: (client, options) => client.batch().wait(undefined, 'task-1', options),
    results: /^(cancell?ed|expired)$/i,
  },
};

const ends = [
  'FAIL',
  'FAILED',
  'Failed',
  'FAILURE',
  'CANCELED',
  'CANCELLED',
  'cancelled',
  'EXPIRED',
  'ERROR',
  'TIMEOUT',
  'TIMED_OUT',
  'ABORTED',
  'REJECTED',
  '',
];
const running = ['QUEUED', 'cancelling', 'RETRYING', 'SUCCESSFUL?', 'constructor'];

describe.each(Object.entries(waiters))('%s', (_name, { poll, reply, done, wait, results }) => {
  async function outcome(...statuses: string[]): Promise<{ error: unknown; polls: number }> {
    const { fake, client } = await openFake();
    fake.answer(poll, ...statuses.map((status) => ({ body: reply(status) })));
    let error: unknown;
    await wait(client, { interval: 100 }).catch((thrown: unknown) => {
      error = thrown;
    });
    return { error, polls: fake.requests.length };
  }

  it.each(ends.filter((word) => !results?.test(word) && !(poll === 'agents.asyncResult' && word === 'failed')))(
    '%j ends it with a TaskError',
    async (word) => {
      const { error, polls } = await outcome(word);
      expect(error).toSatisfy(isTaskError);
      expect(error).toMatchObject({ id: 'task-1', status: word, result: reply(word) });
      if (!results) expect((error as Error).message).toMatch(word === '' ? /ended with an empty status$/ : new RegExp(word));
      expect(polls).toBe(1);
    },
  );

  it.each(running)('%s counts as running', async (word) => {
    expect(await outcome(word, done)).toEqual({ error: undefined, polls: 2 });
  });

  it('the word of success counts in any case', async () => {
    expect(await outcome(done.toUpperCase())).toEqual({ error: undefined, polls: 1 });
    expect(await outcome(done.toLowerCase())).toEqual({ error: undefined, polls: 1 });
  });
});

describe('a batch', () => {
  it.each(['canceled', 'CANCELLED', 'Expired'])('with status %s is a result, for its finished requests', async (status) => {
    const { fake, client } = await openFake();
    fake.answer('batch.retrieve', { body: { id: 'task-1', status } });
    expect(await client.batch().wait(undefined, 'task-1')).toMatchObject({ status });
  });
});

describe('waitForResult', () => {
  it.each([null, 'SUCCESS'])('ends with a TaskError where nothing is in the answer: status %s', async (task_status) => {
    const { fake, client } = await openFake();
    fake.answer('client.getAsyncResult', { body: { id: 'task-1', task_status, choices: [] } });
    expect(await failureOf(() => client.waitForResult(undefined, 'task-1'))).toMatchObject({ kind: 'task', result: { choices: [] } });
  });

  it('ends with the answer where the service sends no status', async () => {
    const { fake, client } = await openFake();
    fake.answer('client.getAsyncResult', { body: { id: 'task-1', task_status: null, choices: [{}] } });
    expect(await client.waitForResult(undefined, 'task-1')).toMatchObject({ choices: [{}] });
    expect(await failureOf(() => client.waitForResult(undefined, 'task-1', { maxWait: -1 }))).toMatchObject({ path: 'maxWait' });
  });
});
