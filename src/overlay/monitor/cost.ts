import { fieldsOf } from '../errors/json-value.ts';
import { catalogueRow } from './model-info.ts';
import { type TokenCount, tokensOf } from './tokens.ts';

/**
 * What a call costs at the list price, in US dollars, from the `usage` of its reply (either surface) or a TokenCount.
 *
 * Undefined when the catalogue has no price for the model, or the usage does not split input from output: an unknown price is never 0, and never that of
 * a model with a similar name. Cached tokens count at the cached price, or at the input price where none is known. An estimate: a key on a plan pays its
 * plan, the china host has prices of its own, and tools and media are not in it.
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
