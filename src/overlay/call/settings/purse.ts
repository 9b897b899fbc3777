// A budget as a client sees it. `newBudget` makes one.
import type { ModelRow } from '../../../generated/models.ts';
import type { Hook } from '../../hooks/hook.ts';
import { isObject } from '../../json/json-value.ts';
import { Problem } from '../../json/problem.ts';
import type { Call } from '../request/call.ts';

type OwnRows = ReadonlyMap<string, ModelRow>;

export interface Purse {
  /** Throws the error of a call that may not be sent. */
  ask(call: Call, models: OwnRows): void;
  /** A hook that charges the calls of one client. */
  hookFor(models: OwnRows): Hook;
}

/** The purse of a Config. `make` makes one of numbers; a single service cannot, so that its bundle has no prices. */
export function purseOf(budget: unknown, make: ((limits: never) => Purse) | undefined): Purse | undefined {
  if (budget === undefined) return undefined;
  if (isPurse(budget)) return budget;
  if (!make) throw new Problem('budget', 'must be made by newBudget');
  return make(budget as never);
}

function isPurse(value: unknown): value is Purse {
  return isObject(value) && 'ask' in value && 'hookFor' in value;
}
