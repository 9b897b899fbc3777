// Lists of usage: pure functions of the replies. Undefined is not told, and never 0.
import { modelCredits } from 'modelsvc/monitor';
import type { CreditActivity, CreditUsage, ModelUsage, ToolUsage } from 'modelsvc/types';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { isFields } from '../../files/json.ts';
import { cellText } from '../../terminal/reply.ts';
import { countOf, stepsOf, type UsageStep } from './steps.ts';

export interface ToolRow {
  readonly tool: string;
  readonly calls: number | undefined;
  readonly credits?: number | undefined;
}

export interface StepRow {
  /** On the clock of the service (UTC+8). */
  readonly time: string;
  readonly calls?: number | undefined;
  readonly tools?: number | undefined;
  readonly tokens: number | undefined;
  readonly credits?: number | undefined;
}

export interface ModelRow {
  readonly model: string;
  readonly tokens: number | undefined;
}

/** Undefined if no value is a number. */
export function sumOf(values: readonly unknown[]): number | undefined {
  const told = values.flatMap((value) => countOf(value) ?? []);
  return told.length === 0 ? undefined : Number(told.reduce((sum, one) => sum + one, 0).toFixed(6));
}

/** The sum of each model's series, which keeps to the window. Its total counts whole days, so it counts only for a model without a series. */
export function modelRows(usage: ModelUsage): ModelRow[] {
  const { modelDataList, modelSummaryList, totalUsage } = usage;
  const rows = new Map<string, ModelRow>();
  const add = (model: unknown, tokens: number | undefined): void => {
    const name = cellText(model) || 'unknown';
    // The lists of a reply may write one model in two ways.
    rows.set(name.toLowerCase(), { model: rows.get(name.toLowerCase())?.model ?? name, tokens });
  };
  for (const { modelName, totalTokens } of listOf(modelSummaryList ?? totalUsage?.modelSummaryList ?? modelDataList))
    add(modelName, countOf(totalTokens));
  for (const { modelName, tokensUsage } of listOf(modelDataList)) if (Array.isArray(tokensUsage)) add(modelName, sumOf(tokensUsage));
  return [...rows.values()].sort((a, b) => (b.tokens ?? -1) - (a.tokens ?? -1));
}

/** The rows of a list that may be absent, null or have others than objects. */
function listOf<T extends object>(list: readonly T[] | null | undefined): T[] {
  return Array.isArray(list) ? list.filter((one): boolean => isFields(one)) : [];
}

export function toolRows(usage: ToolUsage): ToolRow[] {
  return listOf(usage.toolSummaryList ?? usage.totalUsage?.toolSummaryList)
    .map(({ toolNameI18n, toolName, toolCode, totalUsageCount }) => ({
      tool: toolNameI18n ?? toolName ?? toolCode ?? 'unknown',
      calls: countOf(totalUsageCount),
    }))
    .sort((a, b) => (b.calls ?? -1) - (a.calls ?? -1));
}

export function creditToolRows({ mcpUsage }: CreditUsage): ToolRow[] {
  return listOf(mcpUsage?.mcpDataList).map(({ mcpName, mcpCode, mcpCallCount, totalUsageCount, creditsUsage, totalCredits }) => ({
    tool: mcpName ?? mcpCode ?? 'unknown',
    calls: (Array.isArray(mcpCallCount) ? sumOf(mcpCallCount) : undefined) ?? countOf(totalUsageCount),
    credits: (Array.isArray(creditsUsage) ? sumOf(creditsUsage) : undefined) ?? countOf(totalCredits),
  }));
}

/** The steps that have calls or tokens. Hours are added up for days. */
export function stepRows(usage: ModelUsage, unit: 'hour' | 'day'): StepRow[] {
  return joined(unit, { calls: [stepsOf(usage, usage.modelCallCount)], tokens: [stepsOf(usage, usage.tokensUsage)] });
}

/** The steps of all models together. Without a unit, the steps of the reply. */
export function creditStepRows(usage: CreditUsage, unit?: 'hour'): StepRow[] {
  const data = usage.modelUsage;
  const rows = modelCredits(usage).map(({ series }) => series);
  return joined(unit, {
    tokens: rows.map(({ totalTokensUsage }) => stepsOf(data, totalTokensUsage)),
    credits: rows.map(({ totalCreditsUsage }) => stepsOf(data, totalCreditsUsage)),
  });
}

export function dayRows({ series }: CreditActivity): StepRow[] {
  return listOf(series)
    .map((day) => ({
      time: day.date ?? 'unknown',
      calls: countOf(day.modelCallCount),
      tools: countOf(day.mcpCalls),
      tokens: countOf(day.totalTokens),
      credits: countOf(day.totalCredits),
    }))
    .filter(isUsed);
}

type StepColumn = 'calls' | 'tokens' | 'credits';

/** Series of each column, added up by the labels of their steps. */
function joined(unit: 'hour' | 'day' | undefined, columns: { readonly [C in StepColumn]?: readonly UsageStep[][] }): StepRow[] {
  const rows = new Map<string, StepRow>();
  for (const [column, series] of Object.entries(columns))
    for (const { label, value } of series.flat()) {
      if (unit === 'hour' && label.length === 'yyyy-MM-dd'.length)
        throw new CliError('the service counts this range by the day', exitCodes.usage, 'Choose a shorter range, or --by day.');
      const time = label.slice(0, unit === 'day' ? 'yyyy-MM-dd'.length : 'yyyy-MM-dd HH:mm'.length);
      const before = rows.get(time) ?? { time, tokens: undefined };
      rows.set(time, { ...before, [column]: sumOf([before[column as StepColumn], value]) });
    }
  return [...rows.values()].filter(isUsed);
}

/** False for a step without use, and for one without figures. */
function isUsed({ calls = 0, tools = 0, tokens = 0, credits = 0 }: StepRow): boolean {
  return calls + tools + tokens + credits > 0;
}
