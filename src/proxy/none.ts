import type { ProxyRoute } from './route.ts';

export { ProxyError } from './error.ts';
export type { DialedSocket, DialOptions, ProxyRoute } from './route.ts';

/** Outside Node, proxies are the runtime's own affair. */
export function proxyFor(_url: string): ProxyRoute | undefined {
  return undefined;
}
