import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Learner, type Situation } from '../../src/overlay/concurrency/learner.ts';
import { type Run, simulate } from '../support/limit-simulation.ts';

const scene = (facts: Partial<Situation> = {}): Situation => ({ now: 0, others: 0, ceiling: 1000, retried: false, random: 0, ...facts });

describe('the limit', () => {
  test('grows by two per success while a call waits, and only up to what that call may share', () => {
    const learner = new Learner(2, 1);
    const after = (ceiling: number): number => {
      learner.learn(learner.start(0), 'ok', scene({ ceiling }));
      return learner.limit;
    };
    expect([0, 2, 3, 3, 10, 10].map(after)).toEqual([2, 2, 3, 3, 5, 7]);
  });

  test('is read off a refusal: the others in flight, and the successes since the request was sent', () => {
    const learner = new Learner(10, 1);
    const starts = Array.from({ length: 8 }, () => learner.start(0));
    for (const start of starts.slice(0, 3)) learner.learn(start, 'ok', scene({ ceiling: 0 }));
    expect(learner.limit).toBe(10);
    learner.learn(starts[7] as never, 'refused', scene({ others: 4 }));
    expect(learner.limit).toBe(7);
  });

  test('is read off a slow refusal without the requests that were sent after it', () => {
    const learner = new Learner(10, 1);
    const starts = Array.from({ length: 5 }, () => learner.start(0));
    for (const start of starts.slice(0, 3)) learner.learn(start, 'ok', scene({ ceiling: 0, others: 1 }));
    for (let now = 2; now < 5; now++) learner.start(now);
    learner.learn(starts[4] as never, 'refused', scene({ now: 10, others: 4 }));
    expect(learner.limit).toBe(4);
  });

  test('falls to 70 % after three refusals that the own calls do not explain', () => {
    const learner = new Learner(10, 1);
    for (const limit of [10, 10, 7]) {
      learner.learn(learner.start(0), 'refused', scene({ others: 10 }));
      expect(learner.limit).toBe(limit);
    }
  });

  test('does not fall for requests from before the last cut', () => {
    const learner = new Learner(10, 1);
    const old = Array.from({ length: 9 }, () => learner.start(0));
    learner.learn(old[0] as never, 'refused', scene({ others: 4 }));
    for (const start of old.slice(1)) learner.learn(start, 'refused', scene({ others: 4 }));
    expect(learner.limit).toBe(4);
  });

  test('is tried from time to time beyond the wall, and the wall goes with a clean round', () => {
    const learner = new Learner(4, 1);
    learner.learn(learner.start(0), 'refused', scene({ others: 2 }));
    const success = (now: number): number => {
      learner.learn(learner.start(now), 'ok', scene({ now, others: 1 }));
      return learner.limit;
    };
    expect([1, 2, 4.9].map(success)).toEqual([2, 2, 2]);
    expect([5, 6, 7].map(success)).toEqual([3, 3, 3]);
    expect([8, 9, 10].map(success)).toEqual([3, 5, 7]);
  });

  test('is not tried while a refused call is retried', () => {
    const learner = new Learner(2, 1);
    learner.learn(learner.start(0), 'refused', scene({ others: 2 }));
    const success = (retried: boolean): number => {
      learner.learn(learner.start(100), 'ok', scene({ now: 100, retried }));
      return learner.limit;
    };
    expect([true, true, false].map(success)).toEqual([2, 2, 3]);
  });

  test('falls back to the wall when the trial is refused, and waits longer for the next', () => {
    const learner = new Learner(2, 1);
    const refuse = (now: number): unknown => learner.learn(learner.start(now), 'refused', scene({ now, others: 2 }));
    const succeed = (now: number): number => {
      learner.learn(learner.start(now), 'ok', scene({ now }));
      return learner.limit;
    };
    refuse(0);
    const waits: number[] = [];
    for (let [now, since] = [0, 0]; waits.length < 6; now++) {
      if (succeed(now) === 2) continue;
      waits.push(now - since);
      since = now;
      refuse(now);
      expect(learner.limit).toBe(2);
    }
    expect(waits).toEqual([5, 10, 20, 40, 50, 50]);
  });
});

