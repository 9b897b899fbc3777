import type { Route } from '../generated/routes.ts';
import type { urlOf } from './call-url.ts';
import type { Rules } from './checks.ts';
import { loaded } from './loaded.ts';

/** What the calls of one operation are checked by, and written by where they have parameters. */
export interface CallRules extends Rules {
  readonly urlOf?: typeof urlOf;
}

const none: CallRules = {};
const known = new WeakMap<Route, CallRules | Promise<CallRules>>();

/** The rules of an operation: plain once they have been loaded, a promise before. A load that failed is forgotten, so that the next call tries again. */
export function rulesOf(route: Route): CallRules | Promise<CallRules> {
  if (!route.rules) return none;
  return known.get(route) ?? load(route, route.rules);
}

function load(route: Route, load: () => Promise<Rules>): Promise<CallRules> {
  const loading = loaded(route.id, withUrl(load)).then(
    (rules) => {
      known.set(route, rules);
      return rules;
    },
    (error: unknown) => {
      known.delete(route);
      throw error;
    },
  );
  known.set(route, loading);
  return loading;
}

async function withUrl(load: () => Promise<Rules>): Promise<CallRules> {
  const rules = await load();
  return rules.parameters ? { ...rules, urlOf: (await import('./call-url.ts')).urlOf } : rules;
}
