import type { ModelRow } from '../generated/models.ts';
import { ConfigError } from './errors/errors.ts';
import type { Hook } from './hooks/hook.ts';
import type { KnownFields } from './json/known-fields.ts';
import { environment } from './platform.ts';

/** Limits of a budget. At least one is set. */
export interface BudgetLimits {
  /** US dollars at list prices, as `estimateCost` counts them. */
  readonly usd?: number | undefined;
  /** Tokens of input and output, cached ones included. */
  readonly tokens?: number | undefined;
}

/** The cost of the calls of a budget so far. `usd` counts the calls that have a price. */
export interface BudgetSpent {
  readonly usd: number;
  readonly tokens: number;
  /** True if a part of it is an estimate: an answer came without its last counts, or a job has no result yet. */
  readonly estimated: boolean;
}

/** A budget that `newBudget` made. It counts the calls of this process, and is not stored. */
export interface Budget {
  readonly limits: BudgetLimits;
  /** The cost so far, frozen. */
  readonly spent: BudgetSpent;
}

/** A function that behaves like the global `fetch`, for instance undici's. */
export type FetchLike = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** The options that the client passes to `httpClient`. They fit the `RequestInit` of any fetch: `fetch(url, { ...init, dispatcher })`. */
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  /** Text, or an upload. Browsers get a Blob instead of the stream, because they stream requests only over HTTP/2. */
  body?: string | ReadableStream<Uint8Array<ArrayBuffer>>;
  signal: AbortSignal;
  redirect: 'manual';
  /** Set for a body that is a stream. */
  duplex?: 'half';
}

/** The parts of a Response that the client reads. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null; forEach(callback: (value: string, name: string) => void): void };
  readonly body: FetchResponseBody | null;
}

/** The parts of a ReadableStream that the client uses. */
export interface FetchResponseBody {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(reason?: unknown): Promise<void> };
  cancel(reason?: unknown): Promise<void>;
}

/** Region of the host that serves messages, responses, agents, monitor, biz and detection. */
export type Region = 'global' | 'china';

/** Region of `api.z.ai`, the default. */
export const RegionGlobal: Region = 'global';
/** Region of `open.bigmodel.cn`. */
export const RegionChina: Region = 'china';

/** Roots that replace the service's, for instance with a mock, a gateway or a local model server. */
export interface Endpoints {
  /** The message surface. Default: `/api/anthropic` on the region's host. */
  readonly messages?: string | undefined;
  /** The Responses surface. Default: `/api/v1` on the region's host. */
  readonly responses?: string | undefined;
  /** Agents. Default: `/api` on the region's host. */
  readonly agents?: string | undefined;
  /** Quota and usage. Default: `/api/monitor` on the region's host. */
  readonly monitor?: string | undefined;
  /** Account. Default: `/api/biz` on the region's host. */
  readonly biz?: string | undefined;
  /** Embeddings and moderations. Default: the platform root on the china host. */
  readonly china?: string | undefined;
  /** Coding-plan chat root, probed by detection. Default: `/api/coding/paas/v4` on the region's host. */
  readonly coding?: string | undefined;
  /** Platform chat root, probed by detection. Default: `/api/paas/v4` on the region's host. */
  readonly platform?: string | undefined;
}

/** Every field of Endpoints. */
export const endpointNames: KnownFields<Endpoints> = { messages: 1, responses: 1, agents: 1, monitor: 1, biz: 1, china: 1, coding: 1, platform: 1 };

/** Options of `Config.concurrency`. Limits are integers of at least 1. */
export interface ConcurrencyOptions {
  /** Maximum number of calls at once, in all clients with this ceiling or a lower one. Default: only the learned limit. */
  readonly max?: number | undefined;
  /** Number of calls at once until the first refusal. The highest value among the clients of a key applies. Default: 2 with `max` or `perModel`. */
  readonly start?: number | undefined;
  /** Known limits by model, instead of `start` and `max`. */
  readonly perModel?: Readonly<Record<string, number>> | undefined;
  /** Maximum number of waiting calls. Further calls fail with a QueueError. Default: 10,000. */
  readonly maxQueue?: number | undefined;
  /**
   * Maximum milliseconds that a call waits for its places; after that it fails with a QueueError. 0 disables it. Default: 0 with `'auto'` and
   * numbers; else the rest of `retryFor`, or until for a minute no call was answered and none is in flight.
   */
  readonly queueTimeout?: number | undefined;
}

/** The fields by which the compiler recognizes an Agent of `node:http` or `node:https`. */
export interface AgentLike {
  readonly maxSockets: number;
  readonly freeSockets: object;
  destroy(): void;
}

