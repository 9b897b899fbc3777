import { Gates } from '../concurrency/gates.ts';
import { gateOptions } from '../concurrency/options.ts';
import { type Config, configFields, type FetchLike, RegionChina, RegionGlobal } from '../config.ts';
import { secretsOf } from '../errors/clean.ts';
import { checkFields } from '../errors/known-fields.ts';
import { configured, Problem } from '../errors/problem.ts';
import type { Hook } from '../hooks/hook.ts';
import { isNode } from '../platform.ts';
import { fetchTransport } from '../transport/fetch.ts';
import { nodeTransport } from '../transport/node.ts';
import { poolOf } from '../transport/pool.ts';
import type { Transport } from '../transport/transport.ts';
import { version } from '../version.ts';
import { type Endpoint, type EndpointName, resolveEndpoints } from './endpoints.ts';
import { countField, durationField, isHeaderValue, keyField, retriesField } from './fields.ts';
import { Lifetime } from './lifetime.ts';

/** A checked Config with its defaults. Services take it; `newClient` and `newService` make it. */
export interface Settings {
  readonly apiKey: string;
  readonly chinaAPIKey: string;
  /** @internal Values to redact from the service's text. */
  readonly secrets: readonly string[];
  /** @internal */
  readonly endpoints: Readonly<Record<EndpointName, Endpoint>>;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly retryDelayMs: number;
  readonly userAgent: string;
  readonly hooks: readonly Hook[];
  readonly disableToolSchemaCompat: boolean;
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
  /** @internal Undefined without `concurrency`. */
  readonly gates: Gates | undefined;
}

const mebibyte = 1024 * 1024;

/** Check a Config and fill in its defaults. Throws a ConfigError. */
export function resolveConfig(config: Config): Settings {
  return configured(() => settingsOf(config));
}

function settingsOf(config: Config): Settings {
  checkFields(config, configFields, '', 'pass a Config object with at least { apiKey }');
  const apiKey = keyField('apiKey', config.apiKey);
  if (apiKey === undefined) throw new Problem('apiKey', 'is required (newClientFromEnv reads it from SVC_API_KEY)');
  const chinaAPIKey = keyField('chinaAPIKey', config.chinaAPIKey) ?? apiKey;
  const { httpClient, hooks, userAgent, baseURL, endpoints, region = RegionGlobal, disableToolSchemaCompat = false } = config;
  if (region !== RegionGlobal && region !== RegionChina) throw new Problem('region', "must be RegionGlobal ('global') or RegionChina ('china')");
  if (httpClient !== undefined && typeof httpClient !== 'function') throw new Problem('httpClient', 'must be a function that behaves like fetch');
  if (hooks !== undefined && !(Array.isArray(hooks) && hooks.every(isHook))) throw new Problem('hooks', 'must be an array of Hook objects');
  if (userAgent !== undefined && !isHeaderValue(userAgent)) throw new Problem('userAgent', 'must be ASCII text without control characters');
  if (typeof disableToolSchemaCompat !== 'boolean') throw new Problem('disableToolSchemaCompat', 'must be true or false');
  const retryDelayMs = durationField('retryDelay', config.retryDelay) ?? 200;
  const queueing = gateOptions(config.concurrency, durationField);
  return Object.freeze({
    apiKey,
    chinaAPIKey,
    secrets: secretsOf({ apiKey, chinaAPIKey }),
    endpoints: resolveEndpoints({ apiKey, chinaAPIKey, region, baseURL, endpoints }),
    timeoutMs: durationField('timeout', config.timeout) ?? 30_000,
    maxRetries: retriesField('maxRetries', config.maxRetries) ?? 3,
    retryDelayMs,
    userAgent: userAgent ?? `modelsvc/${version}`,
    hooks: Object.freeze([...(hooks ?? [])]),
    disableToolSchemaCompat,
    streamIdleMs: durationField('streamIdleTimeout', config.streamIdleTimeout) ?? 300_000,
    streamContentMs: durationField('streamContentTimeout', config.streamContentTimeout) ?? 0,
    maxReplyBytes: countField('maxReplyBytes', config.maxReplyBytes) ?? 64 * mebibyte,
    maxEventBytes: countField('maxEventBytes', config.maxEventBytes) ?? 16 * mebibyte,
    maxBufferedBytes: countField('maxBufferedBytes', config.maxBufferedBytes) ?? 8 * mebibyte,
    maxErrorBytes: countField('maxErrorBytes', config.maxErrorBytes) ?? 64 * 1024,
    transport: transportOf(httpClient, countField('maxSockets', config.maxSockets) ?? 256),
    lifetime: new Lifetime(),
    gates: queueing && new Gates(queueing, retryDelayMs),
  });
}

function isHook(hook: unknown): boolean {
  return typeof hook === 'object' && hook !== null;
}

function transportOf(httpClient: FetchLike | undefined, maxSockets: number): Transport {
  if (httpClient) return fetchTransport(httpClient, maxSockets);
  if (isNode()) return { ...nodeTransport({ maxSockets }), forwarder: (url) => poolOf(maxSockets).forwarder(url) };
  // Looked up at each call, so that a fetch installed later is used.
  return fetchTransport((url, init) => globalThis.fetch(url, init), maxSockets);
}
