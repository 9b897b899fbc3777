import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pace } from '../../../src/cli/commands/quota/pace.ts';

const hourMs = 3_600_000;
const resetAt = Date.parse('2026-07-11T12:00:00Z');

describe('pace', () => {
  const limit = { type: 'TOKENS_LIMIT', unit: 3, number: 5, nextResetTime: resetAt };
  const at = (hours: number): Date => new Date(resetAt - 5 * hourMs + hours * hourMs);

  it('foresees that the limit runs out first', () => {
    const found = pace({ ...limit, percentage: 80 }, at(2));
    expect(found).toMatchObject({ elapsedFraction: 0.4, usedFraction: 0.8, projectedFraction: 2, leadMs: 2.5 * hourMs });
    expect(found?.exhaustsAt).toEqual(at(2.5));
  });

  it('foresees that it lasts', () => {
    expect(pace({ ...limit, percentage: 20 }, at(2))).toMatchObject({ projectedFraction: 0.5, exhaustsAt: undefined, leadMs: undefined });
  });

  it('makes no projection at the very start, and clamps clocks that disagree', () => {
    for (const hours of [0, -1])
      expect(pace({ ...limit, percentage: 20 }, at(hours))).toMatchObject({ elapsedFraction: 0, projectedFraction: undefined });
    expect(pace({ ...limit, percentage: 20 }, at(9))).toMatchObject({ elapsedFraction: 1, projectedFraction: 0.2 });
  });

  it.each([[{ nextResetTime: 0 }], [{ unit: 9 }], [{ percentage: undefined }]])('makes no projection without bounds or fill: %j', (gap) => {
    const { percentage, ...rest } = { ...limit, percentage: 50, ...gap };
    expect(pace({ ...rest, ...(percentage !== undefined && { percentage }) }, at(1))).toBeUndefined();
  });

  it('is undefined for an invalid now', () => {
    expect(pace({ ...limit, percentage: 50 }, new Date(Number.NaN))).toBeUndefined();
  });

  it('never foresees the end outside what is left of the window', () => {
    const minutes = fc.integer({ min: 1, max: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), minutes, (percentage, minute) => {
        const now = at(minute / 60);
        const end = pace({ ...limit, percentage }, now)?.exhaustsAt;
        // A millisecond for rounding.
        if (end) expect(end.getTime() >= now.getTime() - 1 && end.getTime() < resetAt).toBe(true);
      }),
    );
  });
});
