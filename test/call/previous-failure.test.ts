// A call whose request was sent, and that ends before its next attempt: its error keeps the failure, and claims no more.

import { describe, expect } from 'vitest';
import { type ApiError, type Client, type Config, type Context, isApiError, type ModelsvcError } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, faults } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { test } from '../support/fixture.ts';
import { ofKind } from '../support/of-kind.ts';

/** The first attempt, which reaches the service and fails. */
const first: readonly [string, () => Fault, (error: unknown) => boolean][] = [
  ['a connection that broke', () => faults.resetBeforeHeaders(), ofKind('connection', 'timeout')],
  ['a failure of the service', () => faults.error(500, '1234', 'network error'), isApiError],
];

interface Scene {
  readonly clientFor: (overrides: Partial<Config>) => Client;
  readonly driver: SurfaceDriver;
  readonly fake: FakeService;
  readonly fails: Fault;
}

/** Runs `meanwhile` as soon as the first attempt has failed, and its call waits for the next one. */
function between(meanwhile: () => void): Partial<Config> {
  return { retryDelay: 1, hooks: [{ onRetry: (_meta, _error, delayMs) => delayMs !== undefined && meanwhile() }] };
}

/** The ends of a call before its second attempt, with the class of its error. */
const ends: readonly [string, string, (scene: Scene) => Promise<unknown>][] = [
  [
    'another call finds the quota used up',
    'ApiError',
    async ({ clientFor, driver, fake, fails }) => {
      let answer: ((fault: Fault) => void) | undefined;
      let other: Promise<unknown> | undefined;
      fake.answer(driver.operation, fails, () => new Promise<Fault>((resolve) => (answer = resolve)));
      const client = clientFor({ ...between(() => (other ??= failure(driver.create(client)))), concurrency: 1 });
      const call = failure(driver.create(client));
      await until(() => answer !== undefined && client.concurrency('glm-5.2')?.waiting === 1);
      answer?.(faults.error(429, '1308', 'The limit resets at 2026-12-01 08:00:00'));
      expect(((await other) as ApiError).message).not.toContain('another call');
      return call;
    },
  ],
  [
    'the queue is too slow',
    'QueueError',
    async ({ clientFor, driver, fake, fails }) => {
      const stop = new AbortController();
      let other: Promise<unknown> | undefined;
      fake.answer(driver.operation, fails, faults.silentBeforeHeaders());
      const waits: Context = { queueTimeout: 20 };
      const client = clientFor({ ...between(() => (other ??= failure(driver.create(client, stop.signal)))), concurrency: 1 });
      const error = await failure(driver.create(client, waits));
      stop.abort();
      await other;
      return error;
    },
  ],
  [
    'its caller aborts it in the queue',
    'AbortError',
    async ({ clientFor, driver, fake, fails }) => {
      const stop = new AbortController();
      const [own, others] = [new AbortController(), stop.signal];
      let other: Promise<unknown> | undefined;
      fake.answer(driver.operation, fails, faults.silentBeforeHeaders());
      const client = clientFor({ ...between(() => (other ??= failure(driver.create(client, others)))), concurrency: 1 });
      const call = failure(driver.create(client, own.signal));
      await until(() => client.concurrency('glm-5.2')?.waiting === 1);
      own.abort();
      const error = await call;
      stop.abort();
      await other;
      return error;
    },
  ],
  [
    'its caller aborts it in the wait between attempts',
    'AbortError',
    ({ clientFor, driver, fake, fails }) => {
      const own = new AbortController();
      fake.answer(driver.operation, fails);
      return failure(driver.create(clientFor({ ...between(() => own.abort()), retryDelay: 10_000 }), own.signal));
    },
  ],
  [
    'its client is closed',
    'AbortError',
    ({ clientFor, driver, fake, fails }) => {
      fake.answer(driver.operation, fails);
      const client = clientFor({ ...between(() => void client.close()), retryDelay: 10_000 });
      return failure(driver.create(client));
    },
  ],
  [
    'its key cannot be had',
    'ConfigError',
    ({ clientFor, driver, fake, fails }) => {
      let asked = 0;
      fake.answer(driver.operation, fails);
      const apiKey = (): string => (asked++ === 0 ? String(fake.configFor().apiKey) : '');
      return failure(driver.create(clientFor({ apiKey, retryDelay: 1 })));
    },
  ],
  [
    'no socket is free in time',
    'TimeoutError',
    async ({ clientFor, driver, fake, fails }) => {
      const stop = new AbortController();
      let other: Promise<unknown> | undefined;
      fake.answer(driver.operation, fails, faults.silentBeforeHeaders());
      const client = clientFor({ ...between(() => (other ??= failure(driver.create(client, stop.signal)))), retryDelay: 50, maxSockets: 1 });
      const error = await failure(driver.create(client, { timeout: 200 }));
      stop.abort();
      await other;
      return error;
    },
  ],
];

onBothWays((driver, clientFor) => {
  describe.each(['fresh', 'kept alive'])('on a connection that is %s', (socket) => {
    describe.each(first)('after %s', (_name, fault, isOwn) => {
      test.for(ends)('%s', async ([, name, end], { fake }) => {
        const scene = (overrides: Partial<Config>): Client => clientFor(fake, overrides);
        if (socket === 'kept alive') await driver.create(clientFor(fake));
        const sentBefore = fake.requests.length;
        const error = (await end({ clientFor: scene, driver, fake, fails: fault() })) as ModelsvcError;
        expect(error.name).toBe(name);
        expect(isOwn(error.previous), String(error.previous)).toBe(true);
        expect(fake.requests.length).toBeGreaterThan(sentBefore);
        // It was sent once.
        expect(error.message).not.toMatch(/was not sent(?! again after)/);
        expect(Object.keys(error)).not.toContain('previous');
      });
    });
  });

  test("the error of a break after a refusal is without the refusal's reply", async ({ fake }) => {
    fake.answer(driver.operation, faults.error(500, '1234', 'network error'), faults.resetBeforeHeaders());
    const error = await failure(driver.create(clientFor(fake, { retryDelay: 1, maxRetries: 1 })));
    expect(error).toMatchObject({ kind: 'connection', replied: false, attempts: 2, previous: { kind: 'api' } });
    expect(error).not.toHaveProperty('requestId', expect.anything());
  });
});
