import { describe, expect } from 'vitest';
import { ApiError, type Client, type Hook, isApiError, isModelsvcError, newClient, type RequestMeta, responseInfo } from '../../src/overlay/index.ts';
import { faults } from '../../src/testing/index.ts';
import type { LimitChange } from '../../src/types/index.ts';
import { onBothWays, taken } from '../support/both-ways.ts';
import { settled, stoppedClock, turns, until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openFake } from '../support/fake.ts';
import { test } from '../support/fixture.ts';
import { held } from '../support/held.ts';

const model = 'glm-5.2';

/** The state of the gate, without its name. */
function state(client: Client): unknown {
  const { limit, inFlight, waiting } = client.concurrency(model) ?? {};
  return [limit, inFlight, waiting];
}

onBothWays(({ create, stream, operation }, clientFor) => {
  test('a number bounds the calls in flight, and all of them succeed', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: 3 });
    const answers = held(fake, operation);
    const calls = Array.from({ length: 10 }, () => create(client));
    await until(() => answers.count === 3);
    expect(await settled(() => answers.count)).toBe(3);
    expect(state(client)).toEqual([3, 3, 7]);
    for (let done = 1; done <= 7; done++) {
      answers.release();
      await until(() => fake.requests.length === 3 + done && answers.count === 3);
    }
    answers.open();
    await Promise.all(calls);
    expect(fake.mostAtOnce).toBe(3);
    expect(state(client)).toEqual([3, 0, 0]);
  });

  test.each([1, 2, 5])("'auto' finishes 60 calls and 20 streams at a limit of %i that it does not know", async (atOnce) => {
    const { fake } = await openFake();
    fake.fallback(operation, { turn: { text: 'yes' } }).capacity({ atOnce });
    const client = clientFor(fake, { concurrency: 'auto' });
    const calls = Array.from({ length: 60 }, () => create(client));
    const streams = Array.from({ length: 20 }, () => taken(stream(client)));
    await Promise.all(calls);
    for (const { error } of await Promise.all(streams)) expect(error).toBeUndefined();
    expect(fake.mostAtOnce).toBeLessThanOrEqual(atOnce);
    expect(state(client)).toEqual([expect.any(Number), 0, 0]);
  });

  test('a stream holds its place while it runs, and gives it back once however it ends', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: 1, maxRetries: 0 });
    const controller = new AbortController();
    const ends: [string, Parameters<typeof fake.answer>[1], (items: AsyncIterableIterator<object>) => Promise<unknown>][] = [
      ['read to its end', { turn: { text: 'one two' } }, async (items) => taken(items)],
      ['left', faults.silentAfterHeaders(2), async (items) => items.return?.()],
      ['aborted', faults.silentAfterHeaders(2), async () => controller.abort()],
      ['cut off', faults.truncatedStream(), async (items) => taken(items)],
      ['failed inside', faults.inBandError(), async (items) => taken(items)],
    ];
    for (const [name, answer, end] of ends) {
      fake.reset().answer(operation, answer, { turn: { text: 'next' } });
      const items = stream(client, name === 'aborted' ? controller.signal : undefined);
      await items.next();
      if (name === 'left' || name === 'aborted') expect(client.concurrency(model)?.inFlight, name).toBe(1);
      const next = create(client);
      await turns();
      await end(items);
      await next;
      expect(state(client), name).toEqual([1, 0, 0]);
    }
  });

  test('a call inside the loop over a stream completes at a limit of 1', async ({ fake }) => {
    const text = Array.from({ length: 3000 }, (_, index) => `${index} `);
    fake.answer(operation, { turn: { text } });
    fake.fallback(operation, { turn: { text: 'inner' } });
    const client = clientFor(fake, { concurrency: 1, maxBufferedBytes: 4096 });
    let count = 0;
    for await (const _item of stream(client)) {
      count++;
      if (count % 1000 === 1) await create(client);
      if (count % 1000 === 2) expect((await taken(stream(client))).error).toBeUndefined();
    }
    expect(count).toBeGreaterThanOrEqual(3000);
    expect(state(client)).toEqual([1, 0, 0]);
  });

  test('an abort of a waiting call settles at once, and sends no request', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: 1 });
    const answers = held(fake, operation);
    const first = create(client);
    const controller = new AbortController();
    const waiting = create(client, controller.signal);
    const items = taken(stream(client, controller.signal));
    await until(() => answers.count === 1);
    controller.abort(new Error('enough'));
    expect(isModelsvcError(await failure(waiting), 'abort')).toBe(true);
    expect(isModelsvcError((await items).error, 'abort')).toBe(true);
    expect(state(client)).toEqual([1, 1, 0]);
    answers.open();
    await first;
    expect(fake.requests).toHaveLength(1);
  });

  test('a refused call keeps its place in the line, and each request is an attempt', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: 2 });
    const answers = held(fake, operation);
    const first = create(client, { priority: 0 });
    await until(() => answers.count === 1);
    fake.answer(operation, faults.rateLimit());
    const refused = create(client);
    const others = [create(client), create(client)];
    // One in flight; the refused call and the others wait.
    await until(() => client.concurrency(model)?.waiting === 3);
    expect(state(client)).toEqual([1, 1, 3]);
    const order: string[] = [];
    refused.then(() => order.push('refused'));
    for (const other of others) other.then(() => order.push('other'));
    answers.open();
    const reply = await refused;
    await Promise.all([first, ...others]);
    expect(order[0]).toBe('refused');
    expect(responseInfo(reply)).toMatchObject({ attempts: 2, waitedMs: expect.any(Number) });
  });

  test('a refusal inside a reply of status 200 teaches too, and is retried', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: { start: 9 } });
    const answers = held(fake, operation);
    const running = Array.from({ length: 3 }, () => create(client));
    await until(() => answers.count === 3);
    fake.capacity({ atOnce: 3, inside200: true });
    fake.answer(operation, faults.embeddedFailure(undefined, '1302'));
    const refused = create(client);
    await until(() => String(state(client)).startsWith('3,'));
    answers.open();
    await Promise.all(running);
    expect(responseInfo(await refused)?.attempts).toBeGreaterThan(1);
  });

  test('a refusal inside a stream teaches too', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: { start: 9 } });
    const answers = held(fake, operation);
    const running = Array.from({ length: 2 }, () => create(client));
    await until(() => answers.count === 2);
    fake.answer(operation, faults.inBandError('1302'));
    expect((await taken(stream(client))).error).toMatchObject({ code: '1302' });
    expect(state(client)).toEqual([2, 2, 0]);
    answers.open();
    await Promise.all(running);
  });

  test('without retries a call never waits for the learned limit, but waits for a number', async ({ fake }) => {
    const answers = held(fake, operation);
    const auto = clientFor(fake, { concurrency: 'auto', maxRetries: 0 });
    const calls = Array.from({ length: 5 }, () => create(auto));
    await until(() => answers.count === 5);
    fake.answer(operation, faults.rateLimit());
    expect(isApiError(await failure(create(auto)))).toBe(true);
    // It taught: five ran at the same time as it, which the limit of 2 was below.
    expect(state(auto)).toEqual([2, 5, 0]);
    answers.open();
    await Promise.all(calls);
    const again = held(fake, operation);
    const number = clientFor(fake, { concurrency: 2, maxRetries: 0 });
    const bounded = Array.from({ length: 5 }, () => create(number));
    await until(() => again.count === 2);
    expect(await settled(() => again.count)).toBe(2);
    again.open();
    await Promise.all(bounded);
  });

  test('an overload pauses every start, until one probe has succeeded', async ({ fake }) => {
    const clock = stoppedClock();
    const client = clientFor(fake, { concurrency: { start: 4 }, retryDelay: 1000, maxRetries: 9 });
    fake.fallback(operation, { turn: { text: 'well' } });
    fake.capacity({ overloaded: true });
    const calls = Promise.all(Array.from({ length: 12 }, () => create(client)));
    await until(() => fake.requests.length === 4 && fake.exchanges === 0 && client.concurrency(model)?.inFlight === 0);
    expect(await settled(() => fake.requests.length)).toBe(4);
    clock.pass(2999);
    expect(await settled(() => fake.requests.length)).toBe(4);
    fake.capacity({});
    const answers = held(fake, operation);
    // Jitter takes up to a quarter off.
    clock.pass(1001);
    await until(() => answers.count === 1);
    expect(await settled(() => answers.count)).toBe(1);
    answers.open();
    await clock.run(calls, 50);
    expect(fake.requests).toHaveLength(4 + 12);
  });

  test('a used-up quota fails every waiting call at once, with the reset time, and without a request', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: 2 });
    const answers = held(fake, operation);
    const running = create(client);
    await until(() => answers.count === 1);
    const message = 'The limit resets at 2026-12-01 08:00:00';
    fake.answer(operation, faults.error(429, '1308', message));
    const failing = Array.from({ length: 50 }, () => create(client));
    const errors = await Promise.all(failing.map(failure));
    for (const error of errors) expect(error).toMatchObject({ code: '1308', category: 'quota', serviceMessage: message });
    expect(new Set(errors).size).toBe(50);
    expect(errors.map((error) => (error as ApiError).attempts).sort()).toEqual([...Array.from({ length: 49 }, () => 0), 1]);
    expect((errors[49] as Error).message).toContain('not sent');
    expect(fake.requests).toHaveLength(2);
    // Later calls are sent one at a time, until one succeeds.
    answers.open();
    await running;
    const later = held(fake, operation);
    const calls = [create(client), create(client)];
    await until(() => later.count === 1);
    expect(await settled(() => later.count)).toBe(1);
    later.open();
    await Promise.all(calls);
  });

  test('failures other than refusals have a budget of retries, and the last error names it once it is used up', async ({ fake }) => {
    const client = clientFor(fake, { concurrency: 8 });
    fake.fallback(operation, faults.error(500, '500'));
    const errors = await Promise.all(Array.from({ length: 20 }, () => failure(create(client))));
    expect(fake.requests).toHaveLength(20 + 10);
    const told = errors.filter((error) => (error as Error).message.includes('the budget of retries for this model is used up'));
    expect(told.length).toBeGreaterThanOrEqual(16);
    expect((told[0] as Error).stack).toContain('budget of retries');
    // Five successes give one retry.
    fake.fallback(operation, { turn: { text: 'yes' } });
    for (let count = 0; count < 5; count++) await create(client);
    fake.fallback(operation, faults.error(500, '500'));
    expect(await failure(create(client))).toMatchObject({ attempts: 2 });
  });

  test('hooks see the queue and the limit: onQueue, then onRequest with the time waited, and no key anywhere', async ({ fake }) => {
    const seen: [string, ...unknown[]][] = [];
    const changes: [RequestMeta, LimitChange][] = [];
    const hook: Hook = {
      onQueue: (meta, queued) => void seen.push(['queue', meta, queued]),
      onRequest: (meta) => void seen.push(['request', meta]),
      onLimit: (meta, change) => void changes.push([meta, change]),
    };
    const throwing: Hook = {
      onQueue: () => {
        throw new Error('hook');
      },
      onLimit: async () => Promise.reject(new Error('hook')),
    };
    const client = clientFor(fake, { concurrency: { start: 1 }, hooks: [throwing, hook] });
    const answers = held(fake, operation);
    const calls = [create(client), create(client)];
    await until(() => seen.length === 2 && answers.count === 1);
    answers.open();
    await Promise.all(calls);
    expect(seen.map(([name]) => name)).toEqual(['request', 'queue', 'request']);
    const [, [, queueMeta, queued], [, requestMeta]] = seen as [unknown, [string, RequestMeta, object], [string, RequestMeta]];
    expect(queueMeta).toMatchObject({ model, attempt: 0, waitedMs: 0 });
    expect(queued).toEqual({ gate: expect.stringMatching(/^\d+$/), model, limit: 1, inFlight: 1, waiting: 1 });
    expect(requestMeta.waitedMs).toBeGreaterThanOrEqual(0);
    const change = { gate: expect.any(String), model, limit: 3, inFlight: 1, waiting: 0, because: 'ok' };
    expect(changes).toEqual([[expect.objectContaining({ model, attempt: 0, operation: expect.objectContaining({ kind: 'call' }) }), change]]);
    for (const fact of [queueMeta, queued, ...changes.flat()]) expect(Object.isFrozen(fact)).toBe(true);
    expect(JSON.stringify([seen, changes])).not.toContain('secret');
  });
});

