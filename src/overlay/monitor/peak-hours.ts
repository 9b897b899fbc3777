import { serverOffsetMs } from '../errors/server-time.ts';

/** Whether tokens currently cost a coding plan more. */
export interface PeakHours {
  readonly peak: boolean;
  /** Factor for tokens of the high-tier models: 3 in peak hours, 2 otherwise. */
  readonly multiplier: 2 | 3;
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
 * Source: the vendor's team-plan page, read on 2026-08-06. No operation returns them, and the vendor may change them. Public holidays count as
 * workdays. Use the result for display, not for billing. Throws a RangeError for an invalid Date.
 */
export function peakHours(now: Date = new Date()): PeakHours {
  const clock = now.getTime() + serverOffsetMs;
  if (Number.isNaN(clock)) throw new RangeError('peakHours: now is an invalid Date');
  const midnight = Math.floor(clock / dayMs) * dayMs;
  const at = (clockMs: number): Date => new Date(clockMs - serverOffsetMs);
  if (isWorkday(midnight) && clock >= midnight + from && clock < midnight + to) return { peak: true, multiplier: 3, changesAt: at(midnight + to) };
  let day = midnight;
  while (!isWorkday(day) || clock >= day + from) day += dayMs;
  return { peak: false, multiplier: 2, changesAt: at(day + from) };
}

function isWorkday(midnight: number): boolean {
  // Day 0 was a Thursday.
  const weekday = (((midnight / dayMs + 4) % 7) + 7) % 7;
  return weekday >= 1 && weekday <= 5;
}
