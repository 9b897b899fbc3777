// A budget as calls see it. `newBudget` makes one.
import type { ModelRow } from '../../../generated/models.ts';
import type { Route } from '../../../generated/routes.ts';
import type { Budget, BudgetLimits } from '../../config.ts';
import type { Hook } from '../../hooks/hook.ts';
import { isObject } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import type { Endpoint } from './endpoints.ts';

/** A call that is about to be sent. */
export interface PricedCall {
  readonly operation: string;
  readonly route: Partial<Pick<Route, 'id' | 'bills' | 'performs'>> & { readonly method: string };
  readonly endpoint: Endpoint;
  readonly model: string;
  readonly body: unknown;
  readonly secrets: readonly string[];
}

export interface Purse extends Budget {
  /** Throws the error of a call that may not be sent. */
  ask(call: PricedCall, models: ReadonlyMap<string, ModelRow>): void;
  /** A hook that charges the calls of one client. */
  hookFor(models: ReadonlyMap<string, ModelRow>): Hook;
}

/** Makes a budget of numbers. A single service has no such function, so that its bundle has no prices. */
export type MakeBudget = (limits: BudgetLimits) => Budget;

/** The purse of a Config. */
export function purseOf(budget: Budget | BudgetLimits | undefined, make: MakeBudget | undefined): Purse | undefined {
  if (budget === undefined) return undefined;
  const made = isPurse(budget) || !make ? budget : make(budget as BudgetLimits);
  if (!isPurse(made)) throw new Problem('budget', 'must be made by newBudget');
  return made;
}

function isPurse(value: unknown): value is Purse {
  return isObject(value) && 'ask' in value && 'hookFor' in value;
}
