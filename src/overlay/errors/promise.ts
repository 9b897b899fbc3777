import type { Route } from '../../generated/routes.ts';
import type { Envelope } from './envelope.ts';
import { isFields } from './json-value.ts';
import { serviceWords } from './service-words.ts';

export type Promises = NonNullable<Route['promises']>;

/** True if a response has at least one of the promised fields. False if no field is promised. */
export function keeps(body: unknown, promises: Promises): boolean {
  if (!isFields(body)) return false;
  for (const name in promises) if (isKind(body[name], promises[name])) return true;
  return false;
}

/**
 * The failure of a response that contains neither an error nor a result. It has none of the promised fields, or its status means
 * no content (204, 205) or partial content (206). Undefined for a success, and for an operation without promised fields.
 */
export function missingPromise(body: unknown, route: { readonly promises?: Promises | undefined }, status = 200): Envelope | undefined {
  const names = Object.keys(route.promises ?? {});
  if (route.promises === undefined || names.length === 0) return undefined;
  const lacks = status === 204 || status === 205 || !keeps(body, route.promises);
  if (!lacks && status !== 206) return undefined;
  const own = lacks ? `the response has no ${names.join(' or ')}` : 'the response is only a part (HTTP 206)';
  return { code: undefined, message: serviceWords(body) || own, requestId: undefined };
}

function isKind(value: unknown, kind: Promises[string] | undefined): boolean {
  if (kind === 'array') return Array.isArray(value);
  return kind === 'object' ? isFields(value) : value !== undefined && value !== null;
}
