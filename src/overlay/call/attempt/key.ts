import { ConfigError } from '../../errors/errors.ts';
import { configured } from '../../errors/problem.ts';
import { keptCause } from '../../secrets/cause.ts';
import { secretsOf } from '../../secrets/clean.ts';
import type { Cancellation } from '../cancellation.ts';
import type { Call } from '../request/call.ts';
import { keyField } from '../settings/fields.ts';
import { bearer } from '../settings/headers.ts';
import type { Settings } from '../settings/settings.ts';

/** Number of keys from key functions that a client remembers, to redact them from text that arrives after their call. */
const maxRecentKeys = 8;

/** The call of the next attempt, with the key that the user's function returns now. */
export async function withFreshKey(call: Call, settings: Settings, cancellation: Cancellation): Promise<Call> {
  const { operation, secrets, endpoint } = call;
  const { recentKeys } = settings;
  const source = endpoint.key as () => unknown;
  const name = `${operation}: ${source === settings.apiKey ? 'apiKey' : 'chinaAPIKey'}()`;
  let given: unknown;
  try {
    given = await cancellation.race(source());
  } catch (cause) {
    throw cancellation.reason ?? new ConfigError(`${name} failed`, keptCause(cause, secrets));
  }
  const key = configured(() => keyField(name, given));
  if (key === undefined) throw new ConfigError(`${name} returned no key`);
  if (!recentKeys.includes(key)) recentKeys.splice(0, recentKeys.push(key) - maxRecentKeys);
  // Added to the same array, because the hooks of the call refer to it.
  for (const secret of secretsOf({ apiKey: key })) if (!secrets.includes(secret)) secrets.push(secret);
  return { ...call, headers: { ...call.headers, authorization: bearer(key) } };
}
