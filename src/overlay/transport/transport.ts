/** One HTTP request as data, ready for the wire. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | UploadBody | undefined;
  /**
   * Milliseconds for dial, for TLS and for the wait for the response header, each for itself. A transport that cannot tell them apart
   * takes it as one bound from call to header. The response body and the wait for a free socket are not covered. 0 is no bound.
   */
  readonly timeoutMs: number;
}

/** A body that is produced in blocks. */
export interface UploadBody {
  readonly contentType: string;
  /** Total bytes; undefined where a part's size is unknown. */
  readonly contentLength: number | undefined;
  /** True while the body can be sent from its start: false for good once content that can be read only once has been opened. */
  readonly replayable: boolean;
  /** Why the content could not be read, once that has happened: the caller's fault, not the network's. */
  readonly failure?: Error | undefined;
  /** The blocks, from the start. A block is valid until the next one is asked for. */
  open(): AsyncIterable<Uint8Array>;
  /** The attempt is over: free the source at once, even while it is waited for. True when the body had not been read to its end. */
  close?(): boolean;
  /** The same body as a Blob, where that needs no reading: for browsers, which stream requests over HTTP/2 or not at all. */
  blob?(): Blob | undefined;
}

/** Takes a body's blocks as they come. Exactly one of `end` and `fail` is called, and no method after it. None of them throws. */
export interface BodySink {
  block(bytes: Uint8Array): void;
  end(): void;
  fail(error: unknown): void;
}

export interface WireResponse {
  readonly status: number;
  /** One header by its lower-case name. */
  header(name: string): string | undefined;
  headers(): Headers;
  /** Start the flow of the body into the sink; called at most once. */
  read(sink: BodySink): void;
  pause(): void;
  resume(): void;
  /** Whether somebody waits for the body: while it is not, the exchange keeps no process alive, where the platform allows that. */
  keepAlive?(wanted: boolean): void;
}

/** One exchange under way. */
export interface Exchange {
  /** Settles when the response header has arrived. Rejects with a TransportFailure or with the reason given to `destroy`. */
  readonly response: Promise<WireResponse>;
  /** End it at once at any stage and free the socket; pending reads fail with `reason`. */
  destroy(reason: Error): void;
}

/** The wire: everything below the attempt loop. */
export interface Transport {
  /** Begin one exchange. Every call is one request on the wire: a transport never sends again by itself. */
  open(request: WireRequest): Exchange;
  /** Close idle sockets. Exchanges under way go on. */
  close(): void;
}

export type TransportPhase = 'connect' | 'tls' | 'request' | 'headers' | 'body';

interface FailureFacts {
  /** Set when a bound passed. */
  readonly timeoutMs?: number | undefined;
  /** True when part of the reply had arrived. */
  readonly replied?: boolean;
  /** True when bytes came, but no content among them. */
  readonly content?: boolean;
  /** `host:port` of the proxy that refused or failed. */
  readonly proxy?: string | undefined;
}

/** Why an exchange broke, in the platform's terms; `send` makes the public error of it. */
export class TransportFailure extends Error {
  readonly phase: TransportPhase;
  readonly code: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly replied: boolean;
  readonly content: boolean;
  readonly proxy: string | undefined;

  constructor(phase: TransportPhase, cause: unknown, { timeoutMs, replied = phase === 'body', content = false, proxy }: FailureFacts = {}) {
    super('exchange failed', { cause });
    this.phase = phase;
    this.code = codeOf(cause);
    this.timeoutMs = timeoutMs;
    this.replied = replied;
    this.content = content;
    this.proxy = proxy;
  }
}

/** The first platform code in a chain of causes: `fetch failed` hides it one level down. */
function codeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth++) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string') return code;
    current = (current as { cause?: unknown }).cause;
  }
  return undefined;
}
