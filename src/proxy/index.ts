/** Proxies of the environment. Node only; loaded when a proxy variable is set. */
import { getProxyForUrl } from 'proxy-from-env';
import { type ProxyAddress, proxyAddress } from './address.ts';
import { dial } from './dial.ts';
import type { ProxyRoute } from './route.ts';

export { ProxyError } from './error.ts';
export type { DialedSocket, DialOptions, ProxyRoute } from './route.ts';

const routes = new Map<string, ProxyRoute>();

/**
 * The route to `url` by HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY (either case); undefined for a direct connection.
 * Equal settings give the same object. Throws a ProxyError that names the variable if its address cannot be used.
 */
export function proxyFor(url: string): ProxyRoute | undefined {
  if (getProxyForUrl(url) === '') return undefined;
  const protocol = new URL(url).protocol.slice(0, -1);
  // The library does not say which variable it took: these are the ones it reads, in its order.
  const variable = [`${protocol}_proxy`, `${protocol.toUpperCase()}_PROXY`, 'all_proxy', 'ALL_PROXY'].find((name) => process.env[name]);
  const value = variable === undefined ? undefined : process.env[variable];
  if (variable === undefined || value === undefined) return undefined;
  const key = `${protocol} ${variable} ${value}`;
  let route = routes.get(key);
  if (!route) routes.set(key, (route = new Route(proxyAddress(variable, value), protocol === 'http')));
  return route;
}

/** Private fields, so that no inspection of a client shows the credentials. */
class Route implements ProxyRoute {
  readonly name: string;
  readonly forward: boolean;
  readonly #address: ProxyAddress;

  constructor(address: ProxyAddress, forward: boolean) {
    this.name = address.name;
    this.forward = forward;
    this.#address = address;
  }

  get headers(): Readonly<Record<string, string>> {
    const { authorization } = this.#address;
    return this.forward && authorization !== undefined ? { 'proxy-authorization': authorization } : {};
  }

  dial(...[options, callback]: Parameters<ProxyRoute['dial']>): void {
    dial(this.#address, !this.forward, options, callback);
  }
}
