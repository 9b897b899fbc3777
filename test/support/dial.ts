import { Agent } from 'node:https';
import { inspect } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import { type DialOptions, type ProxyRoute, proxyFor } from '../../src/proxy/index.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from './connect-proxy.ts';
import { secureContext } from './tls.ts';

/** A password that no error may contain. */
export const password: string = 'hidden-word';
/** A target for dials that never reach it. */
export const target: string = 'https://127.0.0.1:1/';

/** The route to `url` if the environment names `proxy`. */
export function routeBy(proxy: string, url = target): ProxyRoute {
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const name of ['ALL_PROXY', 'NO_PROXY', 'all_proxy', 'no_proxy', 'https_proxy', 'http_proxy']) vi.stubEnv(name, '');
  vi.stubEnv('HTTPS_PROXY', proxy);
  vi.stubEnv('HTTP_PROXY', proxy);
  const route = proxyFor(url, process.env);
  if (!route) throw new Error('no route');
  return route;
}

export function withPassword(url: string): string {
  return url.replace('://', `://user:${password}@`);
}

export interface Dialed {
  /** The error, or the socket. */
  readonly end: Promise<unknown>;
  /** How often it was called back. */
  readonly calls: () => number;
}

export function dial(route: ProxyRoute, options: DialOptions = {}): Dialed {
  let calls = 0;
  const end = new Promise<unknown>((resolve) => {
    route.dial({ host: '127.0.0.1', port: 1, servername: '', secureContext, ...options }, (error, socket) => {
      calls++;
      if (socket) onTestFinished(() => void socket.destroy());
      resolve(error ?? socket);
    });
  });
  return { end, calls: () => calls };
}

/** All of an error that a log could show. */
export function shown(error: unknown): string {
  return `${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)} ${String(error)}`;
}

export async function proxied(options?: ConnectProxyOptions): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(options);
  onTestFinished(() => proxy.close());
  return proxy;
}

/** An Agent that dials by a route, as the transport's does. */
export function agentBy(route: ProxyRoute): Agent {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return Object.assign(agent, {
    createConnection: (options: DialOptions, callback: Parameters<ProxyRoute['dial']>[1]) => route.dial({ ...options, secureContext }, callback),
  });
}
