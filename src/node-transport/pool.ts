/** Sockets of `node:http(s)`, kept alive and shared by all clients with the same settings. */

import type { SecureContext } from 'node:tls';
import type { Config } from '../overlay/config.ts';
import { SocketLimit } from '../overlay/transport/socket-limit.ts';
import type { ProxyRoute } from '../proxy/route.ts';
import { type Agent, type Http, newAgent } from './agent.ts';
import { authorityOf, trusting } from './authority.ts';
import { idleSockets } from './idle-sockets.ts';

const maxTargets = 100;

/** A URL in the form of `node:http`, and the Agent with its sockets. */
export interface Target {
  readonly module: Http;
  readonly agent: Agent;
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  /** Extra headers for a proxy for plain http. */
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy: string | undefined;
  /** Undefined if the Agent is the user's, which has a limit of its own. */
  readonly limit: SocketLimit | undefined;
}

/** Settings of a pool. */
export interface PoolOptions {
  /** Maximum sockets per origin. 0 disables the limit. */
  readonly maxSockets: number;
  readonly ca: Config['ca'];
  /** The user's own Agent, used instead of the pool's. */
  readonly agent: Agent | undefined;
  readonly proxies: ProxyVariables;
}

/** The variables about proxies when a client was made. Empty if none names a proxy. */
export type ProxyVariables = Readonly<Record<string, string>>;

const proxyNames = ['http_proxy', 'https_proxy', 'all_proxy'];

/** Read once per client: in every call it would cost more than the rest of this file. */
export function proxyVariables(): ProxyVariables {
  const valuesOf = (names: readonly string[]): [string, string][] =>
    names.flatMap((name) => [name, name.toUpperCase()]).flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []));
  const proxies = valuesOf(proxyNames);
  return Object.fromEntries(proxies.length === 0 ? [] : [...proxies, ...valuesOf(['no_proxy'])]);
}

/** Pools by their settings. Each serves any number of clients, and goes after the last of them. */
const pools = new Map<string, Pool>();
let left: FinalizationRegistry<() => void> | undefined;

/** The pool with these settings, for `client`, which keeps it. */
export function poolOf({ maxSockets, ca, agent, proxies }: PoolOptions, client: object): Pool {
  if (agent) return new Pool({ maxSockets, proxies }, undefined, agent);
  const authority = ca === undefined ? '' : authorityOf(ca);
  const name = `${maxSockets} ${authority} ${JSON.stringify(proxies)}`;
  let pool = pools.get(name);
  if (!pool) pools.set(name, (pool = new Pool({ maxSockets, proxies }, authority)));
  const used = pool;
  used.clients++;
  // A client with an exchange in flight is not collected, so that the sockets of a pool without a client are idle.
  left ??= new FinalizationRegistry((leave) => leave());
  left.register(client, leaveOf(used, name));
  return used;
}

/** Not a closure of `poolOf`: it must not lead to the client. */
function leaveOf(pool: Pool, name: string): () => void {
  return () => {
    if (--pool.clients > 0) return;
    pool.close();
    if (pools.get(name) === pool) pools.delete(name);
  };
}

export class Pool {
  /** Clients that use it. */
  clients = 0;
  readonly #maxSockets: number;
  readonly #variables: ProxyVariables;
  readonly #secureContext: SecureContext | undefined;
  readonly #given: Agent | undefined;
  /** By protocol, or by proxy route. */
  readonly #agents = new Map<string | ProxyRoute, Agent>();
  readonly #limits = new Map<string, SocketLimit>();
  readonly #targets = new Map<string, Target>();
  #loading: Promise<typeof import('../proxy/index.ts')> | undefined;
  #proxies: typeof import('../proxy/index.ts') | undefined;

  constructor({ maxSockets, proxies }: Pick<PoolOptions, 'maxSockets' | 'proxies'>, authority?: string, given?: Agent) {
    this.#maxSockets = maxSockets;
    this.#variables = proxies;
    this.#secureContext = authority ? trusting(authority) : undefined;
    this.#given = given;
  }

  /** Resolves when the code for proxies is loaded; undefined if it is loaded or not needed. */
  ready(): Promise<unknown> | undefined {
    if (this.#proxies || this.#given || Object.keys(this.#variables).length === 0) return undefined;
    this.#loading ??= import('../proxy/index.ts').catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading.then((loaded) => (this.#proxies = loaded));
  }

  target(href: string): Target {
    let target = this.#targets.get(href);
    if (!target) {
      // An application mostly calls the same few URLs; URLs with ids must not accumulate.
      if (this.#targets.size >= maxTargets) this.#targets.clear();
      this.#targets.set(href, (target = this.#newTarget(href)));
    }
    return target;
  }

  /** The proxy for plain http to this URL: it reads the request, unlike a tunnel. */
  forwarder(href: string): string | undefined {
    const { path, proxy } = this.target(href);
    return path.startsWith('/') ? undefined : proxy;
  }

  /** Close the sockets that no exchange uses. */
  close(): void {
    for (const agent of this.#agents.values()) for (const socket of idleSockets(agent)) socket.destroy();
  }

  #newTarget(href: string): Target {
    const url = new URL(href);
    const proxy = this.#proxies?.proxyFor(href, this.#variables);
    const forward = proxy?.forward === true;
    const { protocol, hostname, port, pathname, search } = url;
    return {
      module: moduleOf(protocol),
      agent: this.#agent(protocol, proxy),
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: forward ? url.origin + pathname + search : pathname + search,
      headers: proxy?.headers ?? noHeaders,
      proxy: proxy?.name,
      limit: this.#given ? undefined : this.#limit(url.origin),
    };
  }

  #agent(protocol: string, proxy: ProxyRoute | undefined): Agent {
    if (this.#given) return this.#given;
    const key = proxy ?? protocol;
    let agent = this.#agents.get(key);
    if (!agent) this.#agents.set(key, (agent = newAgent(moduleOf(protocol), this.#secureContext, proxy)));
    return agent;
  }

  #limit(origin: string): SocketLimit {
    let limit = this.#limits.get(origin);
    if (!limit) this.#limits.set(origin, (limit = new SocketLimit(this.#maxSockets)));
    return limit;
  }
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

function moduleOf(protocol: string): Http {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}
