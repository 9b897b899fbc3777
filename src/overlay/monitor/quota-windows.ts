import type { QuotaLimit } from '../../generated/types.ts';
import { type Fields, fieldsOf, listOf, textOf } from '../json/json-value.ts';

/** A limit of the plan with the name, times and used share of its window. */
export interface QuotaWindow {
  /**
   * One of the three windows of a coding plan, whether it counts tokens or credits. For any other limit its kind, number and unit, for
   * instance `credits-1-month`.
   */
  readonly name: 'five-hour' | 'weekly' | 'monthly-tools' | (string & {});
  /** Length in milliseconds; a month counts as 30 days. Undefined for an unknown unit. */
  readonly durationMs: number | undefined;
  /** End of the window. Undefined while the window is idle. */
  readonly resetsAt: Date | undefined;
  /** Start of the window, calculated from its end. */
  readonly startsAt: Date | undefined;
  /** Share used, 0 to 1; more if the service let calls pass the limit. Undefined if the limit has neither a percentage nor counts. */
  readonly usedFraction: number | undefined;
  /** True if 99 % or more is used, or 0 remains. */
  readonly exhausted: boolean;
  /** True if 80 % or more is used and `exhausted` is false. */
  readonly low: boolean;
}

const hourMs = 60 * 60 * 1000;

interface Unit {
  readonly word: string;
  readonly ms: number;
}

/** The service's numbers for units of time. 4 is unconfirmed. */
const units: Readonly<Record<number, Unit>> = {
  3: { word: 'hour', ms: hourMs },
  4: { word: 'day', ms: 24 * hourMs },
  5: { word: 'month', ms: 30 * 24 * hourMs },
  6: { word: 'week', ms: 7 * 24 * hourMs },
};

const kinds: Readonly<Record<string, string>> = { TOKENS_LIMIT: 'tokens', TIME_LIMIT: 'tools', CREDIT_LIMIT: 'credits' };

// Plans since 30 July 2026 (V3) count credits in the windows in which older ones count tokens.
const names: Readonly<Record<string, string>> = {
  'tokens-5-hour': 'five-hour',
  'credits-5-hour': 'five-hour',
  'tokens-1-week': 'weekly',
  'credits-1-week': 'weekly',
  'tools-1-month': 'monthly-tools',
};

/** The window of a limit of `getLimit`: its name, its times and its used share. */
export function quotaWindow(given: QuotaLimit): QuotaWindow {
  const limit = fieldsOf(given);
  const unit = typeof limit['unit'] === 'number' ? units[limit['unit']] : undefined;
  const count = isCount(limit['number']) ? limit['number'] : undefined;
  const durationMs = unit && count && unit.ms * count;
  // Zero means no reset time.
  const resetsAt = isCount(limit['nextResetTime']) ? dateOf(limit['nextResetTime']) : undefined;
  const usedFraction = usedFractionOf(limit);
  const exhausted = (usedFraction ?? 0) >= 0.99 || (limit['remaining'] === 0 && isCount(limit['usage']));
  return {
    name: nameOf(limit, unit, count),
    durationMs,
    resetsAt,
    startsAt: resetsAt && durationMs ? dateOf(resetsAt.getTime() - durationMs) : undefined,
    usedFraction,
    exhausted,
    low: !exhausted && (usedFraction ?? 0) >= 0.8,
  };
}

function nameOf(limit: Fields, unit: Unit | undefined, count: number | undefined): string {
  const type = textOf(limit['type']) || 'unknown';
  const kind = own(kinds, type) ?? type.toLowerCase().replaceAll('_', '-');
  const name = unit && count ? `${kind}-${count}-${unit.word}` : kind;
  return own(names, name) ?? name;
}

/** A field of a table. `name` comes from the service and may be `constructor` or `toString`. */
function own(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Undefined outside the range of Date. */
function dateOf(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** From the counts if the limit has them, because the service rounds the percentage. `remaining` is cut to an integer, so it comes last. */
function usedFractionOf(limit: Fields): number | undefined {
  const { percentage, usage: cap, currentValue, remaining } = limit;
  if (isCount(cap) && isFiniteNumber(currentValue)) return Math.max(currentValue / cap, 0);
  if (isFiniteNumber(percentage)) return Math.max(percentage / 100, 0);
  return isCount(cap) && isFiniteNumber(remaining) ? Math.max(1 - remaining / cap, 0) : undefined;
}

function isCount(value: unknown): value is number {
  return isFiniteNumber(value) && value > 0;
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Edition of a coding plan: `V3` counts credits and is sold since 30 July 2026, `V2` counts tokens and tool calls. */
export type PlanEdition = 'V2' | 'V3';

/** The edition of a plan by the rows of its quota. No reply has rows of both. */
export function planEdition(limits: readonly QuotaLimit[]): PlanEdition {
  return listOf(limits).some((limit) => fieldsOf(limit)['type'] === 'CREDIT_LIMIT') ? 'V3' : 'V2';
}
