import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peakHours, planEdition, type QuotaWindow, quotaWindow } from '../../src/monitor/index.ts';
import { ValidationError } from '../../src/overlay/index.ts';

const hourMs = 3_600_000;
const resetAt = Date.parse('2026-07-11T12:00:00Z');

describe('quotaWindow', () => {
  const named: [name: string, durationMs: number | undefined, limit: Parameters<typeof quotaWindow>[0]][] = [
    ['five-hour', 5 * hourMs, { type: 'TOKENS_LIMIT', unit: 3, number: 5 }],
    ['weekly', 7 * 24 * hourMs, { type: 'TOKENS_LIMIT', unit: 6, number: 1 }],
    ['monthly-tools', 30 * 24 * hourMs, { type: 'TIME_LIMIT', unit: 5, number: 1 }],
    // A V3 plan counts credits in the same windows.
    ['five-hour', 5 * hourMs, { type: 'CREDIT_LIMIT', unit: 3, number: 5 }],
    ['weekly', 7 * 24 * hourMs, { type: 'CREDIT_LIMIT', unit: 6, number: 1 }],
    ['credits-1-month', 30 * 24 * hourMs, { type: 'CREDIT_LIMIT', unit: 5, number: 1 }],
    ['tokens-2-day', 48 * hourMs, { type: 'TOKENS_LIMIT', unit: 4, number: 2 }],
    ['tokens', undefined, { type: 'TOKENS_LIMIT', unit: 9, number: 1 }],
    ['tokens', undefined, { type: 'TOKENS_LIMIT' }],
    ['new-kind', undefined, { type: 'NEW_KIND', unit: 3, number: 0 }],
  ];
  it.each(named)('%s', (name, durationMs, limit) => {
    expect(quotaWindow(limit)).toMatchObject({ name, durationMs });
  });

  it('reckons the start back from the reset', () => {
    const window = quotaWindow({ type: 'TOKENS_LIMIT', unit: 3, number: 5, nextResetTime: resetAt });
    expect(window.resetsAt?.toISOString()).toBe('2026-07-11T12:00:00.000Z');
    expect(window.startsAt?.toISOString()).toBe('2026-07-11T07:00:00.000Z');
  });

  it.each([[{}], [{ nextResetTime: 0 }]])('has neither start nor reset while idle: %j', (clock) => {
    const window = quotaWindow({ type: 'TOKENS_LIMIT', unit: 3, number: 5, ...clock });
    expect([window.startsAt, window.resetsAt]).toEqual([undefined, undefined]);
  });

  it('has a reset without a start when the unit is unknown', () => {
    const window = quotaWindow({ type: 'TOKENS_LIMIT', unit: 9, number: 1, nextResetTime: resetAt });
    expect([window.startsAt, window.resetsAt?.getTime()]).toEqual([undefined, resetAt]);
  });

  const fills: [fill: Partial<Parameters<typeof quotaWindow>[0]>, expected: Pick<QuotaWindow, 'usedFraction' | 'low' | 'exhausted'>][] = [
    [{ percentage: 0 }, { usedFraction: 0, low: false, exhausted: false }],
    [{ percentage: 79 }, { usedFraction: 0.79, low: false, exhausted: false }],
    [{ percentage: 80 }, { usedFraction: 0.8, low: true, exhausted: false }],
    [{ percentage: 98 }, { usedFraction: 0.98, low: true, exhausted: false }],
    [{ percentage: 99 }, { usedFraction: 0.99, low: false, exhausted: true }],
    [
      { usage: 1000, currentValue: 850 },
      { usedFraction: 0.85, low: true, exhausted: false },
    ],
    // The percentage is rounded down, and credits may pass the limit.
    [
      { usage: 12000, currentValue: 9599, percentage: 79 },
      { usedFraction: 9599 / 12000, low: false, exhausted: false },
    ],
    [
      { usage: 12000, currentValue: 9601, percentage: 80 },
      { usedFraction: 9601 / 12000, low: true, exhausted: false },
    ],
    [
      { usage: 2000, currentValue: 2005, remaining: 0, percentage: 100 },
      { usedFraction: 1.0025, low: false, exhausted: true },
    ],
    [
      { usage: 0, currentValue: 0, percentage: 7 },
      { usedFraction: 0.07, low: false, exhausted: false },
    ],
    [
      { usage: 1000, remaining: 750 },
      { usedFraction: 0.25, low: false, exhausted: false },
    ],
    [
      { usage: 1000, remaining: 0, percentage: 98 },
      { usedFraction: 0.98, low: false, exhausted: true },
    ],
    [
      { usage: 0, currentValue: 0, remaining: 0 },
      { usedFraction: undefined, low: false, exhausted: false },
    ],
    [{}, { usedFraction: undefined, low: false, exhausted: false }],
  ];
  it.each(fills)('%j', (fill, expected) => {
    expect(quotaWindow({ type: 'TOKENS_LIMIT', ...fill })).toMatchObject(expected);
  });
});

