import { nodeTransport } from '#transport';
import type { ModelRow } from '../../../generated/models.ts';
import { version } from '../../../generated/version.ts';
import { Gates } from '../../concurrency/gates.ts';
import { gateOptions } from '../../concurrency/options.ts';
import { type Config, configFields, RegionChina, RegionGlobal } from '../../config.ts';
import { firstDelayMs } from '../../errors/backoff.ts';
import { configured } from '../../errors/problem.ts';
import type { Hook } from '../../hooks/hook.ts';
import { isObject } from '../../json/json-value.ts';
import { checkFields } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { inPage } from '../../platform.ts';
import { secretsOf } from '../../secrets/clean.ts';
import { fetchTransport } from '../../transport/fetch.ts';
import type { Transport } from '../../transport/transport.ts';
import { type Endpoint, type EndpointName, resolveEndpoints } from './endpoints.ts';
import { countField, durationField, isHeaderValue, keyOrSource } from './fields.ts';
import { checkedHeaders } from './headers.ts';
import { Lifetime } from './lifetime.ts';
import { modelRows } from './models.ts';
import { limitsOf, outerLimits, type RetryLimits } from './patience.ts';
import { type MakeBudget, type Purse, purseOf } from './purse.ts';

/** A checked Config with its defaults. Services take it; `newClient` and `newService` make it. */
export interface Settings {
  readonly apiKey: Config['apiKey'];
  readonly chinaAPIKey: Config['apiKey'];
  /** @internal Values to redact from the service's text. */
  readonly secrets: string[];
  /** @internal The newest keys that key functions returned, redacted too. */
  readonly recentKeys: string[];
  /** @internal A copy of the Config, for `client.with`. */
  readonly config: Config;
  /** @internal */
  readonly endpoints: Readonly<Record<EndpointName, Endpoint>>;
  readonly timeoutMs: number;
  /** @internal */
  readonly limits: RetryLimits;
  /** @internal Undefined without `budget`. */
  readonly purse: Purse | undefined;
  readonly retryDelayMs: number;
  readonly userAgent: string;
  /** By lower-case name; undefined if there are none. */
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly hooks: readonly Hook[];
  /** @internal Notes that the hooks have. */
  readonly told: Set<string>;
  readonly disableToolSchemaCompat: boolean;
  /** Undefined: by the host of the surface. */
  readonly wholeReplies: boolean | undefined;
  readonly streamIdleMs: number;
  readonly streamContentMs: number;
  readonly maxReplyBytes: number;
  readonly maxEventBytes: number;
  readonly maxBufferedBytes: number;
  readonly maxErrorBytes: number;
  /** @internal */
  readonly transport: Transport;
  /** @internal */
  readonly lifetime: Lifetime;
  /** @internal Undefined with `concurrency: false`. */
  readonly gates: Gates | undefined;
  /** The rows of `Config.models` by id. A field that a row does not have comes from the built-in catalogue. */
  readonly models: ReadonlyMap<string, ModelRow>;
}

/** Parts that a whole client has. A single service does not, so that its bundle has neither prices nor the catalogue. */
interface ClientParts {
  readonly makeBudget?: MakeBudget;
}

const mebibyte = 1024 * 1024;

/** Options of the clients of other vendors. */
const elsewhere = {
  fetch: 'httpClient',
  defaultHeaders: 'headers',
  authToken: 'apiKey',
  httpAgent: 'agent',
  dispatcher: 'agent',
  logger: 'hooks',
  logLevel: 'hooks',
} as const;

/** Check a Config and fill in its defaults. Throws a ConfigError. */
export function resolveConfig(config: Config, parts: ClientParts = {}): Settings {
  return configured(() => settingsOf(config, () => limitsOf(config), parts));
}

/** The settings of a client with some fields changed. */
export function changedSettings({ config, limits, transport }: Settings, given: Partial<Config> | undefined, parts: ClientParts): Settings {
  const changes = given ?? {};
  return configured(() => settingsOf({ ...config, ...changes }, () => limitsOf(changes, outerLimits(limits, changes)), parts, transport));
}

