import type { CatalogueRow } from '../../generated/models.ts';
import { catalogueRow } from './model-info.ts';
import { peakHours } from './peak-hours.ts';
import { isTokenCount, tokensOf } from './tokens.ts';

/**
 * Estimates the cost of a call at the list price, in US dollars, from the `usage` of its response (either surface) or a TokenCount.
 *
 * Returns undefined if the catalogue has no price for exactly this model, or if the usage does not separate input from output. An unknown price
 * is never 0. Cached tokens are priced at the cached price, or at the input price if the catalogue has none. The estimate does not include tools
 * and media. It does not apply to keys on a plan (see `estimateCredits`), nor to the china host, which has other prices.
 */
export function estimateCost(model: string, usage: object): number | undefined {
  return weighed(catalogueRow(model)?.price, usage, 1_000_000);
}

/**
 * Estimates the credits that a call costs a V3 plan, from the `usage` of its response (either surface) or a TokenCount. `at` is the time of the
 * call, because credits count half outside peak hours. Default: now.
 *
 * A model that the coding root answers with another one costs the credits of that one: glm-5.1 those of glm-5.3. Returns undefined if the
 * catalogue has no factors for the model. The estimate does not include tool calls. V2 plans count tokens, not credits.
 *
 * @example
 * ```ts
 * const reply = await c.chat().createSimple(undefined, 'glm-5.3', 'Hello');
 * console.log(estimateCredits(reply.model ?? 'glm-5.3', reply.usage ?? {}));
 * ```
 */
export function estimateCredits(model: string, usage: object, at: Date = new Date()): number | undefined {
  const row = catalogueRow(model);
  const credits = weighed(row?.credits ?? catalogueRow(row?.plan_model ?? '')?.credits, usage, 10_000);
  return credits === undefined ? undefined : credits * peakHours(at, 'V3').multiplier;
}

/** The sum of each kind of token times its price for `unit` tokens. */
function weighed(price: CatalogueRow['price'], usage: object, unit: number): number | undefined {
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
