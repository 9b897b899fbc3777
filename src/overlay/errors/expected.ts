import type { Route } from '../../generated/routes.ts';
import { isFields } from '../json/json-value.ts';
import type { Envelope } from './envelope.ts';
import { serviceWords } from './service-words.ts';

export type ExpectedFields = NonNullable<Route['expected']>;

/** True if a response has at least one of the expected fields. False if no field is expected. */
export function hasExpected(body: unknown, expected: ExpectedFields): boolean {
  if (!isFields(body)) return false;
  for (const name in expected) if (isKind(body[name], expected[name], body['status'])) return true;
  return false;
}

/**
 * The failure of a response that contains neither an error nor a result. It has none of the expected fields, or its status means
 * no content (204, 205) or partial content (206). Undefined for a success, and for an operation without expected fields.
 */
export function missingExpected(body: unknown, route: { readonly expected?: ExpectedFields | undefined }, status = 200): Envelope | undefined {
  const names = Object.keys(route.expected ?? {});
  if (route.expected === undefined || names.length === 0) return undefined;
  const lacks = status === 204 || status === 205 || !hasExpected(body, route.expected);
  if (!lacks && status !== 206) return undefined;
  const own = lacks ? `the response has no ${names.join(' or ')}` : 'the response is only a part (HTTP 206)';
  return { code: undefined, message: serviceWords(body) || own, requestId: undefined };
}

function isKind(value: unknown, kind: ExpectedFields[string] | undefined, status: unknown): boolean {
  // A reply that has not completed may be empty: it runs in the background, or was cut off.
  if (kind === 'filled') return Array.isArray(value) && (value.some(isFields) || (typeof status === 'string' && status !== 'completed'));
  if (kind === 'array') return Array.isArray(value);
  return kind === 'object' ? isFields(value) : value !== undefined && value !== null;
}
