import { environment } from './host.ts';
import { nodeTransport } from './transport/node.ts';
import type { Transport } from './transport/transport.ts';

const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

/** Node's transport, by way of the proxies that the environment names. Their code is loaded only if there are any. */
export async function nodeTransportWithProxies(): Promise<Transport> {
  const env = environment();
  if (!variables.some((name) => env[name])) return nodeTransport();
  const { proxyAgent } = await import('#proxy');
  return nodeTransport((url) => proxyAgent(url.href));
}
