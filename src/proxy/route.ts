/** A socket that the Agent takes over. It is a Duplex of `node:stream`. */
export interface DialedSocket {
  destroy(error?: Error): unknown;
}

/** The route to a URL through a proxy. */
export interface ProxyRoute {
  /** `host:port` of the proxy, without credentials, for error messages. */
  readonly name: string;
  /** True for http: URLs: the request line contains the absolute URL, and `headers` are added. False for tunnels. */
  readonly forward: boolean;
  /** Headers for the proxy (`proxy-authorization`). Empty for tunnels, which send them with CONNECT. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Opens a socket for `createConnection` of an Agent: to the proxy, or TLS to the target through a tunnel.
   * Calls back exactly once, always after it returns.
   */
  dial(options: DialOptions, callback: (error: Error | null, socket?: DialedSocket) => void): void;
}

/** The connect options of an Agent that `dial` uses. */
export interface DialOptions {
  /** Host of the target. IPv6 addresses have no brackets. */
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
  /** Name for SNI. An Agent passes an empty one for IP addresses. Default: the host. */
  readonly servername?: string | undefined;
  /** TLS context for the target, with the certificates to trust. An https proxy is checked by Node's own. Default: Node's own. */
  readonly secureContext?: object | undefined;
  /** Limit in milliseconds for each step: connection, TLS to an https proxy, reply to CONNECT, TLS to the target. 0 means no limit. */
  readonly timeoutMs?: number | undefined;
  /** Ends the dial immediately and calls back with its reason. The name is not `signal`, because Node does not pass that option on to an Agent. */
  readonly dialSignal?: AbortSignal | undefined;
}