describe('peakHours', () => {
  // 2026-07-10 is a Friday. 14:00 at UTC+8 is 06:00Z.
  it.each([
    ['before', '2026-07-10T05:59:59.999Z', false, '2026-07-10T06:00:00.000Z'],
    ['the first instant', '2026-07-10T06:00:00.000Z', true, '2026-07-10T10:00:00.000Z'],
    ['the last instant', '2026-07-10T09:59:59.999Z', true, '2026-07-10T10:00:00.000Z'],
    ['the end, and over the weekend', '2026-07-10T10:00:00.000Z', false, '2026-07-13T06:00:00.000Z'],
    ['Saturday', '2026-07-11T07:00:00.000Z', false, '2026-07-13T06:00:00.000Z'],
    ['Sunday in UTC, Monday there', '2026-07-12T17:00:00.000Z', false, '2026-07-13T06:00:00.000Z'],
    ['a Thursday evening', '2026-07-09T12:00:00.000Z', false, '2026-07-10T06:00:00.000Z'],
    ['a Monday before 1970', '1969-12-29T07:00:00.000Z', true, '1969-12-29T10:00:00.000Z'],
  ])('%s', (_name, now, peak, changesAt) => {
    const found = peakHours(new Date(now));
    expect({ ...found, changesAt: found.changesAt.toISOString() }).toEqual({ peak, multiplier: peak ? 3 : 1, changesAt });
    expect(peakHours(new Date(now), 'V3')).toEqual({ ...found, multiplier: peak ? 1 : 0.5 });
    for (const model of ['glm-5.3-flash', 'GLM-5.3-Flash', 'glm-5.3-flash-legal', 'glm-4.7', 'glm-5-turbo'])
      expect(peakHours(new Date(now), 'V2', model)).toEqual({ ...found, multiplier: peak ? 1.2 : 0.4 });
    for (const model of ['glm-5.3', 'glm-5.2', 'glm-5.3-flashx', 'no-such-model'])
      expect(peakHours(new Date(now), 'V2', model)).toEqual({ ...found, multiplier: peak ? 3 : 1 });
  });

  it('have the factors of the edition, which the rows tell', () => {
    expect(planEdition([{ type: 'CREDIT_LIMIT', unit: 6, number: 1 }, { type: 'CREDIT_LIMIT' }])).toBe('V3');
    expect(planEdition([{ type: 'TOKENS_LIMIT' }, { type: 'TIME_LIMIT' }])).toBe('V2');
    expect(planEdition([])).toBe('V2');
  });

  it('changes exactly at the time it returns', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date('1950-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }), (now) => {
        const { peak, changesAt } = peakHours(now);
        expect(changesAt > now).toBe(true);
        expect(peakHours(changesAt).peak).toBe(!peak);
        expect(peakHours(new Date(changesAt.getTime() - 1)).peak).toBe(peak);
      }),
    );
  });

  it('ends for any date', () => {
    expect(() => peakHours(new Date(Number.NaN))).toThrow(ValidationError);
    expect(peakHours(new Date(8.64e15)).multiplier).toBeGreaterThan(0);
  });
});
