/** Proxies from environment variables. Node only. Loaded on demand when a proxy variable is set. */
import { type ProxyAddress, proxyAddress } from './address.ts';
import { dial } from './dial.ts';
import { proxyChoice, type Variables } from './environment.ts';
import type { ProxyRoute } from './route.ts';

export { ProxyError } from './error.ts';
export type { DialedSocket, DialOptions, ProxyRoute } from './route.ts';

/** The routes of variables, which go with them. */
const routes = new WeakMap<object, Map<string, ProxyRoute>>();

/**
 * Returns the route to `url` according to HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY (upper or lower case) in `variables`. Returns undefined
 * for a direct connection. Equal settings return the same object. Throws a ProxyError with the name of the variable if its address is invalid.
 */
export function proxyFor(url: string, variables: Variables): ProxyRoute | undefined {
  const parsed = new URL(url);
  const { variable, value, exception } = proxyChoice(parsed, variables);
  if (variable === undefined || value === undefined || exception !== undefined) return undefined;
  const protocol = parsed.protocol.slice(0, -1);
  const key = `${protocol} ${variable} ${value}`;
  let own = routes.get(variables);
  if (!own) routes.set(variables, (own = new Map()));
  let route = own.get(key);
  if (!route) own.set(key, (route = new Route(proxyAddress(variable, value), protocol === 'http')));
  return route;
}

/** Private fields, so that inspecting a client does not show the credentials. */
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
