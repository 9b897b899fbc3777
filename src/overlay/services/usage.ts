import type { ModelUsage } from '../../generated/types.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { type PeakHours, peakHours } from '../monitor/peak-hours.ts';
import { planEdition, type QuotaWindow, quotaWindow } from '../monitor/quota-windows.ts';
import { getLimit, getModelUsage, type QuotaLimits } from './quota.ts';

/** Summary of the plan and its use. */
export interface UsageSummary {
  readonly quota: QuotaLimits;
  /** `quota.limits` with names, in the same order. */
  readonly windows: readonly QuotaWindow[];
  /** Start of the hour 24 hours ago. */
  readonly start: Date;
  /** Last second of the current hour. */
  readonly end: Date;
  /** Calls and tokens from `start` to `end`, in hourly steps. */
  readonly modelUsage: ModelUsage;
  /** Whether calls currently count more, by the edition of the plan. */
  readonly peak: PeakHours;
}

const hourMs = 60 * 60 * 1000;

/** Use of the plan. `usageMeter` counts the calls of this process, and `estimateCost` estimates their cost. */
export class Usage {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** The plan's limits and the use of the last 24 hours, from two free monitor calls. Fails if either of them fails. */
  async summary(ctx?: CallContext): Promise<UsageSummary> {
    const operation = 'usage.summary';
    const now = new Date();
    // The service's hours begin when UTC's do: its clock is ahead by full hours.
    const hour = Math.floor(now.getTime() / hourMs) * hourMs;
    const start = new Date(hour - 24 * hourMs);
    const end = new Date(hour + hourMs - 1000);
    const [quota, modelUsage] = await Promise.all([
      getLimit(this.#settings, ctx, operation),
      getModelUsage(this.#settings, ctx, operation, { start, end }),
    ]);
    return { quota, windows: quota.limits.map(quotaWindow), start, end, modelUsage, peak: peakHours(now, planEdition(quota.limits)) };
  }
}
