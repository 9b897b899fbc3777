import type { ProxyRoute } from './route.ts';

export { ProxyError } from './error.ts';
export type { DialedSocket, DialOptions, ProxyRoute } from './route.ts';

/** Always returns undefined: outside Node, the runtime handles proxies. */
export function proxyFor(_url: string): ProxyRoute | undefined {
  return undefined;
}
