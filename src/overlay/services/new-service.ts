import { resolveConfig, type Settings } from '../call/settings/settings.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../errors/errors.ts';

/**
 * Create one service without a client, for small bundles: `newService(Chat, { apiKey })` is equivalent to `newClient(config).chat()`.
 * A bundle then contains only that service; a client includes all of them. Two services created this way are as separate as two clients.
 *
 * Throws a ConfigError if `config` is invalid, as `newClient` does. No request is sent.
 *
 * @example
 * ```ts
 * const chat = newService(Chat, { apiKey: 'your-api-key' });
 * const response = await chat.createSimple('glm-5.3', 'Write a haiku about rain.', { effort: 'low' });
 * console.log(response.choices[0]?.message.content);
 * ```
 */
export function newService<Service>(service: new (settings: Settings) => Service, config: Config): Service {
  if (typeof service !== 'function') throw new ConfigError('newService: pass a service class first, for instance newService(Chat, { apiKey })');
  return new service(resolveConfig(config));
}
