declare module 'proxy-from-env' {
  /** Returns the proxy for a URL from environment variables, or an empty string. */
  export function getProxyForUrl(url: string): string;
}
