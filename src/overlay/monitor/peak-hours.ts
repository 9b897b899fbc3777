import { serverOffsetMs, timeOf } from '../errors/server-time.ts';
import type { PlanEdition } from './quota-windows.ts';

/** Whether calls currently cost a coding plan more. */
export interface PeakHours {
  readonly peak: boolean;
  /** Factor on the plan's counts. V2, for tokens of the high-tier models: 3 in peak hours, 2 otherwise. V3, for credits: 1 and 0.5. */
  readonly multiplier: 0.5 | 1 | 2 | 3;
  /** Time of the next change: the end of these peak hours, or the start of the next ones. */
  readonly changesAt: Date;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const from = 14 * hourMs;
const to = 18 * hourMs;

/**
 * Peak hours of the coding plans at `now`: Monday to Friday, 14:00 up to but not including 18:00 on the service's clock (UTC+8).
 *
 * `edition` selects the factors; `planEdition(limits)` returns it. Default: V2. Sources: the vendor's team-plan page, read on 2026-08-06, and its
 * notice on credits of 2026-07-30. No operation returns the hours, and the vendor may change them. Public holidays count as workdays. Use the
 * result for display, not for billing. Throws a ValidationError for an invalid Date.
 */
export function peakHours(now: Date = new Date(), edition: PlanEdition = 'V2'): PeakHours {
  const clock = timeOf('peakHours', 'now', now) + serverOffsetMs;
  const factors = edition === 'V3' ? ([1, 0.5] as const) : ([3, 2] as const);
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
