import { quotaGetLimit, quotaGetModelUsage, quotaGetToolUsage } from '../../generated/routes.ts';
import type { ModelUsage, Quota, QuotaLimit, ToolUsage } from '../../generated/types.ts';
import { requestJson } from '../call/operations/request-json.ts';
import type { Received } from '../call/reply/response-info.ts';
import type { Settings } from '../call/settings/settings.ts';
import type { CallContext } from '../context.ts';
import { isFields, listOf } from '../errors/json-value.ts';
import { Problem } from '../errors/problem.ts';
import { formatServerTime } from '../errors/server-time.ts';
import { dataOf } from '../monitor/envelope.ts';

/** A plan and its limits; `limits` is empty for an account without a plan. */
export interface QuotaLimits extends Quota {
  limits: QuotaLimit[];
}

/** A time range in full seconds; milliseconds are dropped. */
export interface UsageWindow {
  readonly start: Date;
  /** Not before `start`. */
  readonly end: Date;
}

/**
 * Limits and current use of the coding plan. All calls are free. Team plans need the headers `Bigmodel-Organization` and
 * `Bigmodel-Project` (see `withHeaders`).
 */
export class Quotas {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * The plan's limits and how much of each is used. `quotaWindow` names a limit, and `pace` estimates how long it lasts.
   *
   * @example
   * ```ts
   * const { limits } = await c.quota().getLimit(undefined);
   * for (const limit of limits) console.log(quotaWindow(limit), limit.percentage);
   * ```
   */
  getLimit(ctx: CallContext): Promise<Received<QuotaLimits>> {
    return getLimit(this.#settings, ctx, quotaGetLimit.id);
  }

  /**
   * Calls and tokens per model over a time range, in hourly steps up to 8 days and in daily steps beyond. Labels of steps are in the
   * service's time zone; `usageBuckets` returns them as Dates. A range that is too long fails with an ApiError with code 500. Empty for an
   * account without a plan.
   */
  getModelUsage(ctx: CallContext, window: UsageWindow): Promise<Received<ModelUsage>> {
    return getModelUsage(this.#settings, ctx, quotaGetModelUsage.id, window);
  }

  /** Calls of the plan's tools over a time range, in the same steps as `getModelUsage`. */
  async getToolUsage(ctx: CallContext, window: UsageWindow): Promise<Received<ToolUsage>> {
    return dataOf(await requestJson(this.#settings, quotaGetToolUsage, ctx, () => ({ parameters: windowParameters(window) })), {});
  }
}

export async function getLimit(settings: Settings, ctx: CallContext, operation: string): Promise<Received<QuotaLimits>> {
  const reply = await requestJson(settings, quotaGetLimit, ctx, undefined, operation);
  const quota = dataOf(reply, {});
  // Changed in place, so that responseInfo still finds the object.
  quota.limits = (listOf(quota.limits) as QuotaLimit[]).filter(isFields);
  return quota as QuotaLimits;
}

export async function getModelUsage(settings: Settings, ctx: CallContext, operation: string, window: UsageWindow): Promise<Received<ModelUsage>> {
  return dataOf(await requestJson(settings, quotaGetModelUsage, ctx, () => ({ parameters: windowParameters(window) }), operation), {});
}

function windowParameters(window: UsageWindow): { startTime: string; endTime: string } {
  const startTime = momentParameter('start', window?.start);
  const endTime = momentParameter('end', window?.end);
  if (window.start.getTime() > window.end.getTime()) throw new Problem('start', 'must not be after end');
  return { startTime, endTime };
}

function momentParameter(name: string, moment: unknown): string {
  try {
    return formatServerTime(moment as Date);
  } catch {
    throw new Problem(name, 'must be a valid Date with a four-digit year');
  }
}
