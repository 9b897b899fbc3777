/** Agents for the proxies of the environment. Node only; loaded when a proxy variable is set, bundled with its libraries. */
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';

export interface ProxyAgent {
  destroy(): void;
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
    agent = secure ? new HttpsProxyAgent(proxy, { keepAlive: true }) : new HttpProxyAgent(proxy, { keepAlive: true });
    agents.set(key, agent);
  }
  return agent;
}
