// Tokens and cost of an answer for people.
import { estimateCost, type ModelRow } from 'modelsvc';

/** `10 tokens in, 3 out, about $0.00002`, with a price if there are rows to look it up. Undefined if the service sent no usage. */
export function usageLine(model: string, usage: object | undefined, rows: readonly ModelRow[] | undefined): string | undefined {
  if (usage === undefined) return undefined;
  const count = (...names: readonly string[]): number | undefined => {
    const values = names.map((name) => (usage as Readonly<Record<string, unknown>>)[name]);
    return values.find((value): value is number => typeof value === 'number');
  };
  const tokens = `${count('prompt_tokens', 'input_tokens') ?? '?'} tokens in, ${count('completion_tokens', 'output_tokens') ?? '?'} out`;
  const cost = rows && estimateCost(model, usage, rows);
  return cost === undefined ? tokens : `${tokens}, about ${costText(cost)}`;
}

/** Dollars with two significant digits. */
export function costText(dollars: number): string {
  if (dollars === 0) return '$0';
  const digits = Math.max(2, 1 - Math.floor(Math.log10(dollars)));
  return `$${dollars.toFixed(Math.min(digits, 12))}`;
}
