/** Where there is no Node there are no proxies of ours. */
export function proxyAgent(_url: string): { destroy(): void } | undefined {
  return undefined;
}
