declare module 'proxy-from-env' {
  /** The proxy for a URL by the environment, or an empty string. */
  export function getProxyForUrl(url: string): string;
}
