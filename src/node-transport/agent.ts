/** Agents of `node:http(s)`: this package's, and the interface that the transport needs of a user's Agent. */
import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import type { AgentOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { SocketQueue } from '../overlay/transport/transport.ts';
import type { ProxyRoute } from '../proxy/route.ts';
import { type SocketHolder, settle } from './idle-sockets.ts';
import { guard } from './socket-guard.ts';

const idleSocketMs = 90_000;
/** Milliseconds before the server's limit at which an idle socket is closed. */
const leadMs = 500;

export interface Agent extends HttpAgent, SocketHolder {
  /** Assigns a socket to a request, or queues the request. Node's types lack it. */
  addRequest(request: ClientRequest, options: object): void;
}

/** `node:http` or `node:https`. */
export type Http = Pick<typeof import('node:http'), 'Agent' | 'request'>;

export function isAgent(value: object): value is Agent {
  return typeof (value as Partial<Agent> | null)?.addRequest === 'function';
}

/** An Agent that keeps its sockets, and opens them through `proxy` if there is one. It has no limit of its own. */
export function newAgent(module: Http, secureContext: SecureContext | undefined, proxy: ProxyRoute | undefined): Agent {
  class KeepAliveAgent extends module.Agent implements SocketHolder {
    readonly settling = new Set<Socket>();

    override createConnection(...[options, callback]: Parameters<HttpAgent['createConnection']>): ReturnType<HttpAgent['createConnection']> {
      if (!proxy) return guard(super.createConnection(options, callback) as Socket, this);
      const opened = callback as (error: Error | null, socket?: Socket) => void;
      proxy.dial(options, (error, socket) => opened(error, socket && guard(socket as Socket, this)));
      return undefined;
    }

    override emit(...[event, ...values]: Parameters<HttpAgent['emit']>): boolean {
      if (event !== 'free') return super.emit(event, ...values);
      const [socket] = values as [Socket];
      this.settling.add(socket);
      void settle().then(() => {
        this.settling.delete(socket);
        super.emit(event, ...values);
      });
      return true;
    }

    override keepSocketAlive(socket: Socket): boolean {
      // Node returns a boolean, which its types do not declare.
      const isKept: unknown = super.keepSocketAlive(socket);
      if (!isKept) return false;
      // Node applies the server's `Keep-Alive: timeout` to the socket. Close it before the server does, so that no request meets a close.
      const { timeout = 0 } = socket;
      if (timeout >= idleSocketMs) return true;
      if (timeout < 2 * leadMs) return false;
      socket.setTimeout(timeout - leadMs);
      return true;
    }
  }
  // lifo: the most recently used socket is the least likely to be closed by the server. The timeout ends only idle sockets.
  const options: AgentOptions = {
    keepAlive: true,
    scheduling: 'lifo',
    noDelay: true,
    timeout: idleSocketMs,
    ...(secureContext && { secureContext }),
  };
  const agent: HttpAgent = new KeepAliveAgent(options);
  return agent as Agent;
}

/** The queue in which a request waits for a socket of its Agent. */
export function queueOf({ maxSockets, requests, sockets }: Agent, request: ClientRequest): SocketQueue | undefined {
  for (const [name, waiting = []] of Object.entries(requests))
    if (waiting.includes(request)) return { limit: maxSockets, open: sockets[name]?.length ?? 0, clients: undefined, waiting: waiting.length };
  return undefined;
}
