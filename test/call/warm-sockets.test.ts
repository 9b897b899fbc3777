import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Client, type Config, type Hook, isModelsvcError } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, faults, startFakeService } from '../../src/testing/index.ts';
import { onBothWays, type SurfaceDriver, taken } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { collectedEnd, menu } from '../support/menu.ts';
import { warm } from '../support/warm.ts';

/** Only these get a second attempt: a refusal whose code allows it, or no byte of a reply. */
const retried: ReadonlySet<string> = new Set(['reset before headers', 'closed without a byte', 'HTML error page', 'rate limit']);
/** Refused by the code in a reply of status 200, or in the first event of a stream. */
const isRefusal = (name: string, stream: boolean): boolean =>
  name.startsWith('200 with a failure') || (!stream && (name === 'in-band error' || name === 'event: error'));

const open = new Set<FakeService>();
afterAll(() => Promise.all([...open].map((fake) => fake.close())));

async function newFake(): Promise<FakeService> {
  const fake = await startFakeService();
  open.add(fake);
  return fake;
}

/** How a call ended, without what differs from run to run. */
interface Outcome {
  readonly end: string;
  readonly items: number;
  readonly requests: number;
  readonly attempts: readonly string[];
  readonly facts?: object;
}

async function outcomeOf(
  fake: FakeService,
  fault: Fault,
  stream: boolean,
  driver: SurfaceDriver,
  client: Client,
  isAborted: boolean,
  seen: string[],
): Promise<Outcome> {
  seen.length = 0;
  const before = fake.requests.length;
  fake.fallback(driver.operation, fault);
  const stop = new AbortController();
  const { signal } = stop;
  // The clock of the abort begins with the request at the service.
  const aborting = isAborted
    ? until(() => fake.requests.length > before)
        .then(() => delay(300))
        .then(() => stop.abort())
    : undefined;
  let items = 0;
  let error: unknown;
  try {
    if (stream) ({ error, items } = await taken(driver.stream(client, signal)).then((got) => ({ error: got.error, items: got.items.length })));
    else await driver.create(client, signal);
  } catch (thrown) {
    error = thrown;
  }
  await aborting;
  await fake.idle({ timeoutMs: 10_000 });
  const requests = fake.requests.length - before;
  const attempts = [...seen];
  fake.fallback(driver.operation, undefined);
  if (error === undefined) return { end: 'ok', items, requests, attempts };
  if (!isModelsvcError(error)) throw error;
  if (error.kind === 'connection' && Reflect.get(error, 'replied'))
    expect(error.message).toMatch(/header is incomplete or |broke in the middle of the response/);
  const { kind, phase, replied, attempts: count, problem, status } = error as unknown as Record<string, unknown>;
  // Floods are cut at any item.
  const isFlood = fault.fault.startsWith('endless') || fault.fault === 'keepAliveOnly';
  return { end: String(kind), items: isFlood ? -1 : items, requests, attempts, facts: { phase, replied, count, problem, status } };
}

onBothWays((driver, clientFor, transport) => {
  const ways = [
    ['collected', 1, { wholeReplies: false }],
    ['stream', 1, {}],
    // The reading of JSON is the same on every surface.
    ...(driver.surface === 'chat' ? [['whole', 0, { wholeReplies: true }] as const] : []),
  ] as const;
  describe.each(ways)('%s', (how, column, form) => {
    test.each(menu)(
      '$name: the same on an idle socket as on a new one, and sent once unless a retry can help',
      async ({ name, fault, library, config }) => {
        const expected = how === 'collected' ? collectedEnd(name, library) : library[column];
        const bound = expected === 'timeout' ? 150 : 10_000;
        const run = async (isWarm: boolean): Promise<Outcome> => {
          const fake = await newFake();
          const seen: string[] = [];
          const hook: Hook = {
            onStart: () => void seen.push('start'),
            onEnd: (_operation, outcome) => void seen.push(`end ${outcome.kind}`),
            onRequest: ({ attempt }) => void seen.push(`request ${attempt}`),
            onResponse: ({ attempt }) => void seen.push(`response ${attempt}`),
            onError: ({ attempt }) => void seen.push(`error ${attempt}`),
          };
          const bounds: Partial<Config> = {
            timeout: name === 'silent before headers' ? 600 : 10_000,
            streamIdleTimeout: bound,
            streamContentTimeout: bound,
          };
          const client = clientFor(fake, { ...bounds, ...form, maxRetries: 2, hooks: [hook], ...config });
          if (isWarm) {
            // Without the bounds: a slow machine must not end these.
            await warm(fake, driver.operation, () => driver.create(clientFor(fake)));
            expect(fake.sockets).toBe(4);
          }
          const outcome = await outcomeOf(fake, fault, how === 'stream', driver, client, expected === 'abort', seen);
          await fake.close();
          open.delete(fake);
          return outcome;
        };
        const [fresh, reused] = await Promise.all([run(false), run(true)]);
        // Node's fetch counts the bytes of a socket, not of a reply: on a used one it may take this close for a broken reply, which is not sent again.
        if (transport === 'fetch' && name === 'closed without a byte') expect(reused.requests).toBeLessThanOrEqual(fresh.requests);
        else expect(reused).toEqual(fresh);
        expect(fresh.end).toBe(expected);
        expect(fresh.requests).toBe(retried.has(name) || isRefusal(name, how !== 'whole') ? 3 : 1);
        // Every request on the wire is an attempt with its own pair of hooks.
        expect(fresh.attempts.filter((one) => one.startsWith('request'))).toEqual(
          Array.from({ length: fresh.requests }, (_, attempt) => `request ${attempt}`),
        );
        expect(fresh.attempts).toHaveLength(2 * fresh.requests + 2);
        expect(fresh.attempts[0]).toBe('start');
        expect(fresh.attempts.at(-1)).toBe(`end ${{ ok: 'ok', abort: 'cancelled' }[expected] ?? 'error'}`);
      },
    );
  });

  test.each([-1, 0])('a reset on an idle socket with maxRetries %i is one request and one attempt', async (maxRetries) => {
    const fake = await newFake();
    onTestFinished(() => fake.close());
    const seen: string[] = [];
    const hooks = [{ onRequest: () => void seen.push('request'), onError: () => void seen.push('error') }];
    const client = clientFor(fake, { maxRetries, hooks });
    await warm(fake, driver.operation, () => driver.create(clientFor(fake)));
    const before = fake.requests.length;
    fake.fallback(driver.operation, faults.resetBeforeHeaders());
    await expect(driver.create(client)).rejects.toMatchObject({ kind: 'connection', replied: false, attempts: 1 });
    expect(fake.requests).toHaveLength(before + 1);
    expect(seen).toEqual(['request', 'error']);
  });
});