describe('the message of a refusal', () => {
  test("points to 'auto' without a gate", async () => {
    const { fake, client } = await openFake({ maxRetries: 0, concurrency: false });
    fake.answer('chat.create', faults.rateLimit());
    const error = await failure(client.chat().createSimple(undefined, model, 'hi'));
    expect((error as Error).message).toMatch(/code 1302.*Slow down.* Set concurrency: 'auto' in the Config to queue calls\.$/);
    expect((error as Error).stack).toContain("Set concurrency: 'auto'");
  });

  test('has what was learned with one', async () => {
    const { fake, client } = await openFake({ concurrency: 4, maxRetries: 0 });
    const answers = held(fake);
    const running = [1, 2].map(() => client.chat().createSimple(undefined, model, 'hi'));
    await until(() => answers.count === 2);
    fake.answer('chat.create', faults.rateLimit());
    const error = (await failure(client.chat().createSimple(undefined, model, 'hi'))) as ApiError;
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toContain(
      'The service takes about 2 calls of glm-5.2 at once now; this was attempt 1, after 0 ms in the queue, with 0 calls waiting.',
    );
    expect(error.message).not.toContain("concurrency: 'auto'");
    expect(error.waitedMs).toBe(0);
    answers.open();
    await Promise.all(running);
  });

  test.each(['1301', '1113', '1305', '500'])('code %s has no such advice', async (code) => {
    const { fake, client } = await openFake({ maxRetries: 0 });
    fake.answer('chat.create', faults.error(429, code));
    const error = await failure(client.chat().createSimple(undefined, model, 'hi'));
    expect((error as Error).message).not.toContain('concurrency');
  });
});

