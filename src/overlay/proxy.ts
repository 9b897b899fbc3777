import type { AgentFor } from './transport/node.ts';

/** Agents for the proxies that the environment names; none yet. */
export function proxyAgents(): AgentFor {
  return () => undefined;
}
