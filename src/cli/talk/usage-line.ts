// Tokens and cost of an answer for people.
import { cachedShare, estimateCost, type ModelRow } from 'modelsvc';
import type { Cli } from '../cli.ts';
import { withoutListPrice } from '../log/record.ts';

/** The user's rows for `estimateCost`. Undefined if list prices do not hold: neither for the plan nor for the china host. */
export async function listPrices(cli: Cli): Promise<readonly ModelRow[] | undefined> {
  return (await withoutListPrice(cli)) ? undefined : (await cli.make.models()).rows;
}

/** `600 tokens in (85% cached), 3 out, about $0.0002`, with a price if there are rows to look it up. Undefined if the service sent no usage. */
export function usageLine(model: string, usage: object | undefined, rows: readonly ModelRow[] | undefined): string | undefined {
  if (usage === undefined) return undefined;
  const cost = rows && estimateCost(model, usage, rows);
  return cost === undefined ? tokensText(usage) : `${tokensText(usage)}, about ${costText(cost)}`;
}

/** `600 tokens in (85% cached), 3 out`. */
export function tokensText(usage: object): string {
  const { input = '?', output = '?' } = tokenCounts(usage);
  const part = cachedShare(usage) ?? 0;
  const share = part < 1 ? Math.min(99, Math.round(part * 100)) : 100;
  return `${input} tokens in${share > 0 ? ` (${share}% cached)` : ''}, ${output} out`;
}

/** Tokens of the usage of any surface, cached ones included. */
export function tokenCounts(usage: object): { readonly input: number | undefined; readonly output: number | undefined } {
  const count = (...names: readonly string[]): number | undefined => {
    const values = names.map((name) => (usage as Readonly<Record<string, unknown>>)[name]);
    return values.find((value): value is number => typeof value === 'number');
  };
  const uncached = count('input_tokens');
  const read = uncached === undefined ? undefined : uncached + (count('cache_read_input_tokens') ?? 0) + (count('cache_creation_input_tokens') ?? 0);
  const output = count('completion_tokens', 'output_tokens');
  const input = count('prompt_tokens') ?? read;
  return { input: input === undefined ? undefined : input + tokensBeside(usage, input, output ?? 0), output };
}

/** Cached tokens that a gateway counts in addition to the others. */
function tokensBeside(usage: object, input: number, output: number): number {
  const { prompt_tokens_details: chat, input_tokens_details: responses, total_tokens: total } = usage as Readonly<Record<string, unknown>>;
  const { cached_tokens: cached } = (chat ?? responses ?? {}) as { readonly cached_tokens?: unknown };
  return typeof cached === 'number' && (cached > input || total === input + cached + output) ? cached : 0;
}

/** Dollars with two significant digits. */
export function costText(dollars: number): string {
  if (dollars === 0) return '$0';
  const digits = Math.max(2, 1 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toFixed(Math.min(digits, 12))}`;
}
