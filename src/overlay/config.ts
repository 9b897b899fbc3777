import type { Surface } from '../generated/routes.ts';
import { Lifetime } from './call/lifetime.ts';
import { ConfigError } from './errors/errors.ts';
import type { Hook } from './hooks.ts';
import { environment, isNode } from './platform.ts';
import { type FetchLike, fetchTransport } from './transport/fetch.ts';
import { nodeTransport } from './transport/node.ts';
import type { Transport } from './transport/transport.ts';
import { version } from './version.ts';

/** Which host serves the groups that follow the region. */
export type Region = 'global' | 'china';

export const RegionGlobal: Region = 'global';
export const RegionChina: Region = 'china';

/** Roots that take the place of the service's own: a mock, a gateway, a local model server. */
export interface Endpoints {
  /** The message surface. Default: `/api/anthropic` on the region's host. */
  readonly messages?: string;
  /** Agents. Default: `/api` on the region's host. */
  readonly agents?: string;
  /** Quota and usage. Default: `/api/monitor` on the region's host. */
  readonly monitor?: string;
  /** Account. Default: `/api/biz` on the region's host. */
  readonly biz?: string;
  /** Embeddings and moderations. Default: the platform root on the china host. */
  readonly china?: string;
  /** Coding-plan chat root, probed by detection. Default: `/api/coding/paas/v4` on the region's host. */
  readonly coding?: string;
  /** Platform chat root, probed by detection. Default: `/api/paas/v4` on the region's host. */
  readonly platform?: string;
}

/** What `newClient` takes. Only `apiKey` is required; durations are milliseconds. */
export interface Config {
  /** The API key, sent as a bearer credential on every operation of both surfaces. */
  readonly apiKey: string;
  /**
   * Root of the chat surface and of every OpenAI-style group but embeddings and moderations.
   * Default: `https://api.z.ai/api/paas/v4`. A coding-plan key wants `https://api.z.ai/api/coding/paas/v4`.
   */
  readonly baseURL?: string;
  /** A function with the contract of `fetch`, for TLS or proxies of your own. Default: `node:http(s)` on Node, the runtime's fetch elsewhere. */
  readonly httpClient?: FetchLike;
  /**
   * Milliseconds for dial, TLS handshake and response-header wait, each for itself (with `httpClient` or outside Node: one bound from
   * call to header). Never bounds the body, so it never cuts a live stream. 0 is no bound. Default: 30,000.
   */
  readonly timeout?: number;
  /** Retries on 429, 5xx and network errors. 0 and -1 disable them. Default: 3. */
  readonly maxRetries?: number;
  /** Base of the exponential backoff, in milliseconds. Default: 200. */
  readonly retryDelay?: number;
  /** A key valid solely on the china host. Default: `apiKey`. */
  readonly chinaAPIKey?: string;
  /** Host of messages, agents, monitor, biz and detection. Does not move `baseURL`, embeddings or moderations. Default: `RegionGlobal`. */
  readonly region?: Region;
  /** Replaces the User-Agent header, verbatim. Browsers forbid setting it. Default: `modelsvc/<version>`. */
  readonly userAgent?: string;
  /** Watchers of every request, response, error and stream chunk. Default: none, which costs nothing. */
  readonly hooks?: readonly Hook[];
  /** Send tool schemas unmodified on both surfaces. Default: false. */
  readonly disableToolSchemaCompat?: boolean;
  /** Roots other than `baseURL`, one by one. */
  readonly endpoints?: Endpoints;
  /** Milliseconds without a byte after which a body or stream that has begun is given up. 0 is never. Default: 300,000. */
  readonly streamIdleTimeout?: number;
  /** Milliseconds without content, pings and comments not counting, after which a stream is given up. 0 is never. Default: 0. */
  readonly streamContentTimeout?: number;
  /** Bytes of a reply that is held in memory, decompressed: JSON, and `bytes()` and `text()` of binary replies. 0 is no bound. Default: 64 MiB. */
  readonly maxReplyBytes?: number;
  /** Bytes of one line and of one event of a stream. 0 is no bound. Default: 16 MiB. */
  readonly maxEventBytes?: number;
  /** Bytes fetched ahead of a slow reader; beyond them the socket waits. 0 is no bound. Default: 8 MiB. */
  readonly maxBufferedBytes?: number;
  /** Bytes read of an error reply. 0 is no bound. Default: 64 KiB. */
  readonly maxErrorBytes?: number;
  /** Sockets per origin on Node's own transport; further calls wait for a free one, which no timeout counts. 0 is no bound. Default: 256. */
  readonly maxSockets?: number;
}

/** A resolved Config: services take it, `newClient` and `newService` make it. */
export interface Settings {
  readonly apiKey: string;
  readonly chinaAPIKey: string;
  readonly region: Region;
  readonly baseURL: string | undefined;
  readonly endpoints: Endpoints;
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
}

const mebibyte = 1024 * 1024;
const day = 24 * 60 * 60 * 1000;

