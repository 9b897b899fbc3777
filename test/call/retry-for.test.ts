import { describe, expect, test } from 'vitest';
import { serviceFetch } from '../../src/fetch/index.ts';
import { allRoutes } from '../../src/generated/routes.ts';
import { type Client, type Config, type Context, type Hook, isApiError, isModelsvcError, newClient, responseInfo } from '../../src/overlay/index.ts';
import { faults, startFakeService } from '../../src/testing/index.ts';
import { onBothWays, taken, textIn } from '../support/both-ways.ts';
import { stoppedClock } from '../support/clock.ts';
import { everyOperation } from '../support/every-operation.ts';
import { failure } from '../support/failure.ts';
import { sharedFake } from '../support/fake.ts';
import { ofKind } from '../support/of-kind.ts';

const fake = await sharedFake();
const reply = { turn: { text: 'done' } };
const minute = 60_000;
const thrown = (make: () => unknown): Promise<unknown> => failure(Promise.resolve().then(make));

onBothWays((driver, clientFor) => {
  /** The service refuses until so many milliseconds of the stopped clock have passed since the first request. */
  const overloaded = (ms: number, code = '1305'): void => {
    let from: number | undefined;
    const refusal = faults.rateLimit(undefined, code);
    fake.fallback(driver.operation, () => (performance.now() - (from ??= performance.now()) < ms ? refusal : reply));
  };

  test.each([2000, minute, 5 * minute])('an overload of %i ms is outlasted', async (ms) => {
    const clock = stoppedClock();
    overloaded(ms);
    const client = clientFor(fake, { retryFor: 60 * minute, retryDelay: 200, timeout: 0 });
    const streamed = await clock.run(taken(driver.stream(client)), 500);
    expect([streamed.error, textIn(streamed.items)]).toEqual([undefined, 'done']);
    overloaded(ms);
    expect(responseInfo(await clock.run(driver.create(client), 500))?.attempts).toBeGreaterThan(1);
    expect(fake.requests.length).toBeLessThan(2 * (9 + (ms / minute) * 2.5));
  });

  test('the time is used to its end, with a last attempt there, and hooks get what is left', async () => {
    const clock = stoppedClock();
    overloaded(minute);
    const waits: (readonly [string, number | undefined, number | undefined])[] = [];
    const hook: Hook = { onRetry: (_meta, _error, delayMs, why, leftMs) => void waits.push([why, delayMs, leftMs]) };
    const error = await clock.run(failure(driver.create(clientFor(fake, { retryFor: 5000, retryDelay: 200, hooks: [hook] }))));
    expect(isApiError(error) && [error.code, error.attempts]).toEqual(['1305', waits.length]);
    expect(waits[0]?.[2]).toBe(5000);
    expect(waits.at(-1)).toEqual(['exhausted', undefined, 0]);
    expect(waits.at(-2)?.[1]).toBe(waits.at(-2)?.[2]);
    for (const [why, delayMs = 0, leftMs = 0] of waits.slice(0, -1)) expect([why, delayMs <= leftMs]).toEqual(['retried', true]);
  });

  test('a Retry-After counts against the time that is left, also above a minute', async () => {
    const clock = stoppedClock();
    fake.answer(driver.operation, faults.rateLimit({ seconds: 90 }), reply);
    const client = clientFor(fake, { retryFor: 2 * minute, timeout: 0 });
    expect(responseInfo(await clock.run(driver.create(client), 1000))?.attempts).toBe(2);
    fake.answer(driver.operation, faults.rateLimit({ seconds: 121 }));
    expect(await failure(driver.create(client))).toMatchObject({ attempts: 1, retryAfter: 121_000 });
  });

  test.each([
    ['a code that says later', faults.rateLimit(undefined, '1308'), 1],
    ['a code that says never', faults.rateLimit(undefined, '1113'), 1],
    ['400', faults.error(400, '1210'), 1],
    ['a reset after the request was sent', faults.resetBeforeHeaders(), 3],
  ])('%s keeps its rule', async (_name, fault, requests) => {
    fake.fallback(driver.operation, fault);
    await failure(driver.create(clientFor(fake, { retryFor: minute, maxRetries: 2, retryDelay: 0 })));
    expect(fake.requests).toHaveLength(requests);
  });

  test('with maxRetries above 0, that is a second bound, and refusals do not use up the retries of other failures without it', async () => {
    fake.fallback(driver.operation, faults.rateLimit({ ms: 1 }));
    expect(await failure(driver.create(clientFor(fake, { retryFor: minute, maxRetries: 2 })))).toMatchObject({ attempts: 3 });
    fake.reset();
    fake.answer(driver.operation, ...Array.from({ length: 5 }, () => faults.rateLimit({ ms: 1 })), faults.resetBeforeHeaders(), reply);
    expect(responseInfo(await driver.create(clientFor(fake, { retryFor: minute, retryDelay: 0 })))?.attempts).toBe(7);
  });

  test.each<[string, Partial<Config>, Context, number]>([
    ['maxRetries: 0 of the context over retryFor of the Config', { retryFor: minute }, { maxRetries: 0 }, 1],
    ['maxRetries: -1 of the context', { retryFor: minute }, { maxRetries: -1 }, 1],
    ['retryFor: 0 of the context, back to maxRetries', { retryFor: minute, retryDelay: 0 }, { retryFor: 0 }, 4],
    ['retryFor of the context over maxRetries: 0 of the Config', { maxRetries: 0 }, { retryFor: minute }, 6],
    ['maxRetries of the context as a bound', { retryFor: minute }, { maxRetries: 1 }, 2],
  ])('the nearest level decides: %s', async (_name, config, context, attempts) => {
    fake.answer(driver.operation, ...Array.from({ length: 5 }, () => faults.rateLimit({ ms: 1 })), reply);
    const got = await driver.create(clientFor(fake, config), context).catch((error: unknown) => error as { attempts: number });
    expect((responseInfo(got as object) ?? (got as { attempts: number })).attempts).toBe(attempts);
  });

  test('an abort ends the wait at once', async () => {
    stoppedClock();
    fake.fallback(driver.operation, faults.rateLimit());
    const leaving = new AbortController();
    const client = clientFor(fake, { retryFor: 5 * minute, hooks: [{ onRetry: () => queueMicrotask(() => leaving.abort()) }] });
    expect(await failure(driver.create(client, leaving.signal))).toMatchObject({ kind: 'abort' });
    expect(fake.requests).toHaveLength(1);
  });

  test('the retries of the gate pace the call, and do not end it', async () => {
    const clock = stoppedClock();
    overloaded(5 * minute);
    const client = clientFor(fake, { retryFor: 60 * minute, timeout: 0, concurrency: 8 });
    const calls = Promise.all(Array.from({ length: 20 }, () => driver.create(client)));
    expect(await clock.run(calls, 500)).toHaveLength(20);
  });
});

