// Not imported: a bundle built without the conditions of its runtime contains this file, even one for the web.
const net = (): typeof import('node:net') => process.getBuiltinModule('node:net');

/** True for a host without brackets and final dot, and its port. */
export type Exception = (host: string, port: number) => boolean;

/** Reads an entry of NO_PROXY by what curl and Go understand together. Returns undefined for an entry that no rule reads. */
export function exceptionFrom(entry: string): Exception | undefined {
  if (entry === '*') return () => true;
  const [, address, length] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
  if (address !== undefined) return network(address, Number(length));
  if (net().isIP(entry) !== 0) return network(entry);
  const [, place = entry, digits] = /^(.+):(\d{1,5})$/.exec(entry) ?? [];
  const matches = place.startsWith('[') ? bracketed(place) : named(place);
  if (!matches || digits === undefined) return matches;
  const only = Number(digits);
  return only > 65_535 ? undefined : (host, port) => port === only && matches(host, port);
}

/** One address, or the addresses that begin with its first bits. An IPv4 address in IPv6 counts as IPv4. */
function network(address: string, length?: number): Exception | undefined {
  const { BlockList, isIP } = net();
  const family = isIP(address);
  if (family === 0 || address.includes('%') || (length ?? 0) > (family === 4 ? 32 : 128)) return undefined;
  const list = new BlockList();
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (length === undefined) list.addAddress(address, type);
  else list.addSubnet(address, length, type);
  return (host) => isIP(host) !== 0 && list.check(host, isIP(host) === 4 ? 'ipv4' : 'ipv6');
}

function bracketed(place: string): Exception | undefined {
  const address = place.slice(1, -1);
  return place.endsWith(']') && net().isIPv6(address) ? network(address) : undefined;
}

/** A name with its subdomains, also as `.name` and `*.name`. `*name` is any host with that end. */
function named(place: string): Exception | undefined {
  const isEnd = /^\*[^.]/.test(place);
  const name = canonical(place.replace(/^\*?\.?/, ''));
  if (name === undefined) return undefined;
  if (net().isIP(name) !== 0 && !/^[*.]/.test(place)) return network(name);
  return (host) => host === name || host.endsWith(isEnd ? name : `.${name}`);
}

/** A name as the parser of URLs writes it, since hosts of requests are in that form. */
function canonical(text: string): string | undefined {
  const { hostname = '' } = /[/?#@:\\]/.test(text) || !URL.canParse(`http://${text}`) ? {} : new URL(`http://${text}`);
  const name = hostname.replace(/\.$/, '');
  return name.split('.').every((label) => /^[a-z\d_-]+$/.test(label)) ? name : undefined;
}
