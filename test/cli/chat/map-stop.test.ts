// When `map` ends before its last row, it begins no new call, and loses no answer of a call that was sent.
import { type FakeRequest, type FakeService, type Fault, faults, type Reply } from 'modelsvc/testing';
import { describe, expect, it } from 'vitest';
import { rowOf, until, withRows } from '../support/rows.ts';
import { ends } from '../support/run.ts';

const paid: Reply = { turn: { text: 'paid' } };
const ended = (fake: FakeService, row: number): boolean => fake.requests.some((one) => rowOf(one) === row && one.outcome === 'answered');

/** Ends of the run: row 0 gets one. The budget is used up by its answer. */
const reasons: Readonly<Record<string, { readonly code: number; readonly answer: Reply | Fault; readonly args?: readonly string[] }>> = {
  budget: { code: 5, answer: paid, args: ['--budget', '1tokens'] },
  1308: { code: 5, answer: faults.error(429, '1308', 'used up') },
  1113: { code: 5, answer: faults.error(429, '1113', 'no balance') },
  401: { code: 3, answer: faults.error(401, '1000', 'bad key') },
};

/** Where row 1 is at the end of the run; the other rows have no header. `later` waits until the end of row 0 has arrived. */
const moments: Readonly<Record<string, (later: Promise<void>) => Reply | Fault | Promise<Reply | Fault>>> = {
  'half-arrived': () => ({ ...faults.slowDrip(1500, 20), reply: { turn: { text: 'half of an answer '.repeat(40) } } }),
  'without a header': async (later) => later.then(() => ({ turn: { text: 'late' } })),
  'refused later': async (later) => later.then(() => faults.error(503, '1234', 'busy', { 'retry-after': '60' })),
  'about to be tried again': () => faults.error(503, '1234', 'busy', { 'retry-after': '60' }),
};

const table = Object.keys(reasons).flatMap((reason) =>
  Object.keys(moments).flatMap((moment) => [2, 4].map((places) => [reason, places, moment] as const)),
);

describe('map, ended by a reason that every row has', () => {
  it.each(table)('%s, %i calls at once, one of them %s: what was sent is kept, and no more is sent', async (reason, places, moment) => {
    const { fake, map, results } = await withRows(12);
    const { code, answer, args = [] } = reasons[reason] as (typeof reasons)[string];
    const isRetried = moment === 'about to be tried again';
    // The place of a call that waits for its next attempt is free for another row.
    const sent = places + (isRetried ? 1 : 0);
    const later = (async () => {
      await until(() => ended(fake, 0));
      await new Promise((resolve) => setTimeout(resolve, 200));
    })();
    fake.fallback('chat.create', async (request: FakeRequest) => {
      const row = rowOf(request);
      if (row === 1) return (await moments[moment]?.(later)) ?? paid;
      if (row > 0) return later.then(() => ({ turn: { text: 'late' } }));
      await until(() => fake.requests.length === sent);
      return answer;
    });
    expect(await map('-O', 'out.jsonl', '--concurrency', String(places), '-m', 'glm-5.1', ...args)).toMatchObject(ends(code, ''));
    const rows = Array.from({ length: sent }, (_, row) => row);
    expect(fake.requests.map(rowOf).sort((a, b) => a - b)).toEqual(rows);
    expect(fake.requests.filter(({ outcome }) => outcome !== 'answered')).toEqual([]);
    const kept = rows.filter((row) => !(row === 1 && (isRetried || moment === 'refused later')) && !(row === 0 && reason !== 'budget'));
    expect((await results()).map(({ index, error }) => [index, error]).sort()).toEqual(kept.map((row) => [row, undefined]).sort());
    fake.fallback('chat.create', () => ({ turn: { text: 'again' } }));
    expect(await map('-O', 'out.jsonl', '-m', 'glm-5.1')).toMatchObject({ code: 0 });
    expect(fake.requests.slice(sent)).toHaveLength(12 - kept.length);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('%s aborts what is still open', async (signal) => {
    const { fake, mapWith, results } = await withRows(12);
    fake.fallback('chat.create', async (request) => {
      if (rowOf(request) > 1) return faults.silentBeforeHeaders();
      await until(() => fake.requests.length === 4);
      return rowOf(request) === 1 ? paid : until(() => ended(fake, 1)).then(() => faults.error(429, '1113', 'no balance'));
    });
    const run = mapWith(
      { onStart: (child) => void until(() => ended(fake, 0)).then(() => child.kill(signal)) },
      ...['-O', 'out.jsonl', '--concurrency', '4'],
    );
    expect(await run).toMatchObject(ends(signal === 'SIGINT' ? 130 : 143, '1 answered, 0 failed'));
    expect((await results()).map(({ index }) => index)).toEqual([1]);
  });
});
