// Random worlds of calls against a fake that keeps the bill: the budget books at least what is billed, and no error denies it.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { defineTool, isModelsvcError, newBudget, newClient } from '../../src/overlay/index.ts';
import { type FakeService, type Fault, faults, startFakeService } from '../../src/testing/index.ts';
import { looped, type SurfaceDriver, surfaces, textIn, transports } from '../support/both-ways.ts';
import { runs } from '../support/deep.ts';

let fake: FakeService;
beforeAll(async () => {
  fake = await startFakeService();
});
afterAll(() => fake.close());

const pieces = 12;
const words = Array.from({ length: pieces }, (_, index) => `w${index} `);
const tool = { turn: { toolCalls: [{ name: 'clock', arguments: {} }], usage: { input: 30, output: 5 } } };
const clock = defineTool({ name: 'clock', description: 'The time', input: { type: 'object' }, run: () => 'noon' });

/** Acts of the service with one attempt. */
const acts = ['answer', 'answer', 'answer', 'refuse', 'lose', 'cut', 'reset', 'unread'] as const;
type Act = (typeof acts)[number];
const faultOf: Readonly<Record<Act, Fault | undefined>> = {
  answer: undefined,
  refuse: faults.rateLimit({ ms: 1 }),
  lose: faults.resetBeforeHeaders(),
  cut: faults.truncatedStream(),
  reset: faults.resetMidBody(),
  unread: faults.emptyBody(),
};

const call = fc.record({
  how: fc.constantFrom('whole', 'stream', 'left', 'slow', 'loop'),
  acts: fc.array(fc.constantFrom(...acts), { minLength: 1, maxLength: 4 }),
  leaveAfter: fc.nat({ max: pieces }),
});

interface Billed {
  /** Attempts that the service has worked on. */
  count: number;
  /** Tokens of the attempts whose counts or bytes the client has seen. */
  seen: number;
}

async function world(
  driver: SurfaceDriver,
  client: ReturnType<typeof newClient>,
  calls: readonly (typeof call extends fc.Arbitrary<infer T> ? T : never)[],
) {
  const bills: Billed[] = calls.map(() => ({ count: 0, seen: 0 }));
  const turns = calls.map(() => 0);
  fake.fallback(driver.operation, (request) => {
    const index = Number(/call (\d+)\./.exec(JSON.stringify(request.body))?.[1]);
    const { acts: list, how } = calls[index] as (typeof calls)[number];
    const turn = turns[index] ?? 0;
    turns[index] = turn + 1;
    const act = list[turn % list.length] as Act;
    const bill = bills[index] as Billed;
    if (act !== 'refuse') bill.count++;
    const input = 20 + index;
    if (act === 'answer' && how !== 'left') bill.seen += how === 'loop' && turn === 0 ? 35 : input + pieces;
    const reply = how === 'loop' && turn === 0 ? tool : { turn: { text: words, usage: { input, output: pieces } } };
    const fault = faultOf[act];
    return fault ? { ...fault, reply } : reply;
  });
  let slow = Promise.resolve();
  const ends = await Promise.all(
    calls.map(async ({ how, leaveAfter }, index) => {
      const request = driver.request(`call ${index}.`, { stream_tool_call: undefined });
      const service = driver.service(client);
      const items: object[] = [];
      try {
        if (how === 'whole') await service.create(undefined, request);
        else if (how === 'loop') await looped(driver, client, { stream: index % 2 === 0, tools: [clock], request });
        else
          for await (const item of service.stream(undefined, request)) {
            items.push(item);
            if (how === 'left' && items.length > leaveAfter) break;
            // The others go on in the meantime.
            if (how === 'slow') await (slow = slow.then(() => new Promise((resolve) => setImmediate(resolve))));
          }
        return { error: undefined, isLeft: how === 'left', items };
      } catch (error) {
        return { error, isLeft: false, items };
      }
    }),
  );
  return { bills, ends };
}

const worlds = fc.array(call, { minLength: 1, maxLength: 50 });

test('what is booked is at least what was billed where it was seen, and billed is never `no` for an attempt on the bill', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      worlds,
      fc.constantFrom(...transports),
      fc.constantFrom(...surfaces),
      fc.constantFrom(undefined, 1, 4),
      fc.nat({ max: 2 }),
      async (calls, { overrides }, driver, concurrency, maxRetries) => {
        fake.reset();
        const budget = newBudget({ tokens: 1e12 });
        const client = newClient(fake.configFor({ ...overrides, budget, concurrency, maxRetries, retryDelay: 1 }));
        const { bills, ends } = await world(driver, client, calls);
        // Of an answer that was cut off or left, each piece that the reader has seen is a token.
        const parts = ends.filter(({ error, isLeft }) => isLeft || error !== undefined).map(({ items }) => textIn(items).split(' ').length - 1);
        const seen = [...bills.map((bill) => bill.seen), ...parts].reduce((sum, one) => sum + one, 0);
        answered += ends.filter(({ error }) => error === undefined).length;
        expect(budget.spent.tokens).toBeGreaterThanOrEqual(seen);
        for (const [index, { error }] of ends.entries()) {
          if (error === undefined) continue;
          expect(isModelsvcError(error)).toBe(true);
          if (isModelsvcError(error)) expect([index, error.billed === 'no']).toEqual([index, (bills[index] as Billed).count === 0]);
        }
        await client.close();
      },
    ),
    runs(40),
  );
  // The worlds are not vacuous.
  expect(answered).toBeGreaterThan(10);
});

test('what passes a limit is at most what was in flight when it was reached', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 900 }),
      fc.constantFrom(...surfaces),
      async (count, concurrency, limit, driver) => {
        fake.reset();
        Reflect.deleteProperty(globalThis, Symbol.for('modelsvc.gates'));
        const budget = newBudget({ tokens: limit });
        const client = newClient(fake.configFor({ budget, concurrency: { start: concurrency, max: concurrency } }));
        const calls = Array.from({ length: count }, (_, index) => ({
          how: index % 3 === 0 ? ('slow' as const) : ('stream' as const),
          acts: ['answer' as const],
          leaveAfter: 0,
        }));
        const { bills, ends } = await world(driver, client, calls);
        // The largest answer has 20 + 49 + 12 tokens.
        expect(budget.spent.tokens).toBeLessThan(limit + concurrency * 81);
        expect(ends.every(({ error }) => error === undefined || isModelsvcError(error, 'budget'))).toBe(true);
        expect(bills.map((bill) => bill.count)).toEqual(ends.map(({ error }) => (error === undefined ? 1 : 0)));
        await client.close();
      },
    ),
    runs(20),
  );
});
