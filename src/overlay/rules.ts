import * as routes from '../generated/routes.ts';
import type { Route } from '../generated/routes.ts';
import { urlOf } from './call-url.ts';
import type { Rules } from './checks.ts';

/** What the calls of one operation are checked by, and written by where they have parameters. */
export interface CallRules extends Rules {
  readonly urlOf?: typeof urlOf;
}

const none: CallRules = {};
const known = new Map<unknown, CallRules>();
for (const route of Object.values(routes) as Route[]) if (typeof route.rules === 'function') known.set(route, { ...(await route.rules()), urlOf });

export function rulesOf(route: Route): CallRules {
  return known.get(route) ?? none;
}
