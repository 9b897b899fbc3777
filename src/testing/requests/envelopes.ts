import type { Route } from '../../generated/routes.ts';
import { businessCode } from '../../overlay/errors/failure.ts';

/** A failure as the service reports it. */
export interface ServiceError {
  /** HTTP status. Monitor, biz, agents and the synchronous parser ignore it and answer 200. */
  readonly status: number;
  /**
   * Business code, for instance `1302`. On the message surface also an error type, for instance `overloaded_error`. On
   * Responses a word, for instance `rate_limit_exceeded`.
   */
  readonly code: string;
  readonly message: string;
}

/**
 * Forms of a failure in a body: the service's six envelopes, and the documented or recorded variants of the first.
 * The variants are `number` (code as a number), `bare` (without the wrapper) and `codeOnly` (without a message).
 */
export type EnvelopeShape = 'platform' | 'agents' | 'parser' | 'monitor' | 'messages' | 'responses' | 'number' | 'bare' | 'codeOnly';

/** Every form, for a test of each. */
export const envelopeShapes: readonly EnvelopeShape[] = [
  'platform',
  'agents',
  'parser',
  'monitor',
  'messages',
  'responses',
  'number',
  'bare',
  'codeOnly',
];

/** Renders a failure in one of the forms. `id` is the request id. */
export function envelope(shape: EnvelopeShape, error: ServiceError, id: string | undefined): object {
  const { code, message } = error;
  switch (shape) {
    case 'platform':
      return { error: { code, message } };
    case 'agents':
      return { id, agent_id: 'general_translation', status: 'failed', error: { code, message } };
    case 'parser':
      return { msg: message, code: numeric(code) };
    case 'monitor':
      return { code: numeric(code), msg: message, success: false };
    case 'messages':
      return { type: 'error', error: { type: code, message }, request_id: id };
    case 'responses':
      return { error: { code, message, param: null, type: code } };
    case 'number':
      return { error: { code: numeric(code), message } };
    case 'bare':
      return { code: numeric(code), message };
    case 'codeOnly':
      return { error: { code } };
  }
}

/** The form in which the surface of a route reports a failure with an HTTP status. */
export function shapeOf(route: Route | undefined): EnvelopeShape {
  if (route?.surface === 'messages' || route?.surface === 'responses') return route.surface;
  return route?.surface === 'monitor' || route?.surface === 'biz' ? 'monitor' : 'platform';
}

/** The form in which a route reports a failure inside a 200. */
export function embeddedShapeOf(route: Route): EnvelopeShape {
  if (route.surface === 'agents') return 'agents';
  return route.id === 'fileParser.sync' ? 'parser' : shapeOf(route);
}

const words: Readonly<Record<string, string>> = {
  '1113': 'insufficient_quota',
  '1211': 'model_not_found',
  '1261': 'context_length_exceeded',
  '1302': 'rate_limit_exceeded',
  '1305': 'overloaded',
  '1308': 'usage_limit_reached',
  '1311': 'usage_not_included',
};
const wordsByCategory: Readonly<Record<string, string>> = {
  auth: 'invalid_api_key',
  billing: 'insufficient_quota',
  permission: 'permission_denied',
  content: 'content_filter',
  rate: 'rate_limit_exceeded',
  quota: 'quota_exceeded',
  server: 'server_error',
};

/** The word of the Responses surface for a failure. */
export function wordOf(code: string): string {
  if (!/^\d+$/.test(code)) return code;
  return words[code] ?? wordsByCategory[businessCode(code)?.category ?? ''] ?? 'invalid_request';
}

function numeric(code: string): number {
  return /^\d+$/.test(code) ? Number(code) : 500;
}
