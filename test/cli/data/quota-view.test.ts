import type { QuotaLimits } from 'modelsvc';
import { describe, expect, it } from 'vitest';
import { barsText } from '../../../src/cli/commands/quota/bars.ts';
import { statusline } from '../../../src/cli/commands/quota/statusline.ts';
import { quotaView } from '../../../src/cli/commands/quota/view.ts';
import { plain } from '../../../src/cli/terminal/terminal.ts';
import { momentText, shortWait, waitText } from '../../../src/cli/terminal/time-text.ts';

// A Wednesday, 10:00 on the service's clock.
const now = new Date('2026-08-05T02:00:00Z');
const in_ = (minutes: number): number => now.getTime() + minutes * 60_000;

const quota: QuotaLimits = {
  level: 'pro',
  limits: [
    { type: 'TOKENS_LIMIT', unit: 3, number: 5, percentage: 80, nextResetTime: in_(150) },
    { type: 'TOKENS_LIMIT', unit: 6, number: 1, percentage: 100, nextResetTime: in_(3 * 1440 + 240) },
    { type: 'TIME_LIMIT', unit: 5, number: 1, usage: 1000, currentValue: 119, percentage: 11, nextResetTime: in_(20 * 1440) },
    { type: 'TOKENS_LIMIT', unit: 4, number: 1, percentage: 0 },
    { type: '限制', percentage: 12 },
  ],
};

describe('the windows of a plan', () => {
  it('have a bar, the used share, the reset and the pace', () => {
    const lines = barsText(quotaView(quota, now), now, plain, 200).split('\n');
    expect(lines[0]).toBe('Plan: pro');
    expect(lines[3]).toMatch(/^five-hour +█{16}░{4} +80 % +in 2 h 30 min \(.+\) +runs out in 38 min, 1 h 53 min early$/);
    expect(lines[4]).toMatch(/^weekly +█{20} +100 % +in 3 d 4 h \(.+\) +used up$/);
    // The count is more exact than the percentage.
    expect(lines[5]).toMatch(/^monthly-tools +█{2}░{18} +11 % +119 of 1000 +in 20 d 0 h/);
    expect(lines[6]).toMatch(/^tokens-1-day +░{20} +0 % +idle$/);
    expect(lines.at(-1)).toMatch(/^Off-peak: tokens of glm-5\.3 count once, those of glm-5\.3-flash 0\.4 times\. Peak hours begin in 4 h 0 min/);
  });

  it('are aligned by the width of wide characters', () => {
    const lines = barsText(quotaView(quota, now), now, plain, 200).split('\n');
    const [weekly = '', foreign = ''] = [lines[4], lines.find((line) => line.startsWith('限制'))];
    expect(foreign.indexOf('█') + '限制'.length).toBe(weekly.indexOf('█'));
  });

  it('fit in one line for a status bar', () => {
    expect(statusline(quotaView({ ...quota, limits: quota.limits.slice(0, 3) }, now), now, plain)).toBe(
      'pro 5h 80% 2h30m | week 100% 3d4h | tools 11% 20d0h',
    );
    const peak = new Date('2026-08-05T07:00:00Z');
    expect(statusline(quotaView({ ...quota, limits: quota.limits.slice(3, 4) }, peak), peak, plain)).toBe('pro tokens-1-day 0% | peak 3x');
    expect(statusline(quotaView({ limits: [] }, now), now, plain)).toBe('no plan');
  });

  it('without a plan, the text has no windows', () => {
    expect(barsText(quotaView({ limits: [] }, now), now, plain, 80)).toBe('No coding plan.');
    expect(barsText(quotaView({ level: 'pro', limits: [] }, now), now, plain, 80)).toContain('the use of this plan is not told');
  });

  it('contain no control characters of the service', () => {
    const text = barsText(quotaView({ level: 'p\x1b[2Jro', limits: [{ type: 'A\x1b]0;x\x07B' }] }, now), now, plain, 80);
    expect(text).not.toContain('\x1b');
    expect(text).toMatch(/^Plan: pro$/m);
  });
});

describe('times', () => {
  it.each([
    [500, '1 s', '1s'],
    [59_000, '59 s', '59s'],
    [90 * 60_000, '1 h 30 min', '1h30m'],
    [26 * 3_600_000, '1 d 2 h', '1d2h'],
  ])('%i ms', (ms, long, short) => {
    expect([waitText(ms), shortWait(ms)]).toEqual([long, short]);
  });

  it('are shown with the day only if it is another one', () => {
    const noon = new Date(2026, 7, 5, 12);
    expect(momentText(new Date(2026, 7, 5, 14, 5), noon)).toBe('14:05');
    expect(momentText(new Date(2026, 7, 6, 0, 5), noon)).toBe('Thu 00:05');
    expect(momentText(new Date(2026, 8, 6), noon)).toBe('2026-09-06');
  });
});