/** Check a Config and fill in its defaults. Messages never quote a value: it may be the key. */
export function resolveConfig(config: Config): Settings {
  if (typeof config !== 'object' || config === null) throw new ConfigError('a Config object is needed, at least { apiKey }');
  const apiKey = keyField('apiKey', config.apiKey);
  if (apiKey === undefined) throw new ConfigError('apiKey is required (newClientFromEnv reads it from SVC_API_KEY)');
  const region = config.region ?? RegionGlobal;
  if (region !== RegionGlobal && region !== RegionChina) throw new ConfigError("region must be RegionGlobal ('global') or RegionChina ('china')");
  const { httpClient, hooks, userAgent } = config;
  if (httpClient !== undefined && typeof httpClient !== 'function') throw new ConfigError('httpClient must be a function with the contract of fetch');
  if (hooks !== undefined && !Array.isArray(hooks)) throw new ConfigError('hooks must be an array of Hook objects');
  if (userAgent !== undefined && !isHeaderValue(userAgent)) throw new ConfigError('userAgent must be text without control characters');
  const { disableToolSchemaCompat = false } = config;
  if (typeof disableToolSchemaCompat !== 'boolean') throw new ConfigError('disableToolSchemaCompat must be true or false');
  return Object.freeze({
    apiKey,
    chinaAPIKey: keyField('chinaAPIKey', config.chinaAPIKey) ?? apiKey,
    region,
    baseURL: rootField('baseURL', config.baseURL),
    endpoints: resolveEndpoints(config.endpoints),
    timeoutMs: durationField('timeout', config.timeout) ?? 30_000,
    maxRetries: retriesField('maxRetries', config.maxRetries) ?? 3,
    retryDelayMs: durationField('retryDelay', config.retryDelay) ?? 200,
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
  });
}

/** The Config of `newClientFromEnv`: SVC_API_KEY and SVC_API_BASE_URL, and nothing else. */
export function configFromEnv(): Config {
  const env = environment();
  const apiKey = env['SVC_API_KEY'];
  if (apiKey === undefined || apiKey === '') throw new ConfigError('SVC_API_KEY is not set');
  const baseURL = env['SVC_API_BASE_URL'];
  return baseURL === undefined || baseURL === '' ? { apiKey } : { apiKey, baseURL };
}

function transportOf(httpClient: FetchLike | undefined, maxSockets: number): Transport {
  if (httpClient) return fetchTransport(httpClient);
  if (isNode()) return nodeTransport({ maxSockets });
  // Looked up at each call, so that a fetch installed later is used.
  return fetchTransport((url, init) => globalThis.fetch(url, init));
}

function keyField(name: string, value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new ConfigError(`${name} must be a string`);
  if (!/^[\x21-\x7e]+$/.test(value)) throw new ConfigError(`${name} has white space, a line break or a character outside ASCII: copy it again`);
  return value;
}

/** True for text that may stand in a header. */
export function isHeaderValue(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && /^[\t\x20-\x7e\x80-\xff]+$/.test(value);
}

/** An absolute http(s) root without its trailing slash. */
export function rootField(name: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !URL.canParse(value)) throw new ConfigError(`${name} must be an absolute URL`);
  const url = new URL(value);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new ConfigError(`${name} must start with https:// or http://`);
  if (url.username !== '' || url.password !== '') throw new ConfigError(`${name} must not hold credentials; the key goes in apiKey`);
  if (url.search !== '' || url.hash !== '') throw new ConfigError(`${name} must not have a query or a fragment`);
  if (/^(www\.)?(z\.ai|bigmodel\.cn)$/.test(url.hostname))
    throw new ConfigError(`${name} is the vendor's web site; the API is at api.z.ai or open.bigmodel.cn`);
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

const endpointNames: readonly (keyof Endpoints & (Surface | 'platform'))[] = ['messages', 'agents', 'monitor', 'biz', 'china', 'coding', 'platform'];

function resolveEndpoints(endpoints: Endpoints = {}): Endpoints {
  const resolved: { -readonly [name in keyof Endpoints]: string } = {};
  if (typeof endpoints !== 'object' || endpoints === null) throw new ConfigError('endpoints must be an object of roots');
  for (const name of Object.keys(endpoints))
    if (!endpointNames.includes(name as keyof Endpoints))
      throw new ConfigError(`endpoints.${name} is not known; there are ${endpointNames.join(', ')}`);
  for (const name of endpointNames) {
    const root = rootField(`endpoints.${name}`, endpoints[name]);
    if (root !== undefined) resolved[name] = root;
  }
  return Object.freeze(resolved);
}

export function durationField(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  // Timers wrap beyond 24.8 days and would fire at once.
  if (typeof value !== 'number' || !(value >= 0 && value <= 20 * day))
    throw new ConfigError(`${name} must be a number of milliseconds, from 0 to 20 days`);
  return value;
}

export function retriesField(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < -1)
    throw new ConfigError(`${name} must be a whole number; 0 and -1 disable retries`);
  return Math.max(value, 0);
}

function countField(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new ConfigError(`${name} must be a whole number of at least 0; 0 is no bound`);
  return value as number;
}
