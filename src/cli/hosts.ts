// Roots of the service, keys with their hosts, and the rule that binds a stored key to its hosts.
import { isIP } from 'node:net';
import type { Config } from 'modelsvc';
import { serviceRoots } from 'modelsvc/types';
import { CliError, exitCodes, usageError } from './errors/exit.ts';

export type RegionName = 'global' | 'china';

/** The facts of an account that a wired tool depends on. */
export interface AccountFacts {
  /** Fingerprint of the key. */
  readonly key: string;
  /** Root of the account itself: `coding load` may have been given another one. */
  readonly home: string;
  /** Kind of the key, or `unknown`. */
  readonly kind: string;
}

/** A key, and the hosts that it may go to. */
export interface CredentialSource {
  readonly apiKey: string;
  /** For people: `account work`, `SVC_API_KEY`, `--api-key-file`. */
  readonly from: string;
  readonly region: RegionName;
  /** Kind of a stored key. */
  readonly kind?: 'plan' | 'payg' | 'team' | undefined;
  /** Root of every operation, instead of the service's: --base-url, SVC_API_BASE_URL, or the account's. */
  readonly baseUrl?: string | undefined;
  readonly account?: string | undefined;
  /** Facts of the account itself, whatever options choose for the call. */
  readonly facts?: AccountFacts | undefined;
  /** Ids of the team that a stored key belongs to. */
  readonly team?: Config['team'];
  /** Origins that a stored key is bound to. Undefined for a key that the user passed with the call. */
  readonly hosts?: readonly string[] | undefined;
}

/** Roots of the chat surface. The library's default is `global`. */
export const platformRoots: Readonly<Record<RegionName, string>> = serviceRoots.chat;

export const planRoots: Readonly<Record<RegionName, string>> = serviceRoots.coding;

/** The region of a host of the service. Undefined for another host, also for one that imitates it. */
export function regionAt({ origin }: URL): RegionName | undefined {
  return (['global', 'china'] as const).find((region) => new URL(platformRoots[region]).origin === origin);
}

/** A root as a URL. The service's host loses a final dot, which would be another origin. */
export function rootUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const [url, plain] = [new URL(text), new URL(text)];
  plain.hostname = plain.hostname.replace(/\.$/, '');
  return regionAt(plain) === undefined ? url : plain;
}

/** True for a URL of the coding-plan endpoint, whatever its notation. */
export function isPlanRoot(text: string): boolean {
  const url = rootUrl(text);
  if (!url) return false;
  const region = regionAt(url);
  return region !== undefined && `${url.origin}${url.pathname}`.startsWith(planRoots[region]);
}

/** Parses a root that a user names. Throws a CliError unless it is an HTTPS URL, or HTTP to this machine. */
export function checkedRoot(place: string, text: string): URL {
  const url = rootUrl(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw usageError(`${place} must be a URL such as https://gateway.example/v1, without user, query and fragment`);
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw usageError(`${place} must begin with https://: a key is sent without encryption only to this machine`);
  return url;
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Throws if a stored key would be sent to an origin that it is not bound to. This machine is included: any program of any
 * user can listen there, and a project can ask for such a root.
 */
export function checkBinding(account: string, hosts: readonly string[], origin: string): void {
  if (hosts.includes(origin)) return;
  throw new CliError(
    `account ${account} is bound to ${hosts.join(' and ') || 'no host'}; its key is not sent to ${origin}`,
    exitCodes.auth,
    `Allow it once with \`modelsvc accounts allow-host ${account} ${origin}\`, or pass another key: SVC_API_KEY or --api-key-file.`,
  );
}
