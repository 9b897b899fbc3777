import type { QuotaLimit } from '../../generated/types.ts';
import { quotaWindow } from './quota-windows.ts';

/** How fast a window is being used up, if it goes on as it has so far. */
export interface Pace {
  /** Share of the window that has passed, 0 to 1. */
  readonly elapsedFraction: number;
  /** Share of the limit that is used, 0 to 1. */
  readonly usedFraction: number;
  /** Share that will be used when the window ends; above 1 the limit runs out first. Undefined when the window has only just begun. */
  readonly projectedFraction: number | undefined;
  /** When the limit runs out, if that is before the window ends. */
  readonly exhaustsAt: Date | undefined;
  /** Milliseconds between `exhaustsAt` and the end of the window. */
  readonly leadMs: number | undefined;
}

/** The pace of a limit at `now`. Undefined for a limit without a reset time, a known length or a fill. */
export function pace(limit: QuotaLimit, now: Date = new Date()): Pace | undefined {
  const { durationMs, startsAt, resetsAt, usedFraction } = quotaWindow(limit);
  if (!durationMs || !startsAt || !resetsAt || usedFraction === undefined || Number.isNaN(now.getTime())) return undefined;
  const elapsedFraction = Math.min(Math.max((now.getTime() - startsAt.getTime()) / durationMs, 0), 1);
  if (elapsedFraction === 0) return { elapsedFraction, usedFraction, projectedFraction: undefined, exhaustsAt: undefined, leadMs: undefined };
  const projectedFraction = usedFraction / elapsedFraction;
  const leadMs = projectedFraction > 1 ? (1 - elapsedFraction / usedFraction) * durationMs : undefined;
  return {
    elapsedFraction,
    usedFraction,
    projectedFraction,
    exhaustsAt: leadMs === undefined ? undefined : new Date(resetsAt.getTime() - leadMs),
    leadMs,
  };
}
