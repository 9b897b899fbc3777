/** A socket that the Agent takes over: `node:stream`'s Duplex. */
export interface DialedSocket {
  destroy(error?: Error): unknown;
}

/** The way to a URL by a proxy. */
export interface ProxyRoute {
  /** `host:port` of the proxy, without credentials; for errors. */
  readonly name: string;
  /** True for http: URLs: the request line carries the absolute URL, and `headers` are added. False for tunnels. */
  readonly forward: boolean;
  /** Headers for the proxy itself (`proxy-authorization`); empty for tunnels, which send them with CONNECT. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Opens a socket for an Agent's `createConnection`: to the proxy itself, or TLS to the target through a tunnel.
   * Calls back exactly once, and never before it returns.
   */
  dial(options: DialOptions, callback: (error: Error | null, socket?: DialedSocket) => void): void;
}

/** The connect options of an Agent, as far as they are used. */
export interface DialOptions {
  /** Host of the target; an IPv6 address without brackets. */
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
  /** Name for SNI; an Agent gives an empty one for IP addresses. Default: the host. */
  readonly servername?: string | undefined;
  /** Authorities for the target instead of Node's own. */
  readonly ca?: string | undefined;
  /** Milliseconds for each phase by itself: dial, TLS to an https proxy, the answer to CONNECT, TLS to the target. 0 is no bound. */
  readonly timeoutMs?: number | undefined;
  /** Ends the dial at once; its reason is called back. Not `signal`: a request keeps an option of that name from its Agent. */
  readonly dialSignal?: AbortSignal | undefined;
}
