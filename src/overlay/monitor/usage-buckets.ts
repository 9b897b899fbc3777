import type { CreditModelUsage, CreditNumber, CreditToolUsage, ModelUsage, ToolUsage } from '../../generated/types.ts';
import { parseServerTime } from '../errors/server-time.ts';
import { fieldsOf, listOf, textOf } from '../json/json-value.ts';

/** One step of a usage series. */
export interface UsageBucket {
  /** Label of the service: `yyyy-MM-dd HH:mm`, with seconds beside credits, or `yyyy-MM-dd` for a daily bucket, on its clock (UTC+8). Show a daily label unchanged. */
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
 * Also those of `modelUsage` and `mcpUsage` of `getCreditUsage`, whose numbers may be decimal strings.
 */
export function usageBuckets(
  data: Pick<ModelUsage | ToolUsage, 'x_time' | 'granularity'> | Pick<CreditModelUsage | CreditToolUsage, 'xTime'>,
  series: readonly CreditNumber[] | undefined,
): UsageBucket[] {
  const { x_time: steps, xTime: labels = steps, granularity } = fieldsOf(data);
  return listOf(labels).map((given, index) => {
    const label = textOf(given);
    const start = parseServerTime(label);
    const lengthMs = granularity === 'daily' || label.length === 'yyyy-MM-dd'.length ? dayMs : hourMs;
    return { label, start, end: start && new Date(start.getTime() + lengthMs), value: creditNumber(listOf(series)[index]) ?? null };
  });
}

/** A number of a usage reply, as such or as a decimal string. Undefined for null, for blank text, for what no use can be, such as a negative number, and for other values, which are not 0. */
export function creditNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}
