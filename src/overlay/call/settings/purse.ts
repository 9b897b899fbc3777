// A budget as calls see it. `newBudget` makes one.
import type { ModelRow } from '../../../generated/models.ts';
import type { Route } from '../../../generated/routes.ts';
import type { Budget, BudgetLimits } from '../../config.ts';
import { isObject } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import type { Door } from '../door.ts';
import type { Endpoint } from './endpoints.ts';

/** A call that is about to be sent. */
export interface PricedCall {
  readonly operation: string;
  readonly route: Partial<Pick<Route, 'id' | 'performs'>>;
  readonly endpoint: Endpoint;
  readonly url: string;
  /** Model of the request; empty if it has none. */
  readonly asked: string;
  readonly charges: boolean;
  readonly body: unknown;
  readonly reply: string;
  readonly secrets: readonly string[];
}

export interface Purse extends Budget {
  /** The door of a call, around its gate's; undefined if the budget has no use for it. */
  doorOf(call: PricedCall, models: ReadonlyMap<string, ModelRow>, inner: Door): Door | undefined;
  /** Throws a BudgetError: what a batch costs is known after its results. */
  refuseBatch(operation: string): void;
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
  return isObject(value) && 'doorOf' in value;
}
