/** Detection of the platform. The transport of Node is outside of this folder, see `#transport`. */

/** Subset of Node's `process`. */
interface NodeProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly versions?: { readonly llhttp?: string; readonly uv?: string };
  readonly getBuiltinModule?: unknown;
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
 * True in a browser page, where every visitor can read a key. A DOM on a server runtime, as in tests with jsdom, is not a page. Workers of a
 * page have no document, and cannot be told apart from a server's.
 */
export function inPage(): boolean {
  const { window, Deno, Bun } = host;
  return window?.document !== undefined && (Deno ?? Bun) === undefined && !isNode();
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

type Timer = ReturnType<typeof setTimeout>;

/** Let the process exit while this timer is pending. Browser timers have no `unref`. */
export function unref(timer: Timer): void {
  if (typeof timer === 'object' && 'unref' in timer) (timer as { unref(): void }).unref();
}

/** Undo `unref`. */
export function ref(timer: Timer): void {
  if (typeof timer === 'object' && 'ref' in timer) (timer as { ref(): void }).ref();
}
