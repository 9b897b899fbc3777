/** Entries of NO_PROXY that no rule reads, in the words of a warning and of `doctor`. One may be the URL of a proxy, with its password. */
export function unreadText(variable: string, entries: readonly string[]): string {
  return `no rule reads ${entries.map((entry) => JSON.stringify(entry.replace(/^.*@/s, '…@'))).join(', ')} in ${variable}`;
}

export const unreadNext: string = 'Use a name, an address, or a network such as 10.0.0.0/8.';
