// The windows of a plan as they are shown: pure functions of the reply and the time.

import { type PeakHours, type PlanEdition, peakHours, planEdition, quotaWindow } from 'modelsvc/monitor';
import type { QuotaLimit, QuotaLimits } from 'modelsvc/types';
import { cellText } from '../../terminal/reply.ts';
import { pace } from './pace.ts';

export interface WindowView {
  readonly name: string;
  /** Undefined if the service sends no figures. */
  readonly usedPercent: number | undefined;
  readonly isExhausted: boolean;
  /** It ended after the service had told its use, which is 0 since then. */
  readonly isReset: boolean;
  readonly isLow: boolean;
  readonly resetsAt: Date | undefined;
  /** Projected use at the end of the window. Undefined for a window without a start. */
  readonly projectedPercent: number | undefined;
  readonly exhaustsAt: Date | undefined;
  /** `31 of 1000`, if the limit is a count. */
  readonly count: string | undefined;
}

export interface View {
  readonly level: string | undefined;
  readonly windows: readonly WindowView[];
  readonly edition: PlanEdition;
  readonly peak: PeakHours;
}

/** `at` is when the service told the use. */
export function quotaView({ level, limits }: QuotaLimits, now: Date, at: Date = now): View {
  const edition = planEdition(limits);
  return { level: cellText(level) || undefined, windows: limits.map((limit) => windowView(limit, now, at)), edition, peak: peakHours(now, edition) };
}

function windowView(limit: QuotaLimit, now: Date, at: Date): WindowView {
  const { name, usedFraction, resetsAt, exhausted, low } = quotaWindow(limit);
  const isReset = resetsAt !== undefined && at < resetsAt && resetsAt <= now;
  const { projectedFraction, exhaustsAt } = pace(limit, now) ?? {};
  const { usage: total, currentValue: used } = limit;
  return {
    name,
    usedPercent: isReset ? 0 : usedFraction && Math.min(usedFraction * 100, 100),
    isExhausted: exhausted && !isReset,
    isReset,
    isLow: low && !isReset,
    resetsAt,
    projectedPercent: projectedFraction === undefined ? undefined : projectedFraction * 100,
    exhaustsAt,
    count: isCount(total) && isCount(used) && total > 0 ? `${used} of ${total}` : undefined,
  };
}

/** The wire object with its windows named and the peak hours. */
export function quotaJson(quota: QuotaLimits, now: Date): object {
  const { windows, peak } = quotaView(quota, now);
  return {
    ...quota,
    windows: windows.map((one) => ({
      name: one.name,
      used_percent: rounded(one.usedPercent),
      exhausted: one.isExhausted,
      resets_at: one.resetsAt?.toISOString() ?? null,
      projected_percent: rounded(one.projectedPercent),
      exhausts_at: one.exhaustsAt?.toISOString() ?? null,
    })),
    peak: { now: peak.peak, multiplier: peak.multiplier, changes_at: peak.changesAt.toISOString() },
  };
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Math.round(value * 100) / 100;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
