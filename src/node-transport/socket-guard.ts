/** Listeners that a socket has for its whole life, in use or idle. */
import type { Socket } from 'node:net';
import { idleSockets, type SocketHolder } from './idle-sockets.ts';

/** The exchange that uses a socket. */
export interface SocketUser {
  /** True once its response is complete: later bytes belong to no request. */
  readonly complete: boolean;
  /** Bytes have arrived. Called before the parser reads them. */
  received(): void;
}

/** A socket and the exchange that uses it. */
interface Guard {
  user: SocketUser | undefined;
}

const guards = new WeakMap<Socket, Guard>();

/**
 * Between two requests `node:http` leaves a socket without listeners. An error would then end the process, and late bytes could be read as
 * the response to the next request. A user's Agent may also serve requests of other code, whose sockets stay open.
 */
export function guard(socket: Socket, agent: SocketHolder): Socket {
  if (guards.has(socket)) return socket;
  // The listeners refer to it: a look-up in the WeakMap per block would take a tenth of the time of a small event.
  const guarded: Guard = { user: undefined };
  guards.set(socket, guarded);
  const unasked = (): void => {
    if (guarded.user?.complete ?? idleSockets(agent).includes(socket)) socket.destroy();
  };
  socket.on('error', ignore);
  // Prepended to run before the parser's listener, which reports an invalid header immediately. Unlike `on`, it does not start the flow.
  socket.prependListener('data', () => {
    if (guarded.user?.complete === false) guarded.user.received();
    else unasked();
  });
  socket.on('end', unasked);
  return socket;
}

export function use(socket: Socket, user: SocketUser | undefined): void {
  const guarded = guards.get(socket);
  if (guarded) guarded.user = user;
}

function ignore(): void {}
