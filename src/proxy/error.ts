/** A proxy that cannot be used, or did not do its part. Its own words and its credentials are never in here. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** `host:port` of the proxy; the variable's name for an address that is refused. */
  readonly proxy: string;
  /** Status of the proxy's answer to CONNECT, if there was one. */
  readonly status: number | undefined;
  /** `tls` for both handshakes: with an https proxy, and with the service through the tunnel. */
  readonly phase: 'connect' | 'tls';
  /** The platform's code, for instance `ECONNREFUSED`. */
  readonly code: string | undefined;
  /** Set when a bound passed. */
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
