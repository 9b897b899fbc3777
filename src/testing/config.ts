import type { Config } from '../overlay/index.ts';

/** The key that the fake takes, unless told otherwise. It opens nothing else. */
export const fakeKey = 'fake-id.fake-secret';

/**
 * A Config that points `baseURL` and every root of `endpoints` at one URL: the fake, or any mock of the spec.
 *
 * It has the fake's key and a retry delay of 1 ms. Overrides win; those of `endpoints` one by one.
 *
 * @example
 * const client = newClient(configFor(fake.url, { maxRetries: 0 }));
 */
export function configFor(url: string, overrides: Partial<Config> = {}): Config {
  const endpoints = { messages: url, agents: url, monitor: url, biz: url, china: url, coding: url, platform: url };
  return { apiKey: fakeKey, baseURL: url, retryDelay: 1, ...overrides, endpoints: { ...endpoints, ...overrides.endpoints } };
}
