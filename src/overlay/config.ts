import { ConfigError } from './errors/errors.ts';
import type { Hook } from './hooks.ts';
import { environment } from './platform.ts';

/** A function with the contract of the global `fetch`. */
export type FetchLike = (url: string, init: RequestInit) => Promise<Response>;

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

/** The Config of `newClientFromEnv`: SVC_API_KEY and SVC_API_BASE_URL, and nothing else. */
export function configFromEnv(): Config {
  const env = environment();
  const apiKey = env['SVC_API_KEY'];
  if (apiKey === undefined || apiKey === '') throw new ConfigError('SVC_API_KEY is not set');
  const baseURL = env['SVC_API_BASE_URL'];
  return baseURL === undefined || baseURL === '' ? { apiKey } : { apiKey, baseURL };
}