describe('QueueError', () => {
  test('a call that waits for longer than queueTimeout was not sent', async ({ fake }) => {
    const answers = held(fake);
    const clock = stoppedClock();
    const client = newClient(fake.configFor({ concurrency: { max: 1, start: 1, queueTimeout: 5000 } }));
    const calls = [undefined, undefined, { queueTimeout: 9000 }, { queueTimeout: 0 }].map((ctx) => client.chat().createSimple(ctx, model, 'hi'));
    const errors = calls.map((call) => failure(call).catch(() => undefined));
    await until(() => answers.count === 1);
    clock.pass(5000);
    const error = await errors[1];
    expect(isModelsvcError(error, 'queue') && error).toMatchObject({
      reason: 'timeout',
      operation: 'chat.createSimple',
      waitedMs: 5000,
      kind: 'queue',
    });
    expect(isModelsvcError(error, 'queue') && error.state).toMatchObject({ model, limit: 1, inFlight: 1, waiting: 2 });
    expect((error as Error).message).toMatch(/waited 5000 ms for a place .* Raise queueTimeout/);
    clock.pass(4000);
    expect(await errors[2]).toMatchObject({ reason: 'timeout', waitedMs: 9000 });
    answers.open();
    expect(await errors[0]).toBeUndefined();
    expect(await errors[3]).toBeUndefined();
    expect(fake.requests).toHaveLength(2);
  });

  test('its cause is the refusal after which the call waited', async ({ fake }) => {
    const answers = held(fake);
    const client = newClient(fake.configFor({ concurrency: { max: 2, start: 2 } }));
    const running = client.chat().createSimple(undefined, model, 'hi');
    await until(() => answers.count === 1);
    fake.answer('chat.create', faults.rateLimit());
    const error = await failure(client.chat().createSimple({ queueTimeout: 20 }, model, 'hi'));
    expect(isModelsvcError(error, 'queue') && isApiError(error.cause) && error.cause.code).toBe('1302');
    answers.open();
    await running;
  });

  test('maxQueue bounds the line, and the next call fails at once', async ({ fake }) => {
    const answers = held(fake);
    const client = newClient(fake.configFor({ concurrency: { max: 1, start: 1, maxQueue: 3 } }));
    const calls = Array.from({ length: 4 }, () => client.chat().createSimple(undefined, model, 'hi'));
    const error = await failure(client.chat().createSimple(undefined, model, 'hi'));
    expect(isModelsvcError(error, 'queue') && error).toMatchObject({ reason: 'full', waitedMs: 0, state: { waiting: 3 } });
    expect((error as Error).message).toContain('not sent: the queue of glm-5.2 is full (3 waiting); raise concurrency.maxQueue');
    answers.open();
    await Promise.all(calls);
    expect(fake.requests).toHaveLength(4);
  });

  test('maxQueue is for new calls: a refused one joins the line again', async ({ fake }) => {
    const answers = held(fake);
    fake.answer('chat.create', faults.rateLimit());
    const client = newClient(fake.configFor({ concurrency: { max: 2, maxQueue: 2 }, retryDelay: 1 }));
    const calls = Promise.all(Array.from({ length: 4 }, () => client.chat().createSimple(undefined, model, 'hi')));
    await Promise.race([calls, until(() => client.concurrency(model)?.waiting === 3)]);
    answers.open();
    await calls;
    expect(fake.requests).toHaveLength(5);
  });
});
