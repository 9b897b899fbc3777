import type { QuotaLimit } from '../../generated/types.ts';
import { type Fields, fieldsOf, textOf } from '../errors/json-value.ts';

/** A limit of the plan with its window named and its clock read. */
export interface QuotaWindow {
  /** The three windows of a coding plan by name; any other limit as what, how many and which unit, for instance `credits-1-month`. */
  readonly name: 'five-hour' | 'weekly' | 'monthly-tools' | (string & {});
  /** Length in milliseconds, a month counting as 30 days. Undefined for a unit nobody has named. */
  readonly durationMs: number | undefined;
  /** When the window ends. Undefined while it is idle. */
  readonly resetsAt: Date | undefined;
  /** When it began, reckoned back from its end. */
  readonly startsAt: Date | undefined;
  /** Share used, 0 to 1. Undefined when the limit tells neither a percentage nor counts. */
  readonly usedFraction: number | undefined;
  /** 99 % or more is used, or nothing remains. */
  readonly exhausted: boolean;
  /** 80 % or more is used, but not all. */
  readonly low: boolean;
}

const hourMs = 60 * 60 * 1000;

interface Unit {
  readonly word: string;
  readonly ms: number;
}

/** The service's numbers for units of time; 4 is reported, the others are known. */
const units: Readonly<Record<number, Unit>> = {
  3: { word: 'hour', ms: hourMs },
  4: { word: 'day', ms: 24 * hourMs },
  5: { word: 'month', ms: 30 * 24 * hourMs },
  6: { word: 'week', ms: 7 * 24 * hourMs },
};

const kinds: Readonly<Record<string, string>> = { TOKENS_LIMIT: 'tokens', TIME_LIMIT: 'tools', CREDIT_LIMIT: 'credits' };

const names: Readonly<Record<string, string>> = { 'tokens-5-hour': 'five-hour', 'tokens-1-week': 'weekly', 'tools-1-month': 'monthly-tools' };

/** Name a limit of `getLimit` and read its clock and fill. */
export function quotaWindow(given: QuotaLimit): QuotaWindow {
  const limit = fieldsOf(given);
  const unit = typeof limit['unit'] === 'number' ? units[limit['unit']] : undefined;
  const count = isCount(limit['number']) ? limit['number'] : undefined;
  const durationMs = unit && count && unit.ms * count;
  // Zero stands for "none" where the field is sent all the same.
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

/** A field of a table; the service's word may be one that every object has. */
function own(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Undefined beyond the range of dates. */
function dateOf(ms: number): Date | undefined {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** The percentage, which every limit is reported with; else the counts. */
function usedFractionOf(limit: Fields): number | undefined {
  const { percentage, usage: cap, currentValue, remaining } = limit;
  if (typeof percentage === 'number') return Math.max(percentage / 100, 0);
  if (!isCount(cap)) return undefined;
  if (typeof currentValue === 'number') return Math.max(currentValue / cap, 0);
  return typeof remaining === 'number' ? Math.max(1 - remaining / cap, 0) : undefined;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
