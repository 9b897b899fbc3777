import { ModelsvcError } from './errors.ts';

/** A unit of a budget. */
export type BudgetUnit = 'usd' | 'tokens';

/** The budget is used up, or cannot price the call. The call was not sent. After a failed attempt it was not sent again. */
export class BudgetError extends ModelsvcError {
  override readonly name = 'BudgetError';
  declare readonly kind: 'budget';
  readonly operation: string;
  readonly unit: BudgetUnit;
  /** The cost of the calls before this one, in `unit`. */
  readonly spent: number;
  /** The limit, in `unit`. */
  readonly limit: number;

  constructor(operation: string, { unit, spent, limit }: { unit: BudgetUnit; spent: number; limit: number }, problem: string, advice: string) {
    super('budget', problem, undefined, { operation, advice });
    this.operation = operation;
    this.unit = unit;
    this.spent = spent;
    this.limit = limit;
  }
}