/** Configuration of a client. Only `apiKey` is required. Durations are in milliseconds. */
export interface Config {
  /**
   * The API key, sent as a bearer credential on every operation of every surface. A function is called before each attempt, for keys that
   * rotate; if it fails, the call fails with a ConfigError and is not retried.
   */
  readonly apiKey: string | (() => string | Promise<string>);
  /**
   * Root of the chat surface and of every OpenAI-style group except embeddings and moderations. It does not affect messages,
   * responses, agents, quota, account and detection, which have roots of their own. On the china host it needs `region` for them, or
   * `chinaAPIKey`: their calls are a ConfigError otherwise, because they would send the key to the other host. To replace every root, set `endpoints` to a string.
   * Default: `https://api.z.ai/api/paas/v4`. A coding-plan key needs `https://api.z.ai/api/coding/paas/v4`.
   */
  readonly baseURL?: string | undefined;
  /** Fetch function to use, for instance for custom TLS or proxies. Default: `node:http(s)` on Node, the runtime's fetch elsewhere. */
  readonly httpClient?: FetchLike | undefined;
  /**
   * Milliseconds, with separate limits for connecting, TLS and response headers. With `httpClient` or outside Node it is one limit from
   * the call to the headers. The wait for a socket has the same limit. It never limits the body, so it never cuts a live stream. 0 disables
   * it. Default: 30,000.
   */
  readonly timeout?: number | undefined;
  /** Retries on 429, 5xx and network errors. 0 and -1 disable them. Default: 3. */
  readonly maxRetries?: number | undefined;
  /**
   * Milliseconds for which a refusal is retried: 429 and 5xx by their codes, and a refused connection. The time begins with the first
   * refusal. `maxRetries` then counts only other failures, unless you set it in addition to `retryFor`, which makes it a second bound; 0 together with it is
   * a ConfigError. A `Retry-After` longer than the time that is left ends the call. Creations of a batch, a file, a job and a voice do not
   * use it. `retryFor` or `maxRetries: 0` of `with` or of a context replaces it; 0 disables it. Default: 0.
   */
  readonly retryFor?: number | undefined;
  /** Base of the exponential backoff, in milliseconds. Default: 200. */
  readonly retryDelay?: number | undefined;
  /** Key for the china host, if `apiKey` is not valid there, or a function as in `apiKey`. Default: `apiKey`. */
  readonly chinaAPIKey?: string | (() => string | Promise<string>) | undefined;
  /** Region of messages, responses, agents, monitor, biz and detection. Does not affect `baseURL`, embeddings or moderations. Default: `RegionGlobal`. */
  readonly region?: Region | undefined;
  /** Replaces the User-Agent header, verbatim. Browsers forbid setting it. Default: `modelsvc/<version>`. */
  readonly userAgent?: string | undefined;
  /**
   * Headers of every call. Headers of a context replace them. Their values are redacted from errors and follow no redirect to another origin.
   * `authorization`, `proxy-authorization`, `x-api-key`, `api-key` and `cookie` are refused: the key goes in `apiKey`. Default: none.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Observers of every request, response, error and stream chunk. Default: none, at no cost. */
  readonly hooks?: readonly Hook[] | undefined;
  /** Send tool schemas unmodified on every surface. Default: false. */
  readonly disableToolSchemaCompat?: boolean | undefined;
  /**
   * Replacements of single roots other than `baseURL`. A string replaces every root, also `baseURL`: each operation is then sent to
   * this URL plus its own path, for instance `/chat/completions` or `/v1/messages`. No request goes to another host: `baseURL`, if also set,
   * must have the same origin, and is then the root of chat.
   */
  readonly endpoints?: Endpoints | string | undefined;
  /**
   * Whether requests keep to the rules of the service, on every root: its ranges and lengths, and the names of its fields. `effort` is then
   * translated for its models. True fits a gateway or a fake of the service. Default: true on the hosts of the service, false on others.
   */
  readonly serviceRules?: boolean | undefined;
  /**
   * Whether `create`, `createSimple`, `parse` and `runWithTools` ask for one reply. Its header comes when the answer is complete, so `timeout` is then the
   * limit of the answer. False asks for a stream and returns its collected answer. Default: false on the hosts of the service, true on others.
   */
  readonly wholeReplies?: boolean | undefined;
  /** Milliseconds without a byte after which an open body or stream fails. 0 disables it. Default: 300,000. */
  readonly streamIdleTimeout?: number | undefined;
  /** Milliseconds without content after which a stream fails. Pings and comments are not content. 0 disables it. Default: 0. */
  readonly streamContentTimeout?: number | undefined;
  /** Maximum bytes of a reply in memory, decompressed: JSON, and `bytes()` and `text()` of binary replies. 0 disables the limit. Default: 64 MiB. */
  readonly maxReplyBytes?: number | undefined;
  /** Maximum bytes of one line and of one event of a stream. 0 disables the limit. Default: 16 MiB. */
  readonly maxEventBytes?: number | undefined;
  /** Maximum bytes buffered for a slow reader; at the limit the socket is paused. 0 disables the limit. Default: 8 MiB. */
  readonly maxBufferedBytes?: number | undefined;
  /** Maximum bytes read from an error reply. 0 disables the limit. Default: 64 KiB. */
  readonly maxErrorBytes?: number | undefined;
  /**
   * Maximum sockets in use per origin on the Node transport, by all clients with this limit and the same `ca`. With `httpClient` or outside
   * Node: maximum calls of this client in flight. Further calls wait, for `timeout` at most. 0 disables the limit. Default: 0.
   */
  readonly maxSockets?: number | undefined;
  /** Certificates in PEM, trusted in addition to Node's. Only on Node, without `httpClient` or `agent`. Default: none. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /**
   * Agent of `node:https` (or `node:http`) for every request, with its own sockets, certificates and proxy: `maxSockets`, `ca` and the proxies
   * of the environment do not apply. `close` leaves its sockets open. Only on Node, without `httpClient`. Default: an Agent of this package.
   */
  readonly agent?: AgentLike | undefined;
  /** Allow a client in a browser page, where every visitor can read the key. Default: false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Calls at once, for each key and model. Further calls wait, outside all timeouts. `'auto'` learns the limit of the service from its refusals.
   * A number is the limit at the start and the ceiling; the limit is lowered while the service refuses. `false` sends each call immediately, for
   * programs with a fail-over of their own. All clients of the process share the places. Reads (GET) do not wait.
   * Default: no limit until the service refuses; then the calls wait for each other.
   */
  readonly concurrency?: number | 'auto' | false | ConcurrencyOptions | undefined;
  /**
   * Models to add to the built-in catalogue, or to correct in it: each field of a row replaces the built-in row's. `models()` and
   * `effort` use them. Pass the same rows to `estimateCost`, `estimateCredits` and `usageMeter`. Models without a row are never refused.
   * Default: none.
   */
  readonly models?: readonly ModelRow[] | undefined;
  /**
   * A limit of what the calls may cost: `{ usd: 2 }`, `{ tokens }`, or a budget of `newBudget`, which several clients can share. A
   * client made by `with` shares it too. A service of `newService` takes only the latter. Default: none.
   */
  readonly budget?: Budget | BudgetLimits | undefined;
  /**
   * The team whose plan `quota` and `usage` read, by the ids that the service shows: sent as two headers and `type=2`. A wrong one is a
   * ConfigError of these calls. Default: none, the personal plan of the key.
   */
  readonly team?: { readonly organization: string; readonly project: string } | undefined;
}