describe('an overload', () => {
  test('pauses all starts, lets one probe through, and continues with half', () => {
    const learner = new Learner(8, 1);
    learner.learn(learner.start(0), 'overloaded', scene());
    expect([learner.startsAt(0), learner.limit]).toEqual([4, 1]);
    const probe = learner.start(4);
    expect(learner.startsAt(1)).toBeUndefined();
    learner.leave(probe);
    learner.learn(probe, 'ok', scene({ now: 5, ceiling: 0 }));
    expect(learner.limit).toBe(4);
    expect(learner.startsAt(1)).toBe(4);
  });

  test('cuts once, whatever the older requests report, and their successes do not end the pause', () => {
    const learner = new Learner(8, 1);
    const old = Array.from({ length: 8 }, () => learner.start(0));
    for (const start of old.slice(0, 4)) learner.learn(start, 'overloaded', scene());
    expect(learner.startsAt(4)).toBe(4);
    for (const start of old.slice(4, 6)) learner.learn(start, 'ok', scene());
    expect(learner.limit).toBe(1);
    const probe = learner.start(4);
    learner.leave(probe);
    learner.learn(probe, 'ok', scene({ ceiling: 0 }));
    expect(learner.limit).toBe(4);
    for (const start of old.slice(6)) learner.learn(start, 'overloaded', scene({ now: 100 }));
    expect([learner.limit, learner.startsAt(0)]).toEqual([4, 4]);
  });

  test('pauses longer after each failed probe, up to 150 units, and never shorter', () => {
    const learner = new Learner(8, 1);
    const pauses: number[] = [];
    for (let now = 0; pauses.length < 8; now = learner.startsAt(0) as number) {
      const start = learner.start(now);
      learner.leave(start);
      learner.learn(start, 'overloaded', scene({ now }));
      pauses.push((learner.startsAt(0) as number) - now);
    }
    expect(pauses).toEqual([4, 8, 16, 32, 64, 128, 150, 150]);
    // Half of the limit at the first overload, not of a half of a half.
    const probe = learner.start(1e6);
    learner.learn(probe, 'ok', scene({ ceiling: 0 }));
    expect(learner.limit).toBe(4);
  });

  test('has jitter, and never lasts longer than the backoff of the call', () => {
    const learner = new Learner(8, 1);
    learner.learn(learner.start(0), 'overloaded', scene({ random: 1 }));
    expect(learner.startsAt(0)).toBe(3);
  });
});

test('a refusal without own calls in flight pauses, and lets another call start first', () => {
  const learner = new Learner(4, 1);
  expect(learner.learn(learner.start(0), 'refused', scene({ now: 10 }))).toBe(true);
  expect(learner.startsAt(0)).toBe(11);
  const probe = learner.start(11);
  expect(learner.learn(probe, 'refused', scene({ now: 11 }))).toBe(true);
  expect(learner.startsAt(0)).toBe(13);
});

test('a refusal for the rate spaces the starts, more after each and less after successes', () => {
  const learner = new Learner(100, 1);
  const gap = (now: number): number => {
    learner.start(now);
    return (learner.startsAt(0) as number) - now;
  };
  const refuse = (now: number): unknown => learner.learn(learner.start(now), 'refused', scene({ now, others: 99 }), true);
  expect(gap(0)).toBe(0);
  refuse(1);
  expect(gap(10)).toBe(0.25);
  refuse(20);
  expect(gap(30)).toBe(0.5);
  for (let now = 40; now < 60; now++) refuse(now);
  expect(gap(1000)).toBe(25);
  for (let now = 0; now < 100; now++) learner.learn(learner.start(now), 'ok', scene({ now, ceiling: 0 }));
  expect(gap(10_000)).toBe(0);
});

describe('times, as multiples of `retryDelay`', () => {
  /** The time from `now` to the next start, after a refusal or an overload at `now`. */
  const timeAfter = (event: 'overloaded' | 'refused' | 'too fast') => (learner: Learner, now: number) => {
    const start = learner.start(now);
    learner.leave(start);
    const others = event === 'too fast' ? 99 : 0;
    learner.learn(start, event === 'overloaded' ? event : 'refused', scene({ now, others }), event === 'too fast');
    return (learner.startsAt(0) as number) - now;
  };

  /** The time from a refusal at `now` to the trial that is refused next. */
  const untilTrial = (learner: Learner, now: number): number => {
    learner.learn(learner.start(now), 'refused', scene({ now, others: learner.limit }));
    for (let time = now; ; time++) {
      learner.learn(learner.start(time), 'ok', scene({ now: time }));
      if (learner.limit > 2) return time - now;
    }
  };

  test.each<[string, (learner: Learner, now: number) => number, least: number, most: number]>([
    ['a pause after an overload', timeAfter('overloaded'), 4, 150],
    ['a pause after a refusal while no other call runs', timeAfter('refused'), 1, 150],
    ['a gap between two calls after code 1303', timeAfter('too fast'), 0.25, 25],
    ['a wait until one call more than the refused limit is tried', untilTrial, 5, 50],
  ])('%s: grows between two bounds', (_name, timeOf, least, most) => {
    const learner = new Learner(2, 1);
    const units = Array.from({ length: 20 }, (_, round) => timeOf(learner, round * 1000));
    expect([Math.min(...units), Math.max(...units)]).toEqual([least, most]);
  });
});

