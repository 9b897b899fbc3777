import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Client, type Config, defineTool, type Hook, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { startRawServer } from '../support/raw-server.ts';

const fake = await sharedFake();
const hello = { model: 'glm-5.2', messages: [{ role: 'user' as const, content: 'hi' }] };

/** A hook that keeps every object that it gets. */
function keeper(): { hook: Hook; given: unknown[]; errors: unknown[] } {
  const [given, errors]: [unknown[], unknown[]] = [[], []];
  const hook: Hook = {
    onStart: (...all) => void given.push(...all),
    onQueue: (...all) => void given.push(...all),
    onLimit: (...all) => void given.push(...all),
    onRequest: (...all) => void given.push(...all),
    onResponse: (...all) => void given.push(...all),
    onRetry: (...all) => void given.push(...all),
    onError: (...all) => {
      given.push(...all);
      errors.push(all[1]);
    },
    onEnd: (...all) => {
      given.push(...all, all[1].result());
      errors.push(all[1].error);
    },
  };
  return { hook, given, errors };
}

/** Every object that own properties lead to, hidden ones too. Prototypes, functions and frozen objects are shared. */
function reachable(roots: readonly unknown[]): Set<object> {
  const found = new Set<object>();
  const queue = [...roots];
  for (const value of queue) {
    if (typeof value !== 'object' || value === null || found.has(value)) continue;
    found.add(value);
    for (const name of Reflect.ownKeys(value)) queue.push(Reflect.get(value, name));
  }
  return new Set([...found].filter((one) => !Object.isFrozen(one)));
}

function expectDisjoint(given: readonly unknown[], own: readonly unknown[]): void {
  const mine = reachable(own);
  expect([...reachable(given)].filter((one) => mine.has(one)).map((one) => inspect(one, { depth: 0 }))).toEqual([]);
}

/** The abort reasons of a program. */
const reasons: readonly (readonly [name: string, reason: () => unknown])[] = [
  ['an error with a cause', () => Object.assign(new RangeError('too long', { cause: { user: { id: 1 } } }), { code: 'MINE', data: [{ a: 1 }] })],
  ['the platform', () => undefined],
  ['an object', () => ({ by: { user: 1 } })],
  ['an object that cannot be copied', () => ({ by: { user: () => 1 } })],
  ['an error that holds itself', () => Object.assign(new Error('round'), { errors: [] as unknown[] })],
];

onBothWays((driver, clientFor) => {
  test.each(reasons)('of an abort by %s are its own, and the reason stays as it is', async (_name, makeReason) => {
    const { hook, given, errors } = keeper();
    const reason = makeReason();
    if (reason instanceof Error && 'errors' in reason) Object.assign(reason, { cause: reason, errors: [reason, reason] });
    fake.answer(driver.operation, faults.silentBeforeHeaders());
    const controller = new AbortController();
    const call = failure(driver.create(clientFor(fake, { hooks: [hook] }), controller.signal));
    await until(() => fake.requests.length === 1);
    controller.abort(reason);
    const error = (await call) as Error;
    expect(error.cause).toBe(controller.signal.reason);
    expect(Object.isFrozen(error.cause)).toBe(false);
    expect(errors).toHaveLength(2);
    expectDisjoint(given, [error, controller.signal.reason]);
  });

  test('of a broken connection have the facts of the cause', async () => {
    const { hook, given, errors } = keeper();
    const broken = await startRawServer((socket) => socket.resetAndDestroy());
    const error = await failure(driver.create(clientFor(fake, { hooks: [hook], endpoints: broken.url, maxRetries: 1, retryDelay: 0 })));
    expect(errors).toHaveLength(3);
    // The first is the first attempt's.
    for (const shown of errors.slice(1) as (Error & { cause: Error })[]) {
      expect(shown).toBeInstanceOf((error as Error).constructor);
      expect(inspect(shown.cause)).toBe(inspect((error as Error).cause));
    }
    expectDisjoint(given, [error]);
  });

  test('of a stream that fails while it is collected', async () => {
    const { hook, given } = keeper();
    fake.answer(driver.operation, { ...faults.inBandError(), reply: { turn: { text: 'a b c' } } });
    const { error } = await taken(driver.stream(clientFor(fake, { hooks: [hook] })));
    expect(error).toBeDefined();
    expectDisjoint(given, [error]);
  });
});

describe('the objects that a hook gets', () => {
  const client = (hook: Hook, more: Partial<Config> = {}): Client => newClient(fake.configFor({ hooks: [hook], maxRetries: 0, ...more }));

  test('of a refusal of the service', async () => {
    const { hook, given } = keeper();
    fake.answer('chat.create', faults.error(400, '1211', 'no such model'));
    expectDisjoint(given, [await failure(client(hook).chat().create(undefined, hello))]);
  });

  test('of a fetch that rejects with several errors', async () => {
    const { hook, given, errors } = keeper();
    const refused = (port: number): Error => Object.assign(new Error(`connect ECONNREFUSED ::1:${port}`), { code: 'ECONNREFUSED', port });
    const cause = Object.assign(new AggregateError([refused(1), refused(2)]), { code: 'ECONNREFUSED' });
    const error = await failure(
      client(hook, { httpClient: () => Promise.reject(cause) })
        .chat()
        .create(undefined, hello),
    );
    expect((error as Error).cause).toBe(cause);
    expect((errors[0] as { cause: AggregateError }).cause.errors).toMatchObject([{ code: 'ECONNREFUSED', port: 1 }, { port: 2 }]);
    expectDisjoint(given, [error]);
  });

  test("of a tool loop at its limit: the conversation is the caller's", async () => {
    const { hook, given, errors } = keeper();
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather' }] } }, { turn: { toolCalls: [{ name: 'weather' }] } });
    const weather = defineTool({ name: 'weather', description: '', input: { type: 'object' }, run: () => ({ sky: { is: 'blue' } }) });
    const request = { ...hello, messages: [...hello.messages] };
    const error = await failure(client(hook).chat().runWithToolsLimit(undefined, request, [weather], 1));
    expect(isModelsvcError(error, 'tool-loop') && error.transcript).toHaveLength(5);
    expect(errors.at(-1)).toMatchObject({
      transcript: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }, { role: 'tool' }],
    });
    expectDisjoint(given, [error, request]);
  });

  test('of a tool that throws an object', async () => {
    const { hook, given } = keeper();
    const thrown = { why: { deep: true } };
    const weather = defineTool({ name: 'weather', description: '', input: { type: 'object' }, run: () => Promise.reject(thrown) });
    fake.answer('chat.create', { turn: { toolCalls: [{ name: 'weather' }] } }, { turn: { text: 'done' } });
    await client(hook).chat().runWithTools(undefined, hello, [weather]);
    expectDisjoint(given, [thrown]);
  });

  test('of a job that fails', async () => {
    const { hook, given } = keeper();
    fake.answer('client.getAsyncResult', { body: { task_status: 'FAIL', id: 'task-1', error: { code: '1234' } } });
    const error = await failure(client(hook).waitForResult(undefined, 'task-1'));
    expect(isModelsvcError(error, 'task') && error.result).toMatchObject({ task_status: 'FAIL' });
    expectDisjoint(given, [error]);
  });
});
