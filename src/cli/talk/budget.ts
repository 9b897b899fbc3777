import type { BudgetLimits } from 'modelsvc';
import { usageError } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';

/** The limit of `--budget`: US dollars, or a number with its unit. */
export function budgetOf(input: Input): { readonly budget?: BudgetLimits } {
  const text = input.text('budget');
  if (text === undefined) return {};
  const [, amount, unit = 'usd'] = /^(\d{1,15}(?:\.\d{1,9})?) ?(usd|credits|tokens)?$/.exec(text.replaceAll('_', '')) ?? [];
  if (amount === undefined) throw usageError(`--budget must be an amount such as 0.50 or 100000tokens, not ${JSON.stringify(text)}`);
  if (unit === 'credits')
    throw usageError('--budget takes no credits: the windows of the plan are the limit there', 'See them with `modelsvc quota`.');
  return { budget: { [unit]: Number(amount) } };
}