test('starts that do not wait for their turn do not delay the others by more than one gap', () => {
  const learner = new Learner(100, 1);
  learner.learn(learner.start(0), 'refused', scene({ others: 99 }), true);
  for (let count = 0; count < 1000; count++) learner.start(1);
  expect(learner.startsAt(0)).toBe(1.25);
});

test('a used-up quota lets one call at a time through, until one succeeds', () => {
  const learner = new Learner(8, 1);
  learner.learn(learner.start(0), 'exhausted', scene());
  expect([learner.limit, learner.startsAt(0)]).toEqual([1, 0]);
  const one = learner.start(0);
  expect(learner.startsAt(1)).toBeUndefined();
  learner.leave(one);
  learner.learn(one, 'ok', scene({ ceiling: 0 }));
  expect(learner.limit).toBe(8);
});

describe('in a simulation', () => {
  const ratio = ({ requests, successes }: Run): number => requests / successes;

  test.each([
    [1, 1.15, 1.1],
    [4, 1.15, 1.1],
    [16, 1.15, 1.2],
  ])('200 calls at a limit of %i all succeed, with at most %f requests each, in %f of the ideal time', (limit, requests, time) => {
    const run = simulate({ calls: 200, limitAt: () => limit });
    expect(run.successes).toBe(200);
    expect(ratio(run)).toBeLessThanOrEqual(requests);
    expect(run.makespan).toBeLessThanOrEqual((time * 200 * 5) / limit);
  });

  test.each([1, 2])('no call is the victim of four trials, although requests overtake each other, at a limit of %i', (limit) => {
    for (let seed = 1; seed <= 100; seed++) {
      // A linear congruential generator: the same numbers in each run.
      let state = seed * 7919;
      const random = (): number => (state = (state * 1664525 + 1013904223) % 2 ** 32) / 2 ** 32;
      const run = simulate({ calls: 200, limitAt: () => limit, serviceTime: 20, travelTime: 0.5, random });
      expect(run.successes, `seed ${seed}`).toBe(200);
    }
  });

  test("the limit follows the service's from 4 to 2 to 8", () => {
    const run = simulate({ calls: 200, limitAt: (now) => (now < 80 ? 4 : now < 160 ? 2 : 8) });
    expect(run.successes).toBe(200);
    expect(ratio(run)).toBeLessThanOrEqual(1.15);
    expect(run.limits[1]).toBeGreaterThanOrEqual(8);
    expect(run.limits[1]).toBeLessThanOrEqual(16);
  });

  test('an overload of 75 units in the middle of 200 calls costs at most two of them', () => {
    const run = simulate({ calls: 200, limitAt: () => 4, isOverloaded: (now) => now >= 50 && now < 125 });
    expect(run.successes).toBeGreaterThanOrEqual(198);
  });

  test('a slow refusal is not an endless fall', () => {
    const run = simulate({ calls: 200, limitAt: () => 4, refusalTime: 10 });
    expect(run.successes).toBe(200);
    expect(ratio(run)).toBeLessThanOrEqual(1.5);
  });

  test('whatever the service does, every call is started, the limit stays from 1 to the ceiling, and it recovers', () => {
    const schedule = fc.array(
      fc.record({ limit: fc.integer({ min: 1, max: 20 }), foreign: fc.integer({ min: 0, max: 20 }), overloaded: fc.boolean() }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(
        schedule,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
        (phases, start, max, refusalTime, randoms) => {
          const at = (now: number): (typeof phases)[number] => phases[Math.floor(now / 40)] ?? { limit: 5, foreign: 0, overloaded: false };
          const run = simulate({
            calls: 120,
            limitAt: (now) => at(now).limit,
            foreignAt: (now) => at(now).foreign,
            isOverloaded: (now) => at(now).overloaded,
            start,
            max,
            refusalTime,
            random: () => randoms.next().value as number,
          });
          // `simulate` throws if a call is never started.
          expect(run.limits[0]).toBeGreaterThanOrEqual(1);
          expect(run.limits[1]).toBeLessThanOrEqual(Math.max(Math.min(start, max), max));
          // Once the service is well again, everything succeeds.
          const { learner } = run;
          for (let now = 1e6; now < 1e6 + 500; now++) {
            const begun = learner.start(now);
            learner.leave(begun);
            learner.learn(begun, 'ok', scene({ now, others: 0, ceiling: 5 }));
          }
          expect(learner.limit).toBeGreaterThanOrEqual(5);
          expect(learner.startsAt(0)).toBeLessThan(1e6 + 600);
        },
      ),
      { numRuns: 300 },
    );
  });
});
