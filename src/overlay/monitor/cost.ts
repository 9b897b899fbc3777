import { fieldsOf } from '../errors/json-value.ts';
import { catalogueRow } from './model-info.ts';
import { type TokenCount, tokensOf } from './tokens.ts';

/**
 * Estimates the cost of a call at the list price, in US dollars, from the `usage` of its response (either surface) or a TokenCount.
 *
 * Returns undefined if the catalogue has no price for exactly this model, or if the usage does not separate input from output. An unknown price
 * is never 0. Cached tokens are priced at the cached price, or at the input price if the catalogue has none. The estimate does not include tools
 * and media. It does not apply to keys on a plan, nor to the china host, which has other prices.
 */
export function estimateCost(model: string, usage: object): number | undefined {
  const price = catalogueRow(model)?.price;
  const tokens = isTokenCount(usage) ? usage : tokensOf(usage);
  if (!price || !tokens || tokens.totalTokens > tokens.inputTokens + tokens.outputTokens) return undefined;
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const parts: [tokens: number, dollarsPerMillion: number | undefined][] = [
    [tokens.inputTokens - cached, price.input],
    [cached, price.cached_input ?? price.input],
    [tokens.outputTokens, price.output],
  ];
  let dollars = 0;
  for (const [count, dollarsPerMillion] of parts) {
    if (count === 0) continue;
    if (dollarsPerMillion === undefined) return undefined;
    dollars += (count * dollarsPerMillion) / 1_000_000;
  }
  return dollars;
}

function isTokenCount(usage: unknown): usage is TokenCount {
  const { inputTokens, cachedInputTokens, outputTokens, totalTokens } = fieldsOf(usage);
  return [inputTokens, cachedInputTokens, outputTokens, totalTokens].every((count) => typeof count === 'number');
}
