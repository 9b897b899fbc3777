/** The interface of a transport: one request in, one response out, without retries. */

/** One HTTP request as data, ready for the wire. */
export interface WireRequest {
  readonly url: string;
  readonly method: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | UploadBody | undefined;
  /**
   * Milliseconds, with separate limits for the wait for a socket, connecting, TLS and the response header. A transport that cannot separate
   * the last three uses one limit for them. The response body is not covered. 0 disables it.
   */
  readonly timeoutMs: number;
  /** Called when the exchange begins to wait for a socket. */
  readonly onWait?: ((queue: SocketQueue) => void) | undefined;
}

/** The exchanges that use or wait for the sockets of one limit. */
export interface SocketQueue {
  readonly limit: number;
  /** Sockets in use. */
  readonly open: number;
  /** Clients that use them. Undefined if an Agent of the user sets the limit. */
  readonly clients: number | undefined;
  /** Exchanges that wait, this one included. */
  readonly waiting: number;
}

/** A body that is produced in blocks. */
export interface UploadBody {
  readonly contentType: string;
  /** Total bytes; undefined if the size of a part is unknown. */
  readonly contentLength: number | undefined;
  /** True while the body can be sent from its start. False for good once content that can be read only once has been opened. */
  readonly replayable: boolean;
  /** Set once the content could not be read: an error of the caller's source, not of the network. */
  readonly failure?: Error | undefined;
  /** The blocks, from the start. A block is valid until the next one is requested. */
  open(): AsyncIterable<Uint8Array>;
  /** End the attempt and free the source immediately, even during a pending read. True if the body was not read to its end. */
  close?(): boolean;
  /** The same body as a Blob, if that needs no reading. For browsers, which stream requests only over HTTP/2. */
  blob?(): Blob | undefined;
}

/** Receives the blocks of a body. Exactly one of `end` and `fail` is called, and no method after it. None of them throws. */
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
  /** Set whether a read is pending. While it is not, the exchange does not keep the process alive, if the platform allows it. */
  keepAlive?(isPending: boolean): void;
}

/** One exchange in flight. */
export interface Exchange {
  /** Settles when the response header has arrived. Rejects with a TransportFailure or with the reason given to `destroy`. */
  readonly response: Promise<WireResponse>;
  /** False if no byte of the request has left, for instance because no connection could be opened. True in doubt. */
  readonly isSent: boolean;
  /** End it immediately at any stage and free the socket. Pending reads fail with `reason`. */
  destroy(reason: Error): void;
}

/** The wire: everything below the attempt loop. */
export interface Transport {
  /** Begin one exchange. Every call is one request on the wire: a transport never retries. */
  open(request: WireRequest): Exchange;
  /** `host:port` of the proxy that forwards requests for this URL and may answer instead of the service. */
  forwarder?(url: string): string | undefined;
  /** The variables about proxies that it was made with. A client that is made from another one has the same. A function, so that `inspect` shows no password. */
  proxies?(): Readonly<Record<string, string>>;
  /** Close idle sockets. Exchanges in flight continue. */
  close(): void;
}

export type TransportPhase = 'socket' | 'connect' | 'tls' | 'request' | 'headers' | 'body';

interface FailureFacts {
  /** The limit that was exceeded, if one was. */
  readonly timeoutMs?: number | undefined;
  /** True if part of the reply had arrived. */
  readonly replied?: boolean;
  /** True if bytes arrived, but no content. */
  readonly content?: boolean;
  /** `host:port` of the proxy that refused or failed. */
  readonly proxy?: string | undefined;
  /** The queue in which the exchange waited too long. */
  readonly queue?: SocketQueue | undefined;
}

/** Why an exchange failed, in the platform's terms; `failureOf` converts it to the facts of an error. */
export class TransportFailure extends Error {
  readonly phase: TransportPhase;
  readonly code: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly replied: boolean;
  readonly content: boolean;
  readonly proxy: string | undefined;
  readonly queue: SocketQueue | undefined;

  constructor(phase: TransportPhase, cause: unknown, facts: FailureFacts = {}) {
    const { timeoutMs, replied = phase === 'body', content = false, proxy, queue } = facts;
    super('exchange failed', { cause });
    this.phase = phase;
    this.code = codeOf(cause);
    this.timeoutMs = timeoutMs;
    this.replied = replied;
    this.content = content;
    this.proxy = proxy;
    this.queue = queue;
  }
}

/** An `httpClient` that does not behave like fetch. The message is for users and contains no data. */
export class MisusedFetch extends TypeError {
  constructor(part: string, given: unknown, rule: string) {
    const kind = typeof given === 'object' && given ? 'an object of another kind' : given == null ? String(given) : `a ${typeof given}`;
    super(`httpClient resolved with ${part}${kind}; ${rule}`);
  }
}

/** A body whose encoding cannot be undone. The message is for users. */
export class UnreadEncoding extends Error {
  constructor(encoding: string, cause?: unknown) {
    super(`the reply has the content-encoding ${encoding}, which ${cause ? 'could not be undone' : 'cannot be read here'}`, { cause });
  }
}

/** The encodings that a `content-encoding` header names, in the order in which they are undone. */
export function encodingsOf(header: string = ''): string[] {
  const names = header.toLowerCase().split(',');
  return names
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
    .reverse();
}

/** The first platform code in a chain of causes: `fetch failed` has it one level down. */
function codeOf(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth++) {
    const code = (current as { code?: unknown }).code;
    if (typeof code === 'string') return code;
    current = (current as { cause?: unknown }).cause;
  }
  return undefined;
}
