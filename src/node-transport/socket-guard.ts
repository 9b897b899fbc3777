/** Listeners that a socket has for its whole life, in use or idle. */
import type { Socket } from 'node:net';
import { idleSockets, type SocketHolder } from './idle-sockets.ts';

/** The exchange that uses a socket. */
export interface SocketUser {
  /** True once its response is complete: later bytes answer no request. */
  readonly complete: boolean;
  /** Bytes have arrived. Called before the parser reads them. */
  received(): void;
}

const guarded = new WeakSet<Socket>();
const users = new WeakMap<Socket, SocketUser>();

/**
 * Between two requests `node:http` leaves a socket without listeners. An error would then end the process, and late bytes could become the answer
 * to the next request. An Agent of the user may also serve requests of other code, whose bytes are left alone.
 */
export function guard(socket: Socket, agent: SocketHolder): Socket {
  if (guarded.has(socket)) return socket;
  guarded.add(socket);
  const unasked = (): void => {
    if (users.get(socket)?.complete ?? idleSockets(agent).includes(socket)) socket.destroy();
  };
  socket.on('error', () => undefined);
  // Before the parser's own listener, which reports an invalid header immediately. Unlike `on`, it does not start the flow.
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
