/** A `fetch` for clients of other vendors: entry `modelsvc/fetch`. */
import { durationField, rootField } from '../overlay/call/settings/fields.ts';
import { resolveConfig } from '../overlay/call/settings/settings.ts';
import type { Config } from '../overlay/config.ts';
import { configured } from '../overlay/errors/problem.ts';
import { checkFields, type KnownFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { type Adapter, adapt } from './adapter.ts';
import { serviceOrigins } from './target.ts';

/** Options of `serviceFetch`. Durations are in milliseconds. */
export interface FetchOptions extends Pick<Config, 'hooks' | 'httpClient' | 'serviceRules'> {
  /** As in `Config`. With `auto` set `retries` to `adapter` too: a request that is not retried does not wait for a learned limit. Default: no limit. */
  readonly concurrency?: NonNullable<Config['concurrency']> | undefined;
  /** Root of a gateway or mock. Requests to other origins than this one and the service's own are refused. Default: none. */
  readonly baseURL?: string | undefined;
  /**
   * Limit of the wait for response headers. A billed request that reaches it is not sent again. Set it below the timeout of your client,
   * which would send the request again. 0 disables it. Default: 300,000.
   */
  readonly timeout?: number | undefined;
  /** Milliseconds without a byte after which an open body or stream fails. 0 disables it. Default: 300,000. */
  readonly streamIdleTimeout?: number | undefined;
  /** As in `Config`: send tool schemas unmodified. Default: false. */
  readonly disableToolSchemaCompat?: boolean | undefined;
  /**
   * `client`: the adapter sends a request once, and your client decides by the returned status whether to send it again. `adapter`: the
   * adapter retries like `newClient`; set the retries of your client to 0, or both multiply. Default: `client`.
   */
  readonly retries?: 'client' | 'adapter' | undefined;
}

/**
 * Returns a `fetch` to pass to a client of another vendor, such as `openai` or `@anthropic-ai/sdk`, so that it works with this service.
 *
 * It returns every failure as a status that such clients understand, with a body in the form of the surface. A stream that is cut off or
 * silent fails with an error of this package. Your client keeps its API key and its retries. Throws a ConfigError if an option is invalid.
 *
 * @example
 * const openai = new OpenAI({ apiKey, baseURL: 'https://api.z.ai/api/paas/v4', fetch: serviceFetch() });
 */
export function serviceFetch(options: FetchOptions = {}): typeof fetch {
  const adapter = configured(() => adapterOf(options));
  return (input, init) => adapt(adapter, input, init);
}

const optionNames: KnownFields<FetchOptions> = {
  baseURL: 1,
  timeout: 1,
  streamIdleTimeout: 1,
  disableToolSchemaCompat: 1,
  retries: 1,
  hooks: 1,
  httpClient: 1,
  serviceRules: 1,
  concurrency: 1,
};

function adapterOf(options: FetchOptions): Adapter {
  checkFields(options, optionNames);
  const { hooks = [], httpClient, serviceRules, concurrency = false, retries = 'client', disableToolSchemaCompat = false } = options;
  if (retries !== 'client' && retries !== 'adapter') throw new Problem('retries', "must be 'client' or 'adapter'");
  if (typeof disableToolSchemaCompat !== 'boolean') throw new Problem('disableToolSchemaCompat', 'must be true or false');
  const root = rootField('baseURL', options.baseURL);
  return {
    settings: resolveConfig({
      // Each request has its own key. Vendors' clients have their own check for browser pages.
      apiKey: 'none',
      dangerouslyAllowBrowser: true,
      hooks,
      ...(httpClient && { httpClient }),
      ...(serviceRules !== undefined && { serviceRules }),
      // The client that calls it has retries of its own.
      concurrency,
      timeout: durationField('timeout', options.timeout) ?? 300_000,
      streamIdleTimeout: durationField('streamIdleTimeout', options.streamIdleTimeout) ?? 300_000,
      ...(retries === 'client' && { maxRetries: 0 }),
    }),
    origins: root === undefined ? serviceOrigins : new Set([...serviceOrigins, new URL(root).origin]),
    toolSchemas: !disableToolSchemaCompat,
    steersClient: retries === 'client',
  };
}
