import { roots, type Surface } from '../../generated/routes.ts';
import type { Settings } from '../config.ts';

/** Where a surface lives and which key it takes. */
export interface Endpoint {
  /** Absolute URL without a trailing slash. */
  readonly root: string;
  readonly key: string;
}

/** Detection alone also asks for the platform root as such, whatever `baseURL` says. */
export type EndpointName = Surface | 'platform';

/** The one table behind "which host, which credential". */
export function endpointOf(name: EndpointName, settings: Settings): Endpoint {
  const root = rootOf(name, settings);
  return { root, key: isChina(name, root, settings) ? settings.chinaAPIKey : settings.apiKey };
}

function rootOf(name: EndpointName, settings: Settings): string {
  const { baseURL, endpoints, region } = settings;
  // The region never moves the chat surface: its root is baseURL or the default.
  if (name === 'chat') return baseURL ?? roots.chat.global;
  if (name === 'china') return endpoints.china ?? roots.china.china;
  if (name === 'platform') return endpoints.platform ?? roots.chat[region];
  return endpoints[name] ?? roots[name][region];
}

const chinaHost = new URL(roots.china.china).host;

/** The china key goes to china roots and to the china host; the main key everywhere else. */
function isChina(name: EndpointName, root: string, settings: Settings): boolean {
  if (name === 'china' || new URL(root).host === chinaHost) return true;
  return name !== 'chat' && settings.region === 'china';
}
