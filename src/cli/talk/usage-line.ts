// Tokens and cost of an answer for people.
import { cachedShare, estimateCost, type ModelRow } from 'modelsvc';
import type { Cli } from '../cli.ts';

/** The user's rows for `estimateCost`. Undefined if list prices do not hold: neither for the plan nor for the china host. */
export async function listPrices(cli: Cli): Promise<readonly ModelRow[] | undefined> {
  const { region } = await cli.credential();
  return region === 'global' && cli.values.planEndpoint !== true ? (await cli.models()).rows : undefined;
}

/** `600 tokens in (85% cached), 3 out, about $0.0002`, with a price if there are rows to look it up. Undefined if the service sent no usage. */
export function usageLine(model: string, usage: object | undefined, rows: readonly ModelRow[] | undefined): string | undefined {
  if (usage === undefined) return undefined;
  const count = (...names: readonly string[]): number | undefined => {
    const values = names.map((name) => (usage as Readonly<Record<string, unknown>>)[name]);
    return values.find((value): value is number => typeof value === 'number');
  };
  const share = Math.round((cachedShare(usage) ?? 0) * 100);
  const cached = share > 0 ? ` (${share}% cached)` : '';
  const uncached = count('input_tokens');
  const read = uncached === undefined ? '?' : uncached + (count('cache_read_input_tokens') ?? 0) + (count('cache_creation_input_tokens') ?? 0);
  const tokens = `${count('prompt_tokens') ?? read} tokens in${cached}, ${count('completion_tokens', 'output_tokens') ?? '?'} out`;
  const cost = rows && estimateCost(model, usage, rows);
  return cost === undefined ? tokens : `${tokens}, about ${costText(cost)}`;
}

/** Dollars with two significant digits. */
export function costText(dollars: number): string {
  if (dollars === 0) return '$0';
  const digits = Math.max(2, 1 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toFixed(Math.min(digits, 12))}`;
}
