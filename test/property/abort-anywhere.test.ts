import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Hook, isModelsvcError, newClient } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, faults, startFakeService } from '../../src/testing/index.ts';
import { surfaces, transports } from '../support/both-ways.ts';
import { until } from '../support/clock.ts';
import { countingSignal } from '../support/counting-signal.ts';
import { runs } from '../support/deep.ts';
import { strictRejections } from '../support/strict-rejections.ts';

let fake: FakeService;
beforeAll(async () => {
  fake = await startFakeService();
});
afterAll(() => fake.close());

const reply = { turn: { text: Array.from({ length: 20 }, (_, index) => `${index} `) } };
const anyFault: fc.Arbitrary<Fault | undefined> = fc.constantFrom<(Fault | undefined)[]>(
  undefined,
  faults.silentBeforeHeaders(),
  faults.silentAfterHeaders(3),
  faults.slowHeaders(10),
  faults.slowDrip(200, 1),
  faults.all(faults.gzip(), faults.slowDrip(100, 1)),
  faults.keepAliveOnly(2, 3),
  faults.resetMidBody(),
  faults.resetBeforeHeaders(),
  faults.truncatedStream('midFrame', 'close'),
  faults.inBandError(),
  faults.error(503, '500'),
  faults.rateLimit({ ms: 15 }),
  faults.doneThenOpen(),
);

test('an abort, or leaving, at any moment of any call leaves no socket open and no caller waiting', async () => {
  const rejections = strictRejections();
  await fc.assert(
    fc.asyncProperty(
      anyFault,
      fc.constantFrom(...transports),
      fc.constantFrom(...surfaces),
      fc.constantFrom('whole', 'stream', 'left'),
      fc.nat({ max: 30 }),
      async (fault, { overrides }, driver, how, ms) => {
        fake.reset();
        // A reply of known length is over for the client once it is there, even if the fake does not end it.
        const chosen = how === 'whole' && fault?.fault === 'silentAfterHeaders' ? faults.silentAfterHeaders() : fault;
        fake.fallback(driver.operation, chosen ? { ...chosen, reply } : reply);
        let open = 0;
        const hook: Hook = { onRequest: () => void open++, onResponse: () => void open--, onError: () => void open-- };
        const client = newClient(fake.configFor({ ...overrides, hooks: [hook], retryDelay: 5, maxRetries: 100, streamIdleTimeout: 10_000 }));
        const { controller, signal, listeners } = countingSignal();
        const run = async (): Promise<void> => {
          if (how === 'whole') return void (await driver.create(client, signal));
          const stream = driver.stream(client, signal);
          if (how === 'left') setTimeout(() => void stream.return?.(), ms);
          for await (const _ of stream);
        };
        const call = run().then(
          () => undefined,
          (error: unknown) => error,
        );
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (how !== 'left') controller.abort();
        // Most of the faults go on for ever: who is not let go of hangs.
        const error = await call;
        expect(error === undefined || isModelsvcError(error)).toBe(true);
        await fake.idle();
        // A stream that is left before its header ends its attempt, and with it its watch of the signal, a little later than the loop.
        await until(() => open === 0 && listeners() === 0);
        expect([listeners(), open]).toEqual([0, 0]);
      },
    ),
    runs(150),
  );
  expect(await rejections.settled()).toEqual([]);
});
