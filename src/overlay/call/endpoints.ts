import { roots, type Surface } from '../../generated/routes.ts';
import type { Endpoints, Region } from '../config.ts';
import { Problem } from '../errors/problem.ts';
import { rootField } from './fields.ts';

/** Root and key of a surface. */
export interface Endpoint {
  /** Absolute URL without a trailing slash. */
  readonly root: string;
  readonly key: string;
}

/** Detection also uses the platform root, independently of `baseURL`. */
export type EndpointName = Surface | 'platform';

interface Places {
  readonly apiKey: string;
  readonly chinaAPIKey: string;
  readonly region: Region;
  readonly baseURL: string | undefined;
  readonly endpoints: Endpoints | undefined;
}

const overridable: readonly (keyof Endpoints)[] = ['messages', 'agents', 'monitor', 'biz', 'china', 'coding', 'platform'];

/** Resolve the root and the key of every surface. */
export function resolveEndpoints(places: Places): Readonly<Record<EndpointName, Endpoint>> {
  const { apiKey, chinaAPIKey, region, endpoints = {} } = places;
  if (typeof endpoints !== 'object' || endpoints === null) throw new Problem('endpoints', 'must be an object of roots');
  for (const name of Object.keys(endpoints))
    if (!overridable.includes(name as keyof Endpoints)) throw new Problem(`endpoints.${name}`, `is unknown; use one of ${overridable.join(', ')}`);
  const own = (name: keyof Endpoints): string | undefined => rootField(`endpoints.${name}`, endpoints[name]);
  const place = (name: EndpointName, root: string): Endpoint => ({ root, key: isChina(name, root, region) ? chinaAPIKey : apiKey });
  const regional = (name: Exclude<EndpointName, 'chat' | 'china' | 'platform'>): Endpoint => place(name, own(name) ?? roots[name][region]);
  return {
    // The region does not affect the chat surface: its root is baseURL or the default.
    chat: place('chat', rootField('baseURL', places.baseURL) ?? roots.chat.global),
    china: place('china', own('china') ?? roots.china.china),
    platform: place('platform', own('platform') ?? roots.chat[region]),
    messages: regional('messages'),
    agents: regional('agents'),
    monitor: regional('monitor'),
    biz: regional('biz'),
    coding: regional('coding'),
  };
}

/** True for the root of a server of the spec, false for a gateway, a local server or a mock. */
export function isVendorRoot(root: string): boolean {
  return Object.values(roots).some(({ global, china }) => root === global || root === china);
}

const chinaHost = new URL(roots.china.china).host;

/** China roots and the china host get the china key; all others get the main key. */
function isChina(name: EndpointName, root: string, region: Region): boolean {
  if (name === 'china' || new URL(root).host === chinaHost) return true;
  return name !== 'chat' && region === 'china';
}