test('a refused connection is tried again until the time has passed', async () => {
  const gone = await startFakeService();
  await gone.close();
  const clock = stoppedClock();
  const starts = performance.now();
  const client = newClient({ apiKey: 'any', endpoints: gone.url, retryFor: 10_000 });
  const error = await clock.run(failure(client.models().list(undefined)), 100);
  expect(error).toMatchObject({ kind: 'connection', code: 'ECONNREFUSED' });
  expect(performance.now() - starts).toBeGreaterThanOrEqual(10_000);
});

describe('what must be sent once stays at one request', () => {
  const refusal = faults.rateLimit({ ms: 1 });

  const creations = allRoutes.filter(({ performs }) => performs === 'creation');

  test.each(creations)('$id is sent as often as without retryFor', async ({ id: operation }) => {
    const call = everyOperation[operation]?.perform as (client: Client) => Promise<unknown>;
    fake.fallback(operation as 'chat.create', refusal);
    for (const [config, requests] of [
      [{}, 4],
      [{ retryFor: minute }, 4],
      [{ retryFor: minute, maxRetries: 1 }, 2],
    ] as const) {
      const before = fake.requests.length;
      await failure(call(newClient(fake.configFor({ retryDelay: 0, ...config }))));
      expect(fake.requests.length - before).toBe(requests);
    }
    await failure(call(newClient(fake.configFor({ retryFor: minute })).with({ maxRetries: 0 })));
    expect(fake.requests).toHaveLength(11);
  });

  test('the detection probe, and the adapter whose client retries', async () => {
    fake.fallback('chat.create', refusal);
    await newClient(fake.configFor({ retryFor: minute }))
      .detection()
      .probeWithBilledChat({ retryFor: minute });
    expect(fake.requests).toHaveLength(2);
    const fetched = await serviceFetch({ baseURL: fake.url })(`${fake.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fake.configFor().apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'glm-5.3', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect([fetched.status, fake.requests.length]).toEqual([429, 3]);
  });
});

describe('fields', () => {
  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5m', null, 30 * 24 * 3_600_000])(
    'retryFor: %s is refused before any request',
    async (value) => {
      const retryFor = value as number;
      expect(await thrown(() => newClient(fake.configFor({ retryFor })))).toSatisfy(ofKind('config'));
      const error = await failure(newClient(fake.configFor()).chat().createSimple({ retryFor }, 'glm-5.3', 'hi'));
      expect(isModelsvcError(error, 'validation') && [error.path, error.operation]).toEqual(['ctx.retryFor', 'chat.createSimple']);
      expect(fake.requests).toHaveLength(0);
    },
  );

  test('with maxRetries: 0 in one object it is an error that names both; one of with replaces the other', async () => {
    const client = newClient(fake.configFor({ retryFor: minute }));
    for (const maxRetries of [0, -1]) {
      for (const make of [() => newClient(fake.configFor({ retryFor: 1, maxRetries })), () => client.with({ retryFor: 1, maxRetries })])
        expect(String(await thrown(make))).toMatch(/retryFor .*maxRetries/);
      expect(await failure(client.chat().createSimple({ retryFor: 1, maxRetries }, 'glm-5.3', 'hi'))).toSatisfy(ofKind('validation'));
    }
    const attemptsOf = async (one: ReturnType<typeof newClient>): Promise<unknown> => {
      fake.reset();
      fake.answer('chat.create', ...Array.from({ length: 5 }, () => faults.rateLimit({ ms: 1 })), reply);
      const got = await one
        .chat()
        .createSimple(undefined, 'glm-5.3', 'hi')
        .catch((error: unknown) => error);
      return isApiError(got) ? got.attempts : responseInfo(got)?.attempts;
    };
    const none = client.with({ maxRetries: 0 });
    expect(await attemptsOf(none)).toBe(1);
    expect(await attemptsOf(none.with({ timeout: 9000 }))).toBe(1);
    expect(await attemptsOf(none.with({ retryFor: minute }))).toBe(6);
    expect(await attemptsOf(client.with({ timeout: 9000 }))).toBe(6);
    expect(await attemptsOf(client.with({ retryFor: undefined, retryDelay: 0 }))).toBe(4);
    expect(await attemptsOf(client.with({ retryFor: 0, maxRetries: 0 }))).toBe(1);
  });
});
