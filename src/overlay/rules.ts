import type { Route } from '../generated/routes.ts';
import type { Rules } from './checks.ts';
import { ConnectionError } from './errors.ts';

export type { Rules };

const none: Rules = {};
const known = new WeakMap<Route, Rules | Promise<Rules>>();

/**
 * The rules of an operation: plain once they have been loaded, a promise before. A load that failed is forgotten, so that the next call tries
 * again; it is a ConnectionError, since only a browser that fetches the code piece by piece can fail here.
 */
export function rulesOf(route: Route): Rules | Promise<Rules> {
  if (!route.rules) return none;
  return known.get(route) ?? load(route, route.rules);
}

function load(route: Route, rules: () => Promise<Rules>): Promise<Rules> {
  const loading = rules().then(
    (loaded) => {
      known.set(route, loaded);
      return loaded;
    },
    (cause: unknown) => {
      known.delete(route);
      throw new ConnectionError(`${route.id}: the rules for this request could not be loaded`, { operation: route.id, phase: 'connect', cause });
    },
  );
  known.set(route, loading);
  return loading;
}
