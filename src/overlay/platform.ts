/**
 * Detection of the platform and access to Node. Node modules are loaded through `process.getBuiltinModule` on the first call, so that
 * the same files run on every runtime.
 */

/** Subset of Node's `process`. */
interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly versions?: { readonly llhttp?: string; readonly uv?: string };
  getBuiltinModule?(name: string): unknown;
}

interface Host {
  readonly process?: NodeProcess;
  readonly Deno?: unknown;
  readonly Bun?: unknown;
  /** Set by Cloudflare Workers and their simulators. */
  readonly WebSocketPair?: unknown;
  readonly EdgeRuntime?: unknown;
  readonly window?: { readonly document?: unknown };
}

const host = globalThis as unknown as Host;

/**
 * True on Node and Electron, where `node:http` is Node's own. Other runtimes imitate `process`, but have no versions of llhttp and libuv
 * or have globals of their own. Their fetch is the better transport.
 */
export function isNode(): boolean {
  const { process, Deno, Bun, WebSocketPair, EdgeRuntime } = host;
  if ((Deno ?? Bun ?? WebSocketPair ?? EdgeRuntime) !== undefined) return false;
  return Boolean(process?.versions?.llhttp && process.versions.uv && process.getBuiltinModule);
}

/**
 * True in a browser page, where every visitor can read a key. A DOM on a server runtime, as in tests with jsdom, is no page. Workers of a
 * page have no document, and cannot be told apart from those of a server.
 */
export function inPage(): boolean {
  const { window, Deno, Bun } = host;
  return window?.document !== undefined && (Deno ?? Bun) === undefined && !isNode();
}

export function builtin<T>(name: string): T {
  const found = host.process?.getBuiltinModule?.(name);
  if (found === undefined) throw new TypeError(`this runtime has no ${name}`);
  return found as T;
}

/** The process environment; empty if there is none. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return host.process?.env ?? {};
}

/** Writes a line to stderr; in browsers to the console's debug level. On servers, `console.debug` writes to stdout. */
export function writeLine(line: string): void {
  const isServer = (host.process ?? host.Deno) !== undefined;
  if (isServer) console.error(line);
  else console.debug(line);
}

/** Subset of Node's event emitters, streams and sockets. */
export interface NodeEmitter {
  on(event: string, listener: (...values: never[]) => void): this;
  once(event: string, listener: (...values: never[]) => void): this;
  prependListener(event: string, listener: (...values: never[]) => void): this;
  off(event: string, listener: (...values: never[]) => void): this;
}

export interface NodeSocket extends NodeEmitter {
  readonly connecting: boolean;
  readonly destroyed: boolean;
  /** Milliseconds of silence after which the socket emits `timeout`; 0 disables it. */
  readonly timeout?: number;
  setTimeout(ms: number): void;
  /** Absent from a stream that the `createConnection` of a user's own Agent returned in place of a socket. */
  ref?(): void;
  unref?(): void;
  destroy(error?: Error): void;
}

export interface NodeIncoming extends NodeEmitter {
  readonly socket: NodeSocket;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly complete: boolean;
  pause(): void;
  resume(): void;
  destroy(error?: Error): void;
  pipe<T>(target: T): T;
}

export interface NodeOutgoing extends NodeEmitter {
  readonly reusedSocket: boolean;
  readonly destroyed: boolean;
  setHeader(name: string, value: string): void;
  write(data: string | Uint8Array, done?: (error?: Error | null) => void): boolean;
  end(data?: string | Uint8Array): void;
  destroy(error?: Error): void;
}

export interface NodeAgent {
  /** Undefined for agents of other packages that serve both. */
  readonly protocol?: string;
  /** Idle sockets by host, port and TLS settings. */
  readonly freeSockets: Readonly<Record<string, readonly NodeSocket[] | undefined>>;
  /** Called when a response has been read and its socket can be kept; false closes the socket. */
  keepSocketAlive(socket: NodeSocket): boolean;
  /** Called when a kept socket is assigned to a request. */
  reuseSocket(socket: NodeSocket, request: unknown): void;
  /** Assigns a socket to a request, or queues the request. */
  addRequest(request: NodeOutgoing, options: object): void;
  /** Returns the name of the connections that can serve a request. */
  getName(options: object): string;
  /** Opens a socket, as the return value or through the callback. */
  createConnection(options: object, callback: (error: Error | null, socket?: unknown) => void): unknown;
}

export interface NodeAgentOptions {
  readonly keepAlive: boolean;
  readonly scheduling: 'lifo';
  readonly timeout: number;
  readonly noDelay: boolean;
  readonly maxSockets: number;
  /** For `node:https`; undefined for Node's own. */
  readonly secureContext: object | undefined;
}

export interface NodeRequestOptions {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
  readonly method: string;
  readonly agent: NodeAgent;
  /** Read by the dialer of a proxy. */
  readonly timeoutMs: number;
  /** Read by the dialer of a proxy. */
  readonly dialSignal: AbortSignal | undefined;
}

/** `node:http` and `node:https`. */
export interface NodeHttp {
  readonly Agent: new (options: NodeAgentOptions) => NodeAgent;
  request(options: NodeRequestOptions): NodeOutgoing;
}

/** `node:tls`. */
export interface NodeTls {
  createSecureContext(options: { readonly ca: readonly string[] }): object;
  readonly rootCertificates: readonly string[];
  /** From Node 22.15. With those of NODE_EXTRA_CA_CERTS and of the system. */
  getCACertificates?(type: 'default'): readonly string[];
}

export interface NodeZlib {
  createGunzip(): NodeTransform;
  createBrotliDecompress(): NodeTransform;
  createInflate(): NodeTransform;
}

export interface NodeTransform extends NodeEmitter {
  pause(): void;
  resume(): void;
  destroy(error?: Error): void;
}

type Timer = ReturnType<typeof setTimeout>;

/** Let the process exit while this timer is pending. Browser timers have no `unref`. */
export function unref(timer: Timer): void {
  if (typeof timer === 'object' && 'unref' in timer) (timer as { unref(): void }).unref();
}

/** Undo `unref`. */
export function ref(timer: Timer): void {
  if (typeof timer === 'object' && 'ref' in timer) (timer as { ref(): void }).ref();
}