function settingsOf(config: Config, limits: () => RetryLimits, { makeBudget }: ClientParts, before?: Transport): Settings {
  checkFields(config, configFields, '', 'pass a Config object with at least { apiKey }', elsewhere);
  const apiKey = keyOrSource('apiKey', config.apiKey);
  if (apiKey === undefined) throw new Problem('apiKey', 'is required (newClientFromEnv reads it from SVC_API_KEY)');
  const china = keyOrSource('chinaAPIKey', config.chinaAPIKey);
  const chinaAPIKey = china ?? apiKey;
  const {
    httpClient,
    hooks,
    userAgent,
    baseURL,
    serviceRules,
    wholeReplies,
    region,
    disableToolSchemaCompat = false,
    dangerouslyAllowBrowser = false,
  } = config;
  if (region !== undefined && region !== RegionGlobal && region !== RegionChina)
    throw new Problem('region', "must be RegionGlobal ('global') or RegionChina ('china')");
  if (httpClient !== undefined && typeof httpClient !== 'function') throw new Problem('httpClient', 'must be a function that behaves like fetch');
  if (hooks !== undefined && !(Array.isArray(hooks) && hooks.every(isObject))) throw new Problem('hooks', 'must be an array of Hook objects');
  if (userAgent !== undefined && !isHeaderValue(userAgent)) throw new Problem('userAgent', 'must be ASCII text without control characters');
  for (const [name, flag] of Object.entries({ disableToolSchemaCompat, dangerouslyAllowBrowser, serviceRules, wholeReplies }))
    if (flag !== undefined && typeof flag !== 'boolean') throw new Problem(name, 'must be true or false');
  if (!dangerouslyAllowBrowser && inPage())
    throw new Problem('apiKey', 'can be read by every visitor of this page: call a server of your own, or set dangerouslyAllowBrowser: true');
  const headers = config.headers === undefined ? undefined : Object.freeze(checkedHeaders(config.headers, 'headers'));
  const endpoints = resolveEndpoints({ apiKey, chinaAPIKey: china, region, baseURL, endpoints: config.endpoints, serviceRules });
  const duration = (name: keyof Config, whenAbsent: number): number => durationField(name, config[name]) ?? whenAbsent;
  const count = (name: keyof Config, whenAbsent: number): number => countField(name, config[name]) ?? whenAbsent;
  const retryDelayMs = duration('retryDelay', firstDelayMs);
  const ownHooks = Object.freeze([...(hooks ?? [])]);
  // Fields may be inherited, so that a spread would lose them.
  const fields = Object.fromEntries(Object.keys(configFields).map((name) => [name, config[name as keyof Config]])) as Partial<Config>;
  const models = modelRows(config.models);
  const purse = purseOf(config.budget, makeBudget);
  const queueing = gateOptions(config.concurrency, durationField);
  return Object.freeze({
    apiKey,
    chinaAPIKey,
    secrets: secretsOf({ apiKey, chinaAPIKey, headers }),
    recentKeys: [],
    config: Object.freeze({ ...fields, apiKey, headers, hooks: ownHooks, models: [...models.values()], budget: purse }),
    endpoints,
    timeoutMs: duration('timeout', 30_000),
    limits: limits(),
    purse,
    retryDelayMs,
    userAgent: userAgent ?? `modelsvc/${version}`,
    headers,
    hooks: ownHooks,
    told: new Set<string>(),
    disableToolSchemaCompat,
    wholeReplies,
    streamIdleMs: duration('streamIdleTimeout', 300_000),
    streamContentMs: duration('streamContentTimeout', 0),
    maxReplyBytes: count('maxReplyBytes', 64 * mebibyte),
    maxEventBytes: count('maxEventBytes', 16 * mebibyte),
    maxBufferedBytes: count('maxBufferedBytes', 8 * mebibyte),
    maxErrorBytes: count('maxErrorBytes', 64 * 1024),
    transport: transportOf(config, count('maxSockets', 0), endpoints, before),
    lifetime: new Lifetime(),
    gates: queueing && new Gates(queueing, retryDelayMs),
    models,
  });
}

function transportOf(config: Config, maxSockets: number, endpoints: Settings['endpoints'], before: Transport | undefined): Transport {
  const { httpClient } = config;
  const roots = Object.values(endpoints).map(({ root }) => root);
  const node = httpClient ? undefined : nodeTransport(config, maxSockets, roots, before);
  if (node) return node;
  const foreign = (['ca', 'agent'] as const).find((name) => config[name] !== undefined);
  if (foreign) throw new Problem(foreign, 'needs the transport of Node: set it in your own httpClient');
  // Looked up at each call, so that a fetch installed later is used.
  return fetchTransport(httpClient ?? ((url, init) => globalThis.fetch(url, init)), maxSockets);
}
