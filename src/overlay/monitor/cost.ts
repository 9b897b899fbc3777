import type { ModelRow } from '../../generated/models.ts';
import { modelRows } from '../call/settings/models.ts';
import { configured } from '../errors/problem.ts';
import { timeOf } from '../errors/server-time.ts';
import { catalogueRow, type OwnRows } from './model-info.ts';
import { peakHours } from './peak-hours.ts';
import { isTokenCount, tokensOf } from './tokens.ts';

/**
 * Estimates the cost of a call at the list price, in US dollars, from the `usage` of its response (any surface) or a TokenCount.
 *
 * Returns undefined if the catalogue has no price for exactly this model, or if the usage does not separate input from output. An unknown price
 * is never 0. Cached tokens are priced at the cached price, or at the input price if the catalogue has none. The estimate does not include tools
 * and media. It does not apply to keys on a plan (see `estimateCredits`), nor to the china host, which has other prices.
 *
 * `models` adds models or corrects prices, like `Config.models`. Throws a ConfigError if a row is invalid.
 *
 * @example
 * ```ts
 * const reply = await c.chat().createSimple('glm-5.3', 'Hello', { effort: 'low' });
 * const models = [{ id: 'glm-5.3', price: { input: 2, output: 6 } }];
 * console.log(estimateCost('glm-5.3', reply.usage ?? {}, models));
 * ```
 */
export function estimateCost(model: string, usage: object, models?: readonly ModelRow[]): number | undefined {
  return costOf(model, usage, ownRows(models));
}

/** `estimateCost` with checked rows. */
export function costOf(model: string, usage: object, own: OwnRows): number | undefined {
  return weighed(catalogueRow(model, own)?.price, usage, 1_000_000);
}

/** The rows of a caller by id. Throws a ConfigError. */
export function ownRows(models: readonly ModelRow[] | undefined): OwnRows {
  return configured(() => modelRows(models));
}

/**
 * Estimates the credits that a call costs a V3 plan, from the `usage` of its response (any surface) or a TokenCount. `at` is the time of the
 * call, because credits count half outside peak hours. Default: now.
 *
 * A model that the coding root answers with another one costs the credits of that one: glm-5.1 costs as much as glm-5.3. Returns undefined if the
 * catalogue has no factors for the model. The estimate does not include tool calls. V2 plans count tokens, not credits. `models` as in
 * `estimateCost`.
 *
 * @example
 * ```ts
 * const reply = await c.chat().createSimple('glm-5.3', 'Hello', { effort: 'low' });
 * console.log(estimateCredits(reply.model ?? 'glm-5.3', reply.usage ?? {}));
 * ```
 */
export function estimateCredits(model: string, usage: object, at: Date = new Date(), models?: readonly ModelRow[]): number | undefined {
  const time = timeOf('estimateCredits', 'at', at);
  const own = ownRows(models);
  const row = catalogueRow(model, own);
  const credits = weighed(row?.credits ?? catalogueRow(row?.plan_model ?? '', own)?.credits, usage, 10_000);
  return credits === undefined ? undefined : credits * peakHours(new Date(time), 'V3').multiplier;
}

/** The sum of each kind of token times its price for `unit` tokens. */
function weighed(price: ModelRow['price'], usage: object, unit: number): number | undefined {
  const tokens = isTokenCount(usage) ? usage : tokensOf(usage);
  if (!price || !tokens || tokens.totalTokens > tokens.inputTokens + tokens.outputTokens) return undefined;
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const parts: [tokens: number, price: number | undefined][] = [
    [tokens.inputTokens - cached, price.input],
    [cached, price.cached_input ?? price.input],
    [tokens.outputTokens, price.output],
  ];
  let sum = 0;
  for (const [count, each] of parts) {
    if (count === 0) continue;
    if (each === undefined) return undefined;
    sum += (count * each) / unit;
  }
  return sum;
}
