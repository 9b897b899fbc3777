import { validationError } from '../overlay/errors/problem.ts';
import type { Config } from '../overlay/index.ts';
import { isFields } from '../overlay/json/json-value.ts';
import { Problem } from '../overlay/json/problem.ts';

/** The key that the fake accepts by default. It is not valid for the real service. */
export const fakeKey = 'fake-id.fake-secret';

/**
 * Returns a Config that points `baseURL` and every root of `endpoints` at one URL: the fake, or any mock of the spec.
 *
 * It has the fake's key, a retry delay of 1 ms, and `serviceRules: true` and `wholeReplies: false`, so that a client sends and refuses the same requests as on the service. Overrides take precedence; overrides of `endpoints` are merged root by root.
 * `newClient({ apiKey, endpoints: url })` moves every root too, with your own key.
 *
 * @example
 * const client = newClient(configFor(fake.url, { maxRetries: 0 }));
 */
export function configFor(url: string, overrides: Partial<Config> = {}): Config {
  if (!isFields(overrides)) throw validationError('configFor', new Problem('overrides', 'must be an object of fields of the Config'));
  const { endpoints, ...rest } = overrides;
  const base = { apiKey: fakeKey, retryDelay: 1, dangerouslyAllowBrowser: true, serviceRules: true, wholeReplies: false };
  if (typeof endpoints === 'string') return { ...base, ...rest, endpoints };
  const every = { messages: url, responses: url, agents: url, monitor: url, biz: url, china: url, coding: url, platform: url };
  return { ...base, baseURL: url, ...rest, endpoints: { ...every, ...endpoints } };
}
