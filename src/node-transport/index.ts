/** The transport of Node, imported as `#transport`. In bundles for browsers and workers, the imports map of the package leads to none.ts. */
import type { Config } from '../overlay/config.ts';
import { Problem } from '../overlay/json/problem.ts';
import { isNode } from '../overlay/platform.ts';
import type { Transport } from '../overlay/transport/transport.ts';
import { isAgent } from './agent.ts';
import { NodeExchange } from './exchange.ts';
import { poolOf, proxyVariables } from './pool.ts';

/**
 * The transport over `node:http` and `node:https` to these roots. Undefined on runtimes that only imitate Node: their fetch is the better
 * transport. `before` is the transport of the client that this one is made from. Throws a Problem for an invalid `ca` or `agent`.
 */
export function nodeTransport(config: Config, maxSockets: number, roots: readonly string[], before?: Transport): Transport | undefined {
  if (!isNode()) return undefined;
  const { ca, agent } = config;
  if (agent !== undefined) {
    if (!isAgent(agent)) throw new Problem('agent', 'must be an Agent of node:https or node:http');
    if ((ca ?? config.maxSockets) !== undefined) throw new Problem(ca === undefined ? 'maxSockets' : 'ca', 'must be set on the agent');
    // Agents like `proxy-agent`'s serve both protocols: their `protocol` is a getter that depends on the request.
    const protocol = Object.getOwnPropertyDescriptor(agent, 'protocol')?.value as string | undefined;
    if (protocol && roots.every((root) => !root.startsWith(protocol))) throw new Problem('agent', `is for ${protocol} only`);
  }
  const proxies = before?.proxies?.() ?? proxyVariables();
  const transport: Transport = {
    open: (request) => new NodeExchange(pool, request, transport),
    close: () => pool.close(),
    forwarder: (url) => pool.forwarder(url),
    proxies: () => proxies,
  };
  const pool = poolOf({ maxSockets, ca, agent, proxies }, transport);
  return transport;
}
