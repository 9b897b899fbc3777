/** Agents for the proxies of the environment. Node only; loaded when a proxy variable is set, bundled with its libraries. */
import type { ClientRequest } from 'node:http';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

export interface ProxyAgent {
  destroy(): void;
}

type Connect = HttpsProxyAgent<string>['connect'];

/**
 * A tunnel that is given up while the proxy has not answered yet closes its socket. The library only knows the request, and
 * Node does not tell a request without a socket that it was destroyed.
 */
class TunnelAgent extends HttpsProxyAgent<string> {
  override async connect(...[request, options]: Parameters<Connect>): ReturnType<Connect> {
    const given = new AbortController();
    const destroy = request.destroy;
    request.destroy = function aborting(this: ClientRequest, error?: Error): ClientRequest {
      given.abort();
      return destroy.call(this, error);
    };
    try {
      const one = Object.create(this, { connectOpts: { value: { ...this.connectOpts, signal: given.signal } } }) as this;
      return await super.connect.call(one, request, options);
    } finally {
      // From here on the socket belongs to the pool, and other requests may use it.
      request.destroy = destroy;
    }
  }
}

const agents = new Map<string, ProxyAgent>();

/** The agent for `url` by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY (either case); undefined for a direct connection. */
export function proxyAgent(url: string): ProxyAgent | undefined {
  const proxy = getProxyForUrl(url);
  if (proxy === '') return undefined;
  const secure = url.startsWith('https:');
  const key = `${secure} ${proxy}`;
  let agent = agents.get(key);
  if (!agent) {
    agent = secure ? new TunnelAgent(proxy, { keepAlive: true }) : new HttpProxyAgent(proxy, { keepAlive: true });
    agents.set(key, agent);
  }
  return agent;
}
