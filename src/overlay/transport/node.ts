import { builtin, type NodeAgent, type NodeHttp, type NodeIncoming, type NodeOutgoing, type NodeSocket } from '../host.ts';
import { NodeBody } from './node-body.ts';
import { type Exchange, type Transport, TransportFailure, type UploadBody, type WireRequest, type WireResponse } from './transport.ts';

/** Gives the agent for a URL, or undefined for the built-in one; this is how a proxy comes in. */
export type AgentFor = (url: URL) => NodeAgent | undefined;

/** The transport over `node:http` and `node:https`: keep-alive, and bounds for dial, TLS and response header apart. */
export function nodeTransport(agentFor: AgentFor = () => undefined): Transport {
  const pools = new Map<string, Pool>();
  const targets = new Map<string, Target>();
  return (request) => {
    let target = targets.get(request.url);
    if (!target) {
      // An application calls a few URLs again and again; ids in paths must not collect.
      if (targets.size >= maxTargets) targets.clear();
      targets.set(request.url, (target = targetOf(request.url, pools, agentFor)));
    }
    return new NodeExchange(target, request);
  };
}

const idleSocketMs = 90_000;
const maxTargets = 100;

interface Pool {
  readonly module: NodeHttp;
  readonly agent: NodeAgent;
}

/** A URL as node:http wants it. */
interface Target {
  readonly module: NodeHttp;
  readonly agent: NodeAgent;
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly path: string;
}

function targetOf(href: string, pools: Map<string, Pool>, agentFor: AgentFor): Target {
  const url = new URL(href);
  const { protocol, hostname, port, pathname, search } = url;
  let pool = pools.get(protocol);
  if (!pool) pools.set(protocol, (pool = openPool(protocol)));
  const { module, agent } = pool;
  return { module, agent: agentFor(url) ?? agent, protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, path: pathname + search };
}

function openPool(protocol: string): Pool {
  const module = builtin<NodeHttp>(protocol === 'https:' ? 'node:https' : 'node:http');
  // lifo: the socket used last is the least likely to have been closed by the other side. The timeout ends only idle ones.
  return { module, agent: new module.Agent({ keepAlive: true, scheduling: 'lifo', noDelay: true, timeout: idleSocketMs }) };
}

type Phase = TransportFailure['phase'];

class NodeExchange implements Exchange {
  readonly response: Promise<WireResponse>;
  readonly #target: Target;
  readonly #request: WireRequest;
  #outgoing: NodeOutgoing;
  #phase: Phase = 'connect';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reason: Error | undefined;
  #body: NodeBody | undefined;
  #resolve!: (response: WireResponse) => void;
  #reject!: (error: unknown) => void;
  #stale = false;
  #uploading: boolean;
  #writing = false;

  constructor(target: Target, request: WireRequest) {
    this.#target = target;
    this.#request = request;
    this.#uploading = typeof request.body === 'object';
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#outgoing = this.#start();
  }

  destroy(reason: Error): void {
    this.#reason ??= reason;
    clearTimeout(this.#timer);
    this.#outgoing.destroy();
    this.#reject(this.#reason);
    this.#body?.fail(this.#reason);
  }

  #start(): NodeOutgoing {
    const { module, agent, protocol, hostname, port, path } = this.#target;
    const { method, body } = this.#request;
    const outgoing = module.request({ protocol, hostname, port, path, method, headers: headersOf(this.#request), agent });
    outgoing.on('error', (error: Error) => this.#failed(outgoing, error));
    outgoing.on('response', (incoming: NodeIncoming) => this.#answered(incoming));
    outgoing.on('socket', (socket: NodeSocket) => this.#onSocket(socket, outgoing.reusedSocket));
    this.#arm('connect');
    if (body === undefined || typeof body === 'string') outgoing.end(body);
    else void this.#upload(outgoing, body);
    return outgoing;
  }

  #onSocket(socket: NodeSocket, isReused: boolean): void {
    // A kept-alive socket comes within the tick: the bound that runs already is as good as a new one.
    if (isReused && !this.#uploading) this.#phase = 'headers';
    else if (socket.connecting) this.#onConnect(socket);
    else this.#connected();
  }

  #onConnect(socket: NodeSocket): void {
    const secure = this.#target.protocol === 'https:';
    socket.once('connect', () => (secure ? this.#arm('tls') : this.#connected()));
    if (secure) socket.once('secureConnect', () => this.#connected());
  }

  #connected(): void {
    this.#arm(this.#uploading ? 'request' : 'headers');
    if (this.#uploading && !this.#writing) clearTimeout(this.#timer);
  }

  /** Enter a phase: each has the whole bound for itself. */
  #arm(phase: Phase): void {
    if (this.#reason || this.#body) return;
    this.#phase = phase;
    clearTimeout(this.#timer);
    const { timeoutMs } = this.#request;
    if (timeoutMs > 0) this.#timer = setTimeout(() => this.destroy(new TransportFailure(phase, undefined, timeoutMs)), timeoutMs);
  }

  async #upload(outgoing: NodeOutgoing, body: UploadBody): Promise<void> {
    try {
      for await (const block of body.open()) {
        if (this.#reason || this.#body) return;
        // The bound is for a service that takes no more, not for the size of the upload nor for the pauses of its source.
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

  #failed(outgoing: NodeOutgoing, error: Error): void {
    if (outgoing !== this.#outgoing || this.#reason) return;
    const { body } = this.#request;
    // A kept-alive socket that the server closed while idle: nothing was processed, so it is not an attempt.
    if (
      !this.#body &&
      !this.#stale &&
      outgoing.reusedSocket &&
      (error as { code?: string }).code === 'ECONNRESET' &&
      (body === undefined || typeof body === 'string')
    ) {
      this.#stale = true;
      this.#outgoing = this.#start();
      return;
    }
    this.destroy(new TransportFailure(this.#body ? 'body' : this.#phase, error));
  }

  #answered(incoming: NodeIncoming): void {
    clearTimeout(this.#timer);
    this.#body = new NodeBody(incoming, () => this.#outgoing.destroy());
    this.#resolve(this.#body);
  }
}

/** An object of its own each time: instrumentation that patches `http.request` writes its headers into it. */
function headersOf({ headers, body }: WireRequest): Record<string, string> {
  const own: Record<string, string> = { ...headers };
  const length = typeof body === 'string' ? byteLength(body) : body?.contentLength;
  if (length !== undefined) own['content-length'] = String(length);
  return own;
}

let buffers: { byteLength(text: string): number } | undefined;

function byteLength(text: string): number {
  buffers ??= builtin<{ Buffer: typeof buffers & object }>('node:buffer').Buffer;
  return buffers.byteLength(text);
}
