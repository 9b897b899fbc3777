import { roots, type ServiceRoot } from '../../../generated/routes.ts';
import { type Endpoints, endpointNames, type Region, RegionGlobal } from '../../config.ts';
import { chatRoots, rootsOn, vendorHosts } from '../../errors/advice.ts';
import { ConfigError } from '../../errors/errors.ts';
import { checkFields } from '../../json/known-fields.ts';
import { Problem } from '../../json/problem.ts';
import { type Key, rootField } from './fields.ts';

/** Root and key of a surface. */
export interface Endpoint {
  /** Absolute URL without a trailing slash. */
  readonly root: string;
  readonly origin: string;
  readonly key: Key;
  /** True on a host of the spec, unless `Config.serviceRules` decides: only there do the vendor's ranges, lengths and names apply. */
  readonly isVendor: boolean;
  /** True on a host of the spec, whatever `Config.serviceRules` is. */
  readonly isServiceHost?: boolean;
  /** The host of `baseURL`, if a call here would send its key to the other host of the vendor in silence. */
  readonly crossesFrom?: string | undefined;
}

/** Detection also uses the platform root, independently of `baseURL`. */
export type EndpointName = ServiceRoot | 'platform';

interface EndpointFields {
  readonly apiKey: Key;
  readonly chinaAPIKey: Key | undefined;
  readonly region: Region | undefined;
  readonly baseURL: string | undefined;
  readonly endpoints: Endpoints | string | undefined;
  readonly serviceRules: boolean | undefined;
}

/** Resolve the root and the key of every surface. */
export function resolveEndpoints(fields: EndpointFields): Readonly<Record<EndpointName, Endpoint>> {
  const { apiKey, chinaAPIKey = apiKey, region = RegionGlobal, endpoints = {}, baseURL, serviceRules } = fields;
  const only = typeof endpoints === 'string' ? vendorRoot('endpoints', endpoints, allSurfaces, chatRoots) : undefined;
  const single = typeof endpoints === 'string' ? {} : endpoints;
  checkFields(single, endpointNames, 'endpoints', 'must be a URL as text, for every root, or an object of roots');
  const chat = vendorRoot('baseURL', baseURL, chatRoots);
  if (only !== undefined && chat !== undefined && new URL(chat).origin !== new URL(only).origin)
    throw new Problem('baseURL', 'must have the origin of endpoints');
  const own = (name: keyof Endpoints): string | undefined =>
    only ?? vendorRoot(`endpoints.${name}`, single[name], name === 'china' || name === 'platform' || name === 'coding' ? chatRoots : [name]);
  const endpointAt = (name: EndpointName, root: string): Endpoint => {
    const { origin, host } = new URL(root);
    const isServiceHost = vendorHosts.includes(host);
    return { root, origin, key: isChina(name, host, region) ? chinaAPIKey : apiKey, isVendor: serviceRules ?? isServiceHost, isServiceHost };
  };
  const regional = (name: Exclude<EndpointName, 'chat' | 'china' | 'platform'>): Endpoint => endpointAt(name, own(name) ?? roots[name][region]);
  const resolved = {
    // The region does not affect the chat surface: its root is baseURL or the default.
    chat: endpointAt('chat', chat ?? only ?? roots.chat.global),
    china: endpointAt('china', own('china') ?? roots.china.china),
    platform: endpointAt('platform', own('platform') ?? roots.chat[region]),
    messages: regional('messages'),
    responses: regional('responses'),
    agents: regional('agents'),
    monitor: regional('monitor'),
    biz: regional('biz'),
    coding: regional('coding'),
  };
  return fields.chinaAPIKey === undefined && chat !== undefined ? withoutCrossing(resolved, fields.region, Object.values(single)) : resolved;
}

type Resolved = Readonly<Record<EndpointName, Endpoint>>;

/**
 * The one key of a vendor root goes to the other host of the vendor only where the contract routes a call there, or where `named` roots name
 * that host. Other calls are refused when they are made, and at once if the region asks for them.
 */
function withoutCrossing(resolved: Resolved, region: Region | undefined, named: readonly unknown[]): Resolved {
  const { host } = new URL(resolved.chat.root);
  const other = vendorHosts.includes(host) ? vendorHosts.find((one) => one !== host) : undefined;
  const isOther = (root: unknown): boolean => root !== undefined && new URL(root as string).host === other;
  const crossing = Object.entries(resolved).filter(([name, { root }]) => name !== 'china' && isOther(root));
  if (crossing.length === 0 || named.some(isOther)) return resolved;
  if (region !== undefined)
    throw new Problem('region', `is ${region}, and baseURL is a root of ${host}`, undefined, 'leave one of them out, or set apiKey and chinaAPIKey');
  return { ...resolved, ...Object.fromEntries(crossing.map(([name, endpoint]) => [name, { ...endpoint, crossesFrom: host }])) };
}

/** Throws a ConfigError for a call that would send the key of one host of the vendor to the other. */
export function refuseCrossing({ origin, crossesFrom }: Endpoint, operation: string): void {
  if (crossesFrom === undefined) return;
  const cure = "set region: 'china' (after newClientFromEnv(): .with({ region: 'china' }))";
  throw new ConfigError(`is on ${crossesFrom}, and ${operation} would send its key to ${new URL(origin).host}`, undefined, 'baseURL', cure);
}

const allSurfaces = Object.keys(roots) as ServiceRoot[];

/** A root. A host of the vendor has no others than its own: every call below another path would end in a 404. The error names the roots of `advised`. */
function vendorRoot(field: string, value: unknown, surfaces: readonly ServiceRoot[], advised: readonly ServiceRoot[] = surfaces): string | undefined {
  const root = rootField(field, value);
  if (root === undefined) return undefined;
  const { host } = new URL(root);
  const own = rootsOn(host, surfaces);
  if (own.length === 0 || own.includes(root)) return root;
  throw new Problem(field, `has a path that ${host} does not have: use ${rootsOn(host, advised).join(' or ')}`);
}

const chinaHost = new URL(roots.china.china).host;

/** China roots and the china host get the china key; all others get the main key. */
function isChina(name: EndpointName, host: string, region: Region): boolean {
  if (name === 'china' || host === chinaHost) return true;
  return name !== 'chat' && region === 'china';
}
