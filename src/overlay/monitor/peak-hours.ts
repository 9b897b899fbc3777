import { serverOffsetMs, timeOf } from '../errors/server-time.ts';
import { catalogueRow } from './model-info.ts';
import type { PlanEdition } from './quota-windows.ts';

/** Whether calls currently cost a coding plan more. */
export interface PeakHours {
  readonly peak: boolean;
  /** Factor on the plan's counts. V2, for tokens: 3 in peak hours and 1 outside, of the glm-5.3-flash family 1.2 and 0.4. V3, for credits: 1 and 0.5. */
  readonly multiplier: number;
  /** Time of the next change: the end of these peak hours, or the start of the next ones. */
  readonly changesAt: Date;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const from = 14 * hourMs;
const to = 18 * hourMs;
const isFlash = /^glm-5\.3-flash(?=$|[-.:/[])/i;

/**
 * Peak hours of the coding plans at `now`: Monday to Friday, 14:00 up to but not including 18:00 on the service's clock (UTC+8).
 *
 * `edition` selects the factors; `planEdition(limits)` returns it. Default: V2. `model` is the one that was asked: V2 has other factors for the
 * glm-5.3-flash family, and for the models that the coding root answers with it. Default: glm-5.3. Sources: the vendor's usage notice and its
 * overview of the plans, transcribed until 2026-10-09. No operation returns the hours, and the vendor may change them. Public holidays count as
 * workdays. Use the result for display, not for billing. Throws a ValidationError for an invalid Date.
 */
export function peakHours(now: Date = new Date(), edition: PlanEdition = 'V2', model: string = 'glm-5.3'): PeakHours {
  const clock = timeOf('peakHours', 'now', now) + serverOffsetMs;
  const answering = catalogueRow(model.toLowerCase())?.plan_model ?? model;
  const factors = edition === 'V3' ? ([1, 0.5] as const) : isFlash.test(answering) ? ([1.2, 0.4] as const) : ([3, 1] as const);
  const midnight = Math.floor(clock / dayMs) * dayMs;
  const at = (clockMs: number): Date => new Date(clockMs - serverOffsetMs);
  if (isWorkday(midnight) && clock >= midnight + from && clock < midnight + to)
    return { peak: true, multiplier: factors[0], changesAt: at(midnight + to) };
  let day = midnight;
  while (!isWorkday(day) || clock >= day + from) day += dayMs;
  return { peak: false, multiplier: factors[1], changesAt: at(day + from) };
}

function isWorkday(midnight: number): boolean {
  // Day 0 was a Thursday.
  const weekday = (((midnight / dayMs + 4) % 7) + 7) % 7;
  return weekday >= 1 && weekday <= 5;
}
