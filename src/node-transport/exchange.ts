import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { longestTimerMs, type Slot } from '../overlay/transport/socket-limit.ts';
import {
  type Exchange,
  TransportFailure,
  type TransportPhase,
  type UploadBody,
  type WireRequest,
  type WireResponse,
} from '../overlay/transport/transport.ts';
import type { DialOptions } from '../proxy/route.ts';
import { type Agent, queueOf } from './agent.ts';
import { NodeBody, type Refs } from './body.ts';
import { dropClosed, look, settle, turns } from './idle-sockets.ts';
import type { Pool, Target } from './pool.ts';
import { guard, type SocketUser, use } from './socket-guard.ts';

/** One exchange over `node:http` or `node:https`, with separate limits for the wait for a socket, connecting, TLS and the response header. */
export class NodeExchange implements Exchange, SocketUser {
  readonly response: Promise<WireResponse>;
  readonly #pool: Pool;
  readonly #timeoutMs: number;
  #slot: Slot | undefined;
  #proxy: string | undefined;
  #outgoing: ClientRequest | undefined;
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

  /** `client` is counted among those that share the sockets. */
  constructor(pool: Pool, request: WireRequest, client: object) {
    this.#pool = pool;
    this.#timeoutMs = request.timeoutMs;
    this.#uploading = typeof request.body === 'object';
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#start(request, client).catch((error: unknown) => this.#failed(error));
  }

  get complete(): boolean {
    return this.#body?.complete === true;
  }

  get isSent(): boolean {
    return this.#replied || this.#body !== undefined || this.#phase === 'request' || this.#phase === 'headers';
  }

  /** Bytes have arrived. They count as a reply even if the response header stays incomplete. */
  received(): void {
    this.#replied = true;
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    clearTimeout(this.#timer);
    this.#dialing?.abort(reason);
    if (this.#outgoing) this.#outgoing.destroy();
    else this.#slot?.leave();
    this.#reject(this.#reason);
    this.#body?.fail(this.#reason);
  }

  async #start(request: WireRequest, client: object): Promise<void> {
    const { url, body } = request;
    const loading = this.#pool.ready();
    if (loading) await loading;
    if (this.#reason) return;
    const target = this.#pool.target(url);
    this.#slot = target.limit?.enter(client, request);
    if (this.#slot?.granted) await this.#slot.granted;
    const looking = look(target.agent);
    if (looking) await looking;
    if (this.#reason) return;
    dropClosed(target.agent);
    const outgoing = this.#send(target, request);
    if (body === undefined || typeof body === 'string') outgoing.end(body);
    else void this.#upload(outgoing, body);
  }

  #send({ module, agent, protocol, hostname, port, path, headers, proxy, limit }: Target, request: WireRequest): ClientRequest {
    const { method, timeoutMs } = request;
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
    outgoing.on('error', (error: Error) => this.#failed(error));
    // Node ends some requests without an error, for instance if a tunnel has no listener.
    outgoing.on('close', () => {
      if (outgoing.socket) use(outgoing.socket, undefined);
      // Not at once: until this socket is free again, the next exchange would open another one.
      void settle().then(this.#slot?.leave);
      if (!this.#body) this.#failed(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
    });
    outgoing.on('response', (incoming: IncomingMessage) => this.#onResponse(outgoing, incoming));
    // On status 101 Node hands out the socket, which would stay open.
    outgoing.on('upgrade', (_incoming: IncomingMessage, socket: Socket) => {
      socket.destroy();
      this.#replied = true;
      this.#failed(Object.assign(new Error('unexpected upgrade'), { code: 'HPE_UNEXPECTED_UPGRADE' }));
    });
    outgoing.on('socket', (socket: Socket) => {
      use(guard(socket, agent), this);
      this.#onSocket(socket, protocol === 'https:');
    });
    // Not through the options: Node logs those if NODE_DEBUG is set.
    for (const [name, value] of headersOf(request, headers)) outgoing.setHeader(name, value);
    if (!limit) this.#awaitSocket(agent, outgoing, request);
    return outgoing;
  }

  /** Limits the wait for a socket of a user's Agent, which may queue the request or open a connection in its own way. */
  #awaitSocket(agent: Agent, outgoing: ClientRequest, { timeoutMs, onWait }: WireRequest): void {
    const queue = queueOf(agent, outgoing);
    if (queue) onWait?.(queue);
    const expire = (): void => {
      const queue = queueOf(agent, outgoing);
      this.destroy(new TransportFailure(queue ? 'socket' : 'connect', undefined, { timeoutMs, queue }));
    };
    this.#timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : setTimeout(() => {}, longestTimerMs);
  }

  #onSocket(socket: Socket, secure: boolean): void {
    this.#dialing = undefined;
    if (!socket.connecting) {
      // The socket may be unref'ed: its last stream was not being read.
      (socket as Refs).ref?.();
      return this.#connected();
    }
    this.#arm('connect');
    socket.once('connect', () => (secure ? this.#arm('tls') : this.#connected()));
    if (secure) socket.once('secureConnect', () => this.#connected());
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
    const timeoutMs = this.#timeoutMs;
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
    // Bytes or a reset after a complete response affect only the socket, which is closed by now.
    if (this.#reason || this.complete) return;
    if (error instanceof TransportFailure) return this.destroy(error);
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

  #onResponse(outgoing: ClientRequest, incoming: IncomingMessage): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#body = new NodeBody(incoming, outgoing);
    if (!outgoing.writableFinished) incoming.once('end', () => void this.#finish(outgoing));
    this.#resolve(this.#body);
  }

  /** Closes the connection if the response ended before the request was sent. TLS reports the end of a write one turn late. */
  async #finish(outgoing: ClientRequest): Promise<void> {
    await turns(2);
    if (!outgoing.writableFinished) outgoing.destroy();
  }
}

function headersOf({ headers, body }: WireRequest, added: Readonly<Record<string, string>>): [string, string][] {
  // A server in between that compresses a stream may hold back its events.
  const all = [['accept-encoding', 'identity'], ...Object.entries(headers), ...Object.entries(added)] as [string, string][];
  const length = typeof body === 'string' ? byteLength(body) : body?.contentLength;
  if (length !== undefined) all.push(['content-length', String(length)]);
  return all;
}

let buffer: typeof import('node:buffer') | undefined;

function byteLength(text: string): number {
  buffer ??= process.getBuiltinModule('node:buffer');
  return buffer.Buffer.byteLength(text);
}
