import { special4, special6 } from '../../generated/networks.ts';

/** True for an address of this machine or of a network that is not public. The parser of URLs has brought addresses to one form. Names are not resolved. */
export function isPrivateHost({ hostname }: URL): boolean {
  if (hostname.startsWith('[')) {
    const bits = bitsOf6(hostname.slice(1, -1));
    return !bits.startsWith('001') || special6.some((network) => bits.startsWith(network));
  }
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return /(?:^|\.)localhost\.?$/.test(hostname);
  const bits = bitsOf(hostname.split('.'), 10, 8);
  return special4.some((network) => bits.startsWith(network));
}

/** Only the parts before and after `::` are written. */
function bitsOf6(address: string): string {
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((part) => part !== ''));
  return bitsOf(head, 16, 16).padEnd(128 - 16 * tail.length, '0') + bitsOf(tail, 16, 16);
}

function bitsOf(parts: readonly string[], radix: number, width: number): string {
  return parts.map((part) => Number.parseInt(part, radix).toString(2).padStart(width, '0')).join('');
}
