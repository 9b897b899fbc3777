import type { Route } from '../generated/routes.ts';
import type { Validate } from '../generated/validators.js';

/** The compiled rules of one operation. */
export interface Rules {
  readonly body?: Validate | undefined;
  readonly parameters?: Validate | undefined;
}

/** The rules of an operation; a promise until they have been loaded. */
export function rulesOf(route: Route): Rules | Promise<Rules> {
  return { body: route.validateBody, parameters: route.validateParameters };
}
