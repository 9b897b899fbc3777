import { describe, expect, test } from 'vitest';
import type { ApiError } from '../../src/overlay/index.ts';
import { surfaces, taken, transports } from '../support/both-ways.ts';
import { openFake } from '../support/fake.ts';

const hour = 3_600_000;
/** The service's clock, in full seconds as in HTTP dates: an hour before this machine's, the same, an hour ahead, a year before. */
const clocks = [-hour, 0, hour, -365 * 24 * hour];

/** The time as the service's messages have it. */
const wall = (ms: number): string => new Date(ms + 8 * hour).toISOString().slice(0, 19).replace('T', ' ');

describe.each(transports)('over $transport', ({ overrides }) => {
  describe.each(surfaces)('on $surface', ({ operation, create, stream }) => {
    test.each(clocks)('a wait is measured by the clock of the reply, %d ms off', async (offset) => {
      const { fake, client } = await openFake({ ...overrides, maxRetries: 0 });
      const now = Math.floor(Date.now() / 1000) * 1000 + offset;
      const date = new Date(now).toUTCString();
      const later = new Date(now + 30_000).toUTCString();
      const earlier = new Date(now - 30_000).toUTCString();
      const used = { error: { code: '1308', message: `Usage limit reached. Your limit will reset at ${wall(now + 30_000)}` } };
      const refused = { status: 429, body: { error: { code: '1302', message: 'busy' } } };
      fake.answer(
        operation,
        { ...refused, headers: { date, 'retry-after': later } },
        { ...refused, headers: { date, 'retry-after': later } },
        { ...refused, headers: { date, 'retry-after': earlier } },
        { status: 429, body: used, headers: { date } },
        { status: 200, body: used, headers: { date } },
      );
      const waits: unknown[] = [];
      for (const call of [create, stream, create, create, create]) {
        waits.push(((await settled(call(client))) as ApiError).retryAfter);
      }
      expect(waits).toEqual([30_000, 30_000, 0, 30_000, 30_000]);
    });
  });
});

async function settled(call: Promise<object> | AsyncIterable<object>): Promise<unknown> {
  if (call instanceof Promise) return call.catch((error: unknown) => error);
  return (await taken(call)).error;
}

test.each(transports)('a reply whose date is not a date is measured by this clock, over $transport', async ({ overrides }) => {
  const { fake, client } = await openFake({ ...overrides, maxRetries: 0 });
  const later = new Date(Date.now() + hour).toUTCString();
  fake.answer('models.list', { status: 503, body: {}, headers: { date: 'today', 'retry-after': later } });
  const error = (await client
    .models()
    .list(undefined)
    .catch((cause: unknown) => cause)) as ApiError;
  expect(error.retryAfter).toBeGreaterThan(0);
  expect(error.retryAfter).toBeLessThanOrEqual(hour);
});
