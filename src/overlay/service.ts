import { resolveConfig, type Settings } from './call/settings.ts';
import type { Config } from './config.ts';
import { ConfigError } from './errors/errors.ts';

/**
 * One service without the others, for where size counts: `const chat = newService(Chat, { apiKey })` is what `newClient(config).chat()` gives.
 * A bundle then carries that service alone, while a client brings all of them along. Each service made so stands for itself: two of them
 * share nothing, as two clients do.
 *
 * Throws a ConfigError when `config` is wrong, as `newClient` does; nothing is sent.
 */
export function newService<Service>(service: new (settings: Settings) => Service, config: Config): Service {
  if (typeof service !== 'function') throw new ConfigError('newService takes a service first, for instance newService(Chat, { apiKey })');
  return new service(resolveConfig(config));
}
