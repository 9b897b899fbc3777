import type { ModelUsage } from '../../generated/types.ts';
import type { Settings } from '../call/settings.ts';
import type { CallContext } from '../context.ts';
import { type PeakHours, peakHours } from '../monitor/peak-hours.ts';
import { type QuotaWindow, quotaWindow } from '../monitor/quota-windows.ts';
import { getLimit, getModelUsage, type QuotaLimits } from './quota.ts';

/** The plan at a glance. */
export interface UsageSummary {
  readonly quota: QuotaLimits;
  /** `quota.limits`, named, in the same order. */
  readonly windows: readonly QuotaWindow[];
  /** Start of the hour 24 hours ago. */
  readonly start: Date;
  /** Last second of the current hour. */
  readonly end: Date;
  /** Calls and tokens from `start` to `end`, in hourly steps. */
  readonly modelUsage: ModelUsage;
  /** Whether tokens count more at the moment. */
  readonly peak: PeakHours;
}

const hourMs = 60 * 60 * 1000;

/** What has been used. `usageMeter` counts the calls of this process, `estimateCost` prices them. */
export class Usage {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The plan's limits and the use of the last 24 hours, from two monitor calls, which are free. Fails when either fails. */
  async summary(ctx: CallContext): Promise<UsageSummary> {
    const operation = 'usage.summary';
    const now = new Date();
    // The service's hours are the hours of UTC: its clock is a whole number of hours ahead.
    const hour = Math.floor(now.getTime() / hourMs) * hourMs;
    const start = new Date(hour - 24 * hourMs);
    const end = new Date(hour + hourMs - 1000);
    const [quota, modelUsage] = await Promise.all([
      getLimit(this.#settings, ctx, operation),
      getModelUsage(this.#settings, ctx, operation, { start, end }),
    ]);
    return { quota, windows: quota.limits.map(quotaWindow), start, end, modelUsage, peak: peakHours(now) };
  }
}
