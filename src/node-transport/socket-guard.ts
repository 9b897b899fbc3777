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

const guarded = new WeakSet<Socket>();
const users = new WeakMap<Socket, SocketUser>();

/**
 * Between two requests `node:http` leaves a socket without listeners. An error would then end the process, and late bytes could be read as
 * the response to the next request. A user's Agent may also serve requests of other code, whose sockets stay open.
 */
export function guard(socket: Socket, agent: SocketHolder): Socket {
  if (guarded.has(socket)) return socket;
  guarded.add(socket);
  const unasked = (): void => {
    if (users.get(socket)?.complete ?? idleSockets(agent).includes(socket)) socket.destroy();
  };
  socket.on('error', () => undefined);
  // Prepended to run before the parser's listener, which reports an invalid header immediately. Unlike `on`, it does not start the flow.
  socket.prependListener('data', () => {
    const user = users.get(socket);
    if (user?.complete === false) user.received();
    else unasked();
  });
  socket.on('end', unasked);
  return socket;
}

export function use(socket: Socket, user: SocketUser): void {
  users.set(socket, user);
}

export function release(socket: Socket): void {
  users.delete(socket);
}
