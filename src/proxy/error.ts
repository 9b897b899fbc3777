/** A proxy is misconfigured or failed. The error does not contain the proxy's credentials or the text of its reply. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** `host:port` of the proxy, or the name of the variable if its address is invalid. */
  readonly proxy: string;
  /** Status of the proxy's reply to CONNECT, if there was a reply. */
  readonly status: number | undefined;
  /** `tls` for the handshake with an https proxy and for the handshake with the service through the tunnel. */
  readonly phase: 'connect' | 'tls';
  /** Error code of the platform, for instance `ECONNREFUSED`. */
  readonly code: string | undefined;
  /** The limit that was exceeded, in milliseconds. Undefined for other failures. */
  readonly timeoutMs: number | undefined;

  constructor(message: string, facts: ProxyErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.proxy = facts.proxy;
    this.phase = facts.phase ?? 'connect';
    this.status = facts.status;
    this.code = facts.code;
    this.timeoutMs = facts.timeoutMs;
  }
}

export interface ProxyErrorFacts {
  readonly proxy: string;
  readonly status?: number | undefined;
  readonly phase?: 'connect' | 'tls';
  readonly code?: string | undefined;
  readonly timeoutMs?: number;
  readonly cause?: unknown;
}
