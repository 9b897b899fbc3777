import type { ModelUsage, ToolUsage } from '../../generated/types.ts';
import { fieldsOf, listOf, textOf } from '../errors/json-value.ts';
import { parseServerTime } from './server-time.ts';

/** One step of a usage series. */
export interface UsageBucket {
  /** The service's own label: `yyyy-MM-dd HH:mm` or `yyyy-MM-dd` on its clock (UTC+8). Show it as it is for a daily bucket: the day is the service's day. */
  readonly label: string;
  /** Start, inclusive. Undefined for a label of a form nobody has seen. */
  readonly start: Date | undefined;
  /** End, exclusive. */
  readonly end: Date | undefined;
  /** The series at this step; null where the service counted nothing, or the series is shorter than its labels. */
  readonly value: number | null;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/**
 * The steps of a reply of `getModelUsage` or `getToolUsage`, as moments that are right in any zone, paired with one of its series:
 * `usageBuckets(usage, usage.tokensUsage)`, `usageBuckets(usage, usage.modelDataList?.[0]?.tokensUsage)`. The empty reply of an account without a plan has none.
 */
export function usageBuckets(
  data: Pick<ModelUsage | ToolUsage, 'x_time' | 'granularity'>,
  series: readonly (number | null)[] | undefined,
): UsageBucket[] {
  const { x_time: labels, granularity } = fieldsOf(data);
  return listOf(labels).map((given, index) => {
    const label = textOf(given);
    const start = parseServerTime(label);
    const lengthMs = granularity === 'daily' || label.length === 'yyyy-MM-dd'.length ? dayMs : hourMs;
    return { label, start, end: start && new Date(start.getTime() + lengthMs), value: numberAt(series, index) };
  });
}

function numberAt(series: unknown, index: number): number | null {
  const value = listOf(series)[index];
  return typeof value === 'number' ? value : null;
}
