/** Sockets of `node:http(s)`, kept alive and shared by all clients with the same settings. */

import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import type { AgentOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { Config } from '../overlay/config.ts';
import { Semaphore } from '../overlay/transport/semaphore.ts';
import type { ProxyRoute } from '../proxy/route.ts';
import { authorityOf, trusting } from './authority.ts';

const idleSocketMs = 90_000;
/** The server may have closed a socket that was idle for longer, without the event loop having noticed. */
const freshMs = 100;
const maxTargets = 100;

/** An Agent with its queue, which Node's types lack. */
interface Agent extends HttpAgent {
  /** Assigns a socket to a request, or queues the request. */
  addRequest(request: ClientRequest, options: object): void;
}

/** `node:http` or `node:https`. */
type Http = Pick<typeof import('node:http'), 'Agent' | 'request'>;

export function isAgent(value: object): value is Agent {
  return typeof (value as Partial<Agent> | null)?.addRequest === 'function';
}

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
}

/** Settings of a pool. */
export interface PoolOptions {
  /** Most sockets per origin. 0 disables the limit. */
  readonly maxSockets: number;
  readonly ca: Config['ca'];
  /** The user's own, in place of those of the pool. */
  readonly agent: Agent | undefined;
}

/** One pool per limit and authority, for any number of clients. */
const pools = new Map<string, Pool>();

/** The pool with these settings. */
export function poolOf({ maxSockets, ca, agent }: PoolOptions): Pool {
  if (agent) return new Pool(maxSockets, undefined, agent);
  const authority = ca === undefined ? '' : authorityOf(ca);
  const name = `${maxSockets} ${authority}`;
  let pool = pools.get(name);
  if (!pool) pools.set(name, (pool = new Pool(maxSockets, authority)));
  pool.lookForProxies();
  return pool;
}

const proxyVariables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

export class Pool {
  readonly #maxSockets: number;
  readonly #secureContext: SecureContext | undefined;
  readonly #given: Agent | undefined;
  /** By protocol, or by proxy route. */
  readonly #agents = new Map<string | ProxyRoute, Agent>();
  readonly #targets = new Map<string, Target>();
  #used = performance.now();
  #wantsProxies = false;
  #loading: Promise<typeof import('../proxy/index.ts')> | undefined;
  #proxies: typeof import('../proxy/index.ts') | undefined;

  constructor(maxSockets: number, authority?: string, given?: Agent) {
    this.#maxSockets = maxSockets === 0 ? Number.POSITIVE_INFINITY : maxSockets;
    this.#secureContext = authority ? trusting(authority) : undefined;
    this.#given = given;
  }

  /** Called once per client: reading the environment in every call would cost more than the rest of this class. */
  lookForProxies(): void {
    this.#wantsProxies ||= proxyVariables.some((name) => process.env[name]);
  }

  /** Undefined if an exchange may start now. Otherwise resolves when it may: proxies are loaded, or the event loop has checked idle sockets. */
  ready(): Promise<unknown> | undefined {
    const idle = performance.now() - this.#used;
    this.#used += idle;
    if (!this.#proxies && this.#wantsProxies) {
      this.#loading ??= import('../proxy/index.ts').catch((error: unknown) => {
        this.#loading = undefined;
        throw error;
      });
      return this.#loading.then((loaded) => (this.#proxies = loaded));
    }
    return idle > freshMs && this.#idleSockets().length > 0 ? eventLoopTurn() : undefined;
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
    if (this.#given) return;
    for (const socket of this.#idleSockets()) socket.destroy();
  }

  #idleSockets(): Socket[] {
    return (this.#given ? [this.#given] : [...this.#agents.values()]).flatMap((agent) =>
      Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []),
    );
  }

  #newTarget(href: string): Target {
    const url = new URL(href);
    const proxy = this.#proxies?.proxyFor(href);
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
    };
  }

  #agent(protocol: string, proxy: ProxyRoute | undefined): Agent {
    if (this.#given) return this.#given;
    const key = proxy ?? protocol;
    let agent = this.#agents.get(key);
    if (!agent) {
      agent = newAgent(moduleOf(protocol), { maxSockets: this.#maxSockets, secureContext: this.#secureContext }, () => {
        this.#used = performance.now();
      });
      if (proxy) dialBy(proxy, agent, this.#maxSockets);
      this.#agents.set(key, agent);
    }
    return agent;
  }
}

/**
 * Let an Agent open its sockets through a proxy. An Agent counts a socket only once it is open. Alone it would dial all sockets at once,
 * and requests queued behind a failed dial would wait forever.
 */
function dialBy(proxy: ProxyRoute, agent: Agent, maxSockets: number): void {
  const semaphores = new Map<string, Semaphore>();
  const { addRequest } = agent;
  agent.createConnection = (options, callback) => {
    proxy.dial(options, callback as Parameters<ProxyRoute['dial']>[1]);
    return undefined;
  };
  agent.addRequest = (request, options) => {
    const origin = agent.getName(options);
    let semaphore = semaphores.get(origin);
    if (!semaphore) semaphores.set(origin, (semaphore = new Semaphore(maxSockets)));
    const { leave } = semaphore;
    const start = (): void => {
      if (request.destroyed) return leave();
      // The request closes before its socket can be reused.
      request.once('close', () => queueMicrotask(leave));
      addRequest.call(agent, request, options);
    };
    const place = semaphore.enter();
    if (place) void place.then(start);
    else start();
  };
}

const noHeaders: Readonly<Record<string, string>> = Object.freeze({});

function moduleOf(protocol: string): Http {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}

/** Waits two turns: the first may end a poll that began before the server closed the socket. */
function eventLoopTurn(): Promise<void> {
  const { setImmediate } = process.getBuiltinModule('node:timers');
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

function newAgent(module: Http, own: Pick<AgentOptions, 'maxSockets' | 'secureContext'>, onKept: () => void): Agent {
  class KeepAliveAgent extends module.Agent {
    override keepSocketAlive(socket: Socket): boolean {
      // Node's types have no result here.
      const isKept: unknown = super.keepSocketAlive(socket);
      if (!isKept) return false;
      onKept();
      // Node applies the server's `Keep-Alive: timeout` to the socket. Close it before the server does, so that no request meets a close.
      const { timeout = 0 } = socket;
      if (timeout >= idleSocketMs) return true;
      if (timeout < 2 * leadMs) return false;
      socket.setTimeout(timeout - leadMs);
      return true;
    }
  }
  // lifo: the most recently used socket is the least likely to be closed by the server. The timeout ends only idle sockets.
  const options: AgentOptions = { keepAlive: true, scheduling: 'lifo', noDelay: true, timeout: idleSocketMs, ...own };
  const agent: HttpAgent = new KeepAliveAgent(options);
  return agent as Agent;
}

/** Milliseconds before the server's limit at which an idle socket is closed. */
const leadMs = 500;
