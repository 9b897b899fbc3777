import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Exchange,
  TransportFailure,
  type TransportPhase,
  type UploadBody,
  type WireRequest,
  type WireResponse,
} from '../overlay/transport/transport.ts';
import type { DialOptions } from '../proxy/route.ts';
import { NodeBody, type Refs } from './body.ts';
import type { Pool, Target } from './pool.ts';

/** One exchange over `node:http` or `node:https`, with separate limits for connecting, TLS and the response header. */
export class NodeExchange implements Exchange {
  readonly response: Promise<WireResponse>;
  readonly #pool: Pool;
  readonly #request: WireRequest;
  #proxy: string | undefined;
  #outgoing: ClientRequest | undefined;
  #socket: Socket | undefined;
  #phase: TransportPhase = 'connect';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: Error | undefined;
  #body: NodeBody | undefined;
  #replied = false;
  #uploading: boolean;
  #writing = false;
  #dialing: AbortController | undefined;
  #resolve!: (response: WireResponse) => void;
  #reject!: (error: unknown) => void;

  constructor(pool: Pool, request: WireRequest) {
    this.#pool = pool;
    this.#request = request;
    this.#uploading = typeof request.body === 'object';
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const ready = pool.ready();
    if (!ready) this.#start();
    else
      ready.then(
        () => this.#start(),
        (error: unknown) => this.destroy(new TransportFailure('connect', error)),
      );
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    clearTimeout(this.#timer);
    this.#dialing?.abort(reason);
    this.#outgoing?.destroy();
    this.#reject(this.#reason);
    this.#body?.fail(this.#reason);
  }

  #start(): void {
    if (this.#reason) return;
    const { body } = this.#request;
    try {
      const outgoing = this.#send(this.#pool.target(this.#request.url));
      if (body === undefined || typeof body === 'string') outgoing.end(body);
      else void this.#upload(outgoing, body);
    } catch (error) {
      this.#failed(error);
    }
  }

  #send({ module, agent, protocol, hostname, port, path, headers, proxy }: Target): ClientRequest {
    const { method, timeoutMs } = this.#request;
    this.#proxy = proxy;
    if (proxy !== undefined) this.#dialing = new AbortController();
    const dialSignal = this.#dialing?.signal;
    const options: RequestOptions & Pick<DialOptions, 'timeoutMs' | 'dialSignal'> = {
      protocol,
      hostname,
      port,
      path,
      method,
      agent,
      timeoutMs,
      dialSignal,
    };
    const outgoing = module.request(options);
    this.#outgoing = outgoing;
    // Not through the options: Node logs those if NODE_DEBUG is set.
    for (const [name, value] of headersOf(this.#request, headers)) outgoing.setHeader(name, value);
    outgoing.on('error', (error: Error) => this.#failed(error));
    // Node ends some requests without an error, for instance if a tunnel has no listener.
    outgoing.on('close', () => {
      if (!this.#body) this.#failed(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
    outgoing.on('response', (incoming: IncomingMessage) => this.#answered(incoming));
    // On status 101 Node hands out the socket, which would stay open.
    outgoing.on('upgrade', (_incoming: IncomingMessage, socket: Socket) => {
      socket.destroy();
      this.#replied = true;
      this.#failed(Object.assign(new Error('unexpected upgrade'), { code: 'HPE_UNEXPECTED_UPGRADE' }));
    });
    outgoing.on('socket', (socket: Socket) => this.#onSocket(socket));
    // Until it has a socket: those in use may belong to streams that are not being read, which do not keep the process alive.
    this.#timer = setTimeout(() => {}, longestTimerMs);
    return outgoing;
  }

  /** The first limit starts here: waiting for a free socket is not a phase of the exchange. */
  #onSocket(socket: Socket): void {
    this.#socket = socket;
    this.#dialing = undefined;
    // Before the parser's own listener, which reports an invalid header immediately.
    socket.prependListener('data', this.#onData);
    if (!socket.connecting) {
      // It may come straight from a stream that was not being read.
      (socket as Refs).ref?.();
      return this.#connected();
    }
    this.#arm('connect');
    const secure = this.#request.url.startsWith('https:');
    socket.once('connect', () => (secure ? this.#arm('tls') : this.#connected()));
    if (secure) socket.once('secureConnect', () => this.#connected());
  }

  /** A response header that stays incomplete still counts as a reply. */
  readonly #onData = (): void => {
    this.#replied = true;
    this.#forget();
  };

  #forget(): void {
    this.#socket?.off('data', this.#onData);
    this.#socket = undefined;
  }

  #connected(): void {
    this.#arm(this.#uploading ? 'request' : 'headers');
    if (this.#uploading && !this.#writing) clearTimeout(this.#timer);
  }

  /** Enter a phase, with the full limit for it. */
  #arm(phase: TransportPhase): void {
    if (this.#reason || this.#body) return;
    this.#phase = phase;
    clearTimeout(this.#timer);
    const { timeoutMs } = this.#request;
    if (timeoutMs > 0)
      this.#timer = setTimeout(() => this.destroy(new TransportFailure(phase, undefined, { timeoutMs, replied: this.#replied })), timeoutMs);
  }

  async #upload(outgoing: ClientRequest, body: UploadBody): Promise<void> {
    try {
      for await (const block of body.open()) {
        if (this.#reason || this.#body) return;
        // The limit is for a service that stops reading, not for the size of the upload nor for the pauses of its source.
        this.#writing = true;
        if (this.#phase === 'request') this.#arm('request');
        await new Promise<void>((resolve, reject) => outgoing.write(block, (error) => (error ? reject(error) : resolve())));
        this.#writing = false;
        if (this.#phase === 'request') clearTimeout(this.#timer);
      }
      this.#uploading = false;
      if (this.#phase === 'request') this.#arm('headers');
      outgoing.end();
    } catch (error) {
      if (!this.#reason && !this.#body) this.destroy(new TransportFailure('request', error));
    }
  }

  #failed(error: unknown): void {
    this.#forget();
    if (this.#reason) return;
    // Failures of the proxy dialer have their own phase.
    const { phase = this.#phase, timeoutMs, proxy } = (error ?? {}) as Partial<Pick<TransportFailure, 'phase' | 'timeoutMs' | 'proxy'>>;
    this.destroy(
      new TransportFailure(this.#body ? 'body' : phase, error, {
        timeoutMs,
        replied: this.#replied || this.#body !== undefined,
        proxy: proxy ?? (this.#phase === 'connect' ? this.#proxy : undefined),
      }),
    );
  }

  #answered(incoming: IncomingMessage): void {
    clearTimeout(this.#timer);
    this.#forget();
    this.#body = new NodeBody(incoming, () => this.#outgoing?.destroy());
    this.#resolve(this.#body);
  }
}

const longestTimerMs = 2 ** 31 - 1;

function headersOf({ headers, body }: WireRequest, added: Readonly<Record<string, string>>): [string, string][] {
  const all = [...Object.entries(headers), ...Object.entries(added)];
  const length = typeof body === 'string' ? byteLength(body) : body?.contentLength;
  if (length !== undefined) all.push(['content-length', String(length)]);
  return all;
}

let buffer: typeof import('node:buffer') | undefined;

function byteLength(text: string): number {
  buffer ??= process.getBuiltinModule('node:buffer');
  return buffer.Buffer.byteLength(text);
}