/** Every field of a Config. */
export const configFields: KnownFields<Config> = {
  apiKey: 1,
  baseURL: 1,
  httpClient: 1,
  timeout: 1,
  maxRetries: 1,
  retryFor: 1,
  retryDelay: 1,
  chinaAPIKey: 1,
  region: 1,
  userAgent: 1,
  hooks: 1,
  disableToolSchemaCompat: 1,
  endpoints: 1,
  serviceRules: 1,
  wholeReplies: 1,
  streamIdleTimeout: 1,
  streamContentTimeout: 1,
  maxReplyBytes: 1,
  maxEventBytes: 1,
  maxBufferedBytes: 1,
  concurrency: 1,
  maxErrorBytes: 1,
  maxSockets: 1,
  headers: 1,
  ca: 1,
  agent: 1,
  dangerouslyAllowBrowser: 1,
  models: 1,
  team: 1,
  budget: 1,
};

/** The Config of `newClientFromEnv`, from SVC_API_KEY and SVC_API_BASE_URL only. One pair of quotes around a value is taken off. */
export function configFromEnv(): Config {
  const env = environment();
  const read = (name: string): string => (env[name] ?? '').trim().replace(/^(["'])(.*)\1$/, '$2');
  const apiKey = read('SVC_API_KEY');
  if (apiKey === '') throw new ConfigError('SVC_API_KEY is not set: set it to your API key, or pass apiKey to newClient');
  const baseURL = read('SVC_API_BASE_URL');
  return baseURL === '' ? { apiKey } : { apiKey, baseURL };
}
