// Lists of usage: pure functions of the replies.
import { usageBuckets } from 'modelsvc/monitor';
import type { ModelUsage, ToolUsage } from 'modelsvc/types';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { isFields } from '../../files/json.ts';

export interface ModelRow {
  readonly model: string;
  readonly tokens: number;
}

export interface ToolRow {
  readonly tool: string;
  readonly calls: number;
}

export interface StepRow {
  /** On the clock of the service (UTC+8). */
  readonly time: string;
  readonly calls: number;
  readonly tokens: number;
}

/** The sum of each model's series, which keeps to the window. Its total counts whole days, so it counts only for a model without a series. */
export function modelRows(usage: ModelUsage): ModelRow[] {
  const { modelDataList, modelSummaryList, totalUsage } = usage;
  const rows = new Map<string, number>();
  for (const { modelName = 'unknown', totalTokens = 0 } of listOf(modelSummaryList ?? totalUsage?.modelSummaryList ?? modelDataList))
    rows.set(modelName, Number(totalTokens) || 0);
  for (const { modelName = 'unknown', tokensUsage } of listOf(modelDataList))
    if (Array.isArray(tokensUsage))
      rows.set(
        modelName,
        tokensUsage.reduce<number>((sum, one) => sum + (Number(one) || 0), 0),
      );
  return [...rows].map(([model, tokens]) => ({ model, tokens })).sort((a, b) => b.tokens - a.tokens);
}

/** The rows of a list that may be absent, null or have others than objects. */
function listOf<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((one): boolean => isFields(one)) : [];
}

export function toolRows(usage: ToolUsage): ToolRow[] {
  const list = usage.toolSummaryList ?? usage.totalUsage?.toolSummaryList ?? [];
  return list
    .map(({ toolNameI18n, toolName, toolCode, totalUsageCount = 0 }) => ({
      tool: toolNameI18n ?? toolName ?? toolCode ?? 'unknown',
      calls: totalUsageCount,
    }))
    .sort((a, b) => b.calls - a.calls);
}

/** The steps that have calls or tokens. Hours are added up for days. */
export function stepRows(usage: ModelUsage, unit: 'hour' | 'day'): StepRow[] {
  const calls = usageBuckets(usage, usage.modelCallCount);
  const sums = new Map<string, StepRow>();
  for (const [at, { label, value: tokens }] of usageBuckets(usage, usage.tokensUsage).entries()) {
    if (unit === 'hour' && label.length === 'yyyy-MM-dd'.length)
      throw new CliError('the service counts this range by the day', exitCodes.usage, 'Choose a range of up to 8 days, or --by day.');
    const time = unit === 'day' ? label.slice(0, 'yyyy-MM-dd'.length) : label;
    const before = sums.get(time) ?? { calls: 0, tokens: 0 };
    sums.set(time, { time, calls: before.calls + (calls[at]?.value ?? 0), tokens: before.tokens + (tokens ?? 0) });
  }
  return [...sums.values()].filter((row) => row.calls > 0 || row.tokens > 0);
}
