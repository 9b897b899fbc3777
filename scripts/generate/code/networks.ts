/** Networks that are not the public internet, from the list that ipaddr.js keeps. The library is too large for a page, its list is not. */
import ipaddr from 'ipaddr.js';
import { banner } from '../document/source.ts';

/** The types of the library lack its list. */
interface Ranges {
  readonly SpecialRanges: Readonly<Record<string, readonly unknown[]>>;
}

/** Networks in bits. */
function rangesOf(address: ipaddr.IPv4 | ipaddr.IPv6): readonly string[] {
  const lists = Object.values((address as unknown as Ranges).SpecialRanges);
  // Some names have one network, and others a list.
  const networks = lists.flatMap((list) => (Array.isArray(list[0]) ? list : [list])) as readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
  return networks.map(([network, length]) => bitsOf(network).slice(0, length));
}

function bitsOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
}

/** Without networks inside of others. */
function outermost(ranges: readonly string[]): readonly string[] {
  return [...new Set(ranges)].filter((one) => !ranges.some((other) => other !== one && one.startsWith(other))).sort();
}

export function networksFile(): string {
  const four = outermost(rangesOf(ipaddr.IPv4.parse('0.0.0.0')));
  // The public internet is a part of 2000::/3.
  const six = outermost(rangesOf(ipaddr.IPv6.parse('::'))).filter((one) => one.startsWith('001'));
  return `${banner}
/** Networks of IPv4 that are not public, in bits. */
export const special4: readonly string[] = '${four.join(' ')}'.split(' ');

/** Networks of 2000::/3 that are not public, in bits. No other network of IPv6 is public. */
export const special6: readonly string[] = '${six.join(' ')}'.split(' ');
`;
}
