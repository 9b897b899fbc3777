import { quotaWindow } from 'modelsvc/monitor';
import type { QuotaLimit } from 'modelsvc/types';

/** Rate at which a window is used up, projected from its use so far. */
interface Pace {
  /** Share of the window that has passed, 0 to 1. */
  readonly elapsedFraction: number;
  /** Share of the limit that is used, 0 to 1. */
  readonly usedFraction: number;
  /** Projected share at the end of the window; above 1 the limit runs out earlier. Undefined at the start of the window. */
  readonly projectedFraction: number | undefined;
  /** Time at which the limit runs out; undefined if the window ends first. */
  readonly exhaustsAt: Date | undefined;
  /** Milliseconds between `exhaustsAt` and the end of the window. */
  readonly leadMs: number | undefined;
}

/** The pace of a limit at `now`. Undefined if the limit has no reset time, length or used share. */
export function pace(limit: QuotaLimit, now: Date): Pace | undefined {
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
