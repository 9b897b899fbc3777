import type { CreditModelSeries, CreditNumber, CreditUsage } from '../../generated/types.ts';
import { validationError } from '../errors/problem.ts';
import { parseServerTime } from '../errors/server-time.ts';
import { isFields, listOf, textOf } from '../json/json-value.ts';
import { Problem } from '../json/problem.ts';
import { peakHours } from './peak-hours.ts';

/** Use of one model in the window of `getCreditUsage`. A field is undefined if the reply does not have its figures. */
export interface ModelCredits {
  /** The id, or the name if the reply has no id. */
  readonly model: string;
  readonly tokens: number | undefined;
  readonly credits: number | undefined;
  /** Share of the input tokens that came from the cache, 0 to 1. */
  readonly cachedShare: number | undefined;
  /** Share of the credits that peak hours cost, 0 to 1. Undefined for a window that the service counts by the day. */
  readonly peakShare: number | undefined;
  /** The row of the reply, with its series. */
  readonly series: CreditModelSeries;
}

/** Rows of kinds of tokens among the rows of models, by their code or their name. */
const isKind = /^((un)?cached[ _-]?input|output|(未|非)?(命中)?缓存(命中)?(的)?输入|(未|非)命中缓存.*|输出)( ?tokens?)?$/i;

/**
 * The models of a result of `getCreditUsage`, the most credits first. Rows that are not models are left out. Sums are of the series,
 * or the totals of a row without a series.
 *
 * @example
 * ```ts
 * const end = new Date();
 * const usage = await c.quota().getCreditUsage({ start: new Date(end.getTime() - 86_400_000), end });
 * for (const { model, credits } of modelCredits(usage)) console.log(model, credits);
 * ```
 */
export function modelCredits(usage: CreditUsage): ModelCredits[] {
  if (!isFields(usage as unknown)) throw validationError('modelCredits', new Problem('usage', 'must be a result of getCreditUsage'));
  const rows = (listOf(usage.modelUsage?.modelDataList) as CreditModelSeries[]).filter(isFields) as CreditModelSeries[];
  return rows
    .filter(({ modelCode, modelName }) => ![modelCode, modelName].some((name) => isKind.test(textOf(name).trim())))
    .map((row) => {
      const cached = sumOf(row.cachedInputTokensUsage);
      const uncached = sumOf(row.uncachedInputTokensUsage);
      return {
        model: textOf(row.modelCode) || textOf(row.modelName) || 'unknown',
        tokens: sumOf(row.totalTokensUsage) ?? creditNumber(row.totalTokens),
        credits: sumOf(row.totalCreditsUsage) ?? creditNumber(row.totalCredits),
        cachedShare: cached === undefined || uncached === undefined ? undefined : share(cached, cached + uncached),
        peakShare: peakShareOf(usage, row),
        series: row,
      };
    })
    .sort((a, b) => (b.credits ?? -1) - (a.credits ?? -1));
}

/** Undefined for a series without any number, which is not a series of zeros. */
function sumOf(series: readonly CreditNumber[] | undefined): number | undefined {
  const numbers = listOf(series).flatMap((value) => creditNumber(value) ?? []);
  return numbers.length === 0 ? undefined : Number(numbers.reduce((sum, one) => sum + one, 0).toFixed(6));
}

/** Only hours tell, and only if each that has tokens has its credits. */
function peakShareOf({ modelUsage, granularity }: CreditUsage, { totalCreditsUsage, totalTokensUsage }: CreditModelSeries): number | undefined {
  const [labels, credits, tokens] = [listOf(modelUsage?.xTime), listOf(totalCreditsUsage), listOf(totalTokensUsage)];
  if (/^da/i.test(textOf(granularity)) || labels.length !== credits.length) return undefined;
  let [peak, all] = [0, 0];
  for (const [at, given] of labels.entries()) {
    const label = textOf(given);
    const start = parseServerTime(label);
    const value = creditNumber(credits[at]);
    if (!start || label.length === 'yyyy-MM-dd'.length || (value === undefined && creditNumber(tokens[at]))) return undefined;
    all += value ?? 0;
    if (peakHours(start).peak) peak += value ?? 0;
  }
  return share(peak, all);
}

/** A number, as such or as a decimal string. Undefined for null, for blank text and for what no use can be, such as a negative number. */
function creditNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

function share(part: number, all: number): number | undefined {
  return all > 0 ? part / all : undefined;
}
