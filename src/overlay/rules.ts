import type { Route } from '../generated/routes.ts';
import type { urlOf } from './call-url.ts';
import type { Rules } from './checks.ts';
import { Part } from './part.ts';

/** What the calls of one operation are checked by, and written by where they have parameters. */
export interface CallRules extends Rules {
  readonly urlOf?: typeof urlOf;
}

const none: CallRules = {};
const known = new WeakMap<Route, Part<CallRules>>();

/** The rules of an operation: plain once they have been loaded, a promise before. */
export function rulesOf(route: Route): CallRules | Promise<CallRules> {
  const { rules } = route;
  if (!rules) return none;
  let part = known.get(route);
  if (!part) known.set(route, (part = new Part(() => withUrl(rules))));
  return part.here ?? part.load(route.id);
}

async function withUrl(load: () => Promise<Rules>): Promise<CallRules> {
  const rules = await load();
  return rules.parameters ? { ...rules, urlOf: (await import('./call-url.ts')).urlOf } : rules;
}
