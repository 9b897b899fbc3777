import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { ProxyAddress } from './address.ts';
import { ConnectReply } from './connect-reply.ts';
import { ProxyError, type ProxyErrorFacts } from './error.ts';
import type { DialOptions } from './route.ts';

// Not imported, and looked up only by a dial: a bundle built without the conditions of its runtime contains this file, even one for the web.
const net = (): typeof import('node:net') => process.getBuiltinModule('node:net');
const tls = (): typeof import('node:tls') => process.getBuiltinModule('node:tls');

type Callback = (error: Error | null, socket?: Socket) => void;

/** Opens a socket to the proxy or, with `tunnel`, a TLS socket to the target through the proxy. */
export function dial(proxy: ProxyAddress, tunnel: boolean, options: DialOptions, callback: Callback): void {
  new Dial(proxy, tunnel, options, callback).start();
}

/** The steps of a dial: their text and phase in errors. */
const steps = {
  dial: { phase: 'connect', text: 'connection to the proxy' },
  proxyTls: { phase: 'tls', text: 'TLS handshake with the proxy' },
  reply: { phase: 'connect', text: "proxy's reply to CONNECT" },
  targetTls: { phase: 'tls', text: 'TLS handshake with the service through the proxy' },
} as const;

class Dial {
  readonly #proxy: ProxyAddress;
  readonly #tunnel: boolean;
  readonly #options: DialOptions;
  readonly #callback: Callback;
  #step: keyof typeof steps = 'dial';
  /** The outermost socket layer. Destroying it destroys the layers below. */
  #socket: Socket | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  constructor(proxy: ProxyAddress, tunnel: boolean, options: DialOptions, callback: Callback) {
    this.#proxy = proxy;
    this.#tunnel = tunnel;
    this.#options = options;
    this.#callback = callback;
  }

  start(): void {
    const { dialSignal } = this.#options;
    if (dialSignal?.aborted) return queueMicrotask(this.#onAbort);
    dialSignal?.addEventListener('abort', this.#onAbort, { once: true });
    const { host, port } = this.#proxy;
    try {
      const socket = net().connect({ host, port, noDelay: true });
      this.#enter('dial', socket);
      socket.once('connect', () => this.#dialed(socket));
    } catch (error) {
      // `connect` throws for a port out of range, and may throw if it is instrumented.
      queueMicrotask(() => this.#onError(error as Error));
    }
  }

  #dialed(socket: Socket): void {
    if (this.#over) return;
    if (!this.#proxy.secure) return this.#connected(socket);
    const { host } = this.#proxy;
    const secure = layered(socket, tls().connect({ socket, host, servername: nameOf(host) }));
    this.#enter('proxyTls', secure);
    secure.once('secureConnect', () => this.#connected(secure));
  }

  /** Called when the connection to the proxy is ready. */
  #connected(socket: Socket): void {
    if (this.#over) return;
    if (!this.#tunnel) return this.#succeed(socket);
    this.#enter('reply', socket);
    const reply = new ConnectReply();
    const onData = (block: Uint8Array): void => {
      const outcome = reply.push(block);
      if (!outcome || this.#over) return;
      socket.off('data', onData);
      if ('problem' in outcome) return this.#refuse(outcome.problem === 'oversized' ? 'is too large' : 'is not HTTP');
      if (outcome.status !== 200) return this.#refuse(`has status ${outcome.status} instead of 200${hintFor(outcome.status)}`, outcome.status);
      socket.pause();
      // Bytes after the headers belong to the tunnel. TLS must read them first.
      if (outcome.rest.length > 0) socket.unshift(outcome.rest);
      this.#tunneled(socket);
    };
    socket.on('data', onData);
    socket.write(connectRequest(this.#options, this.#proxy.authorization));
  }

  #tunneled(socket: Socket): void {
    const { host, servername } = this.#options;
    const name = host ?? 'localhost';
    // TLS checks the certificate against `host` if there is no server name, as for an IP address.
    const secure = layered(socket, tls().connect({ socket, host: name, servername: servername || nameOf(name), ...contextOf(this.#options) }));
    this.#enter('targetTls', secure);
    secure.once('secureConnect', () => this.#succeed(secure));
  }

  /** Starts the next step. Each step gets the full `timeoutMs`. */
  #enter(step: keyof typeof steps, socket: Socket): void {
    this.#step = step;
    if (this.#socket !== socket) {
      this.#socket?.off('error', this.#onError).off('close', this.#onClose);
      this.#socket = socket.on('error', this.#onError).on('close', this.#onClose);
    }
    clearTimeout(this.#timer);
    const timeoutMs = this.#options.timeoutMs ?? 0;
    if (timeoutMs > 0) this.#timer = setTimeout(() => this.#fail(`${steps[step].text} took longer than ${timeoutMs} ms`, { timeoutMs }), timeoutMs);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#options.dialSignal?.reason;
    this.#settle(reason instanceof Error ? reason : new Error('aborted', { cause: reason }));
  };

  readonly #onError = (error: Error & { code?: string }): void => {
    const { code } = error;
    // Errors about an invalid certificate contain the certificate, which may be the proxy's.
    const cause = 'cert' in error ? undefined : error;
    this.#fail(`${steps[this.#step].text} failed${code === undefined ? '' : ` (${code})`}`, { code, cause });
  };

  readonly #onClose = (): void => this.#fail(`${steps[this.#step].text}: the connection was closed`, { code: 'ECONNRESET' });

  #refuse(problem: string, status?: number): void {
    this.#fail(`${steps.reply.text} ${problem}`, { status });
  }

  #fail(text: string, facts: Omit<ProxyErrorFacts, 'proxy' | 'phase'>): void {
    const { name, variable } = this.#proxy;
    this.#settle(new ProxyError(`proxy ${name} (${variable}): ${text}`, { ...facts, proxy: name, phase: steps[this.#step].phase }));
  }

  #succeed(socket: Socket): void {
    if (this.#over) return;
    // The Agent now owns the socket and handles its errors.
    socket.off('error', this.#onError).off('close', this.#onClose);
    this.#settle(null, socket);
  }

  #settle(error: Error | null, socket?: Socket): void {
    if (this.#over) return;
    this.#over = true;
    clearTimeout(this.#timer);
    this.#options.dialSignal?.removeEventListener('abort', this.#onAbort);
    if (error) this.#socket?.destroy();
    this.#callback(error, socket);
  }
}

/** Links a TLS socket to the socket below it, so that closing one closes the other. */
function layered(under: Socket, secure: TLSSocket): TLSSocket {
  under.on('error', (error) => secure.destroy(error));
  secure.once('close', () => under.destroy());
  return secure;
}

function connectRequest({ host, port }: DialOptions, authorization: string | undefined): string {
  const target = `${net().isIPv6(host ?? '') ? `[${host}]` : host}:${port ?? 443}`;
  const credentials = authorization === undefined ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  return `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`;
}

function contextOf({ secureContext }: DialOptions): { secureContext?: SecureContext } {
  return secureContext ? { secureContext: secureContext as SecureContext } : {};
}

/** SNI does not allow IP addresses. */
function nameOf(host: string): string {
  return net().isIP(host) ? '' : host;
}

function hintFor(status: number): string {
  return status === 407 ? '; check the user name and password of the proxy' : '';
}
