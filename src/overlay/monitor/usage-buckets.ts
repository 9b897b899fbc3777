import type { ModelUsage, ToolUsage } from '../../generated/types.ts';
import { fieldsOf, listOf, textOf } from '../errors/json-value.ts';
import { parseServerTime } from '../errors/server-time.ts';

/** One step of a usage series. */
export interface UsageBucket {
  /** Label of the service: `yyyy-MM-dd HH:mm`, or `yyyy-MM-dd` for a daily bucket, on its clock (UTC+8). Show a daily label unchanged. */
  readonly label: string;
  /** Start, inclusive. Undefined if the label has an unknown form. */
  readonly start: Date | undefined;
  /** End, exclusive. Undefined like `start`. */
  readonly end: Date | undefined;
  /** Value of the series at this step. Null if the service sent no count, or if the series is shorter than its labels. */
  readonly value: number | null;
}

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

/**
 * The steps of a result of `getModelUsage` or `getToolUsage`, with start, end and the value of one of its series:
 * `usageBuckets(usage, usage.tokensUsage)`, `usageBuckets(usage, usage.modelDataList?.[0]?.tokensUsage)`. Empty for an account without a plan.
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
