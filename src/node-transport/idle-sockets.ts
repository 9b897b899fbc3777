/** Sockets between two exchanges. */
import type { Agent as HttpAgent } from 'node:http';
import type { Socket } from 'node:net';

/** The sockets of an Agent that no exchange uses. */
export interface SocketHolder extends Pick<HttpAgent, 'freeSockets'> {
  /** Sockets whose exchange has just ended, and that are not yet free. Only an Agent of this package has them. */
  readonly settling?: ReadonlySet<Socket>;
}

export function idleSockets({ freeSockets, settling }: SocketHolder): Socket[] {
  return [...Object.values(freeSockets).flatMap((sockets) => sockets ?? []), ...(settling ?? [])];
}

/**
 * Before a request gets a used socket, the event loop must have seen whether the server has closed it or sent something.
 * Undefined if there is no such socket. Two turns, because the first may end a poll that began before that.
 */
export function look(agent: SocketHolder): Promise<void> | undefined {
  return idleSockets(agent).length > 0 ? turns(2) : undefined;
}

/**
 * A server may close a socket just after an answer, although it promised to keep it. Longer than a look: a call that follows at once gets
 * another socket, as with undici.
 */
export function settle(): Promise<void> {
  return turns(3);
}

/** A socket that was closed in this turn is in the list of its Agent until its `close`, and a request that gets it fails. */
export function dropClosed(agent: SocketHolder): void {
  for (const socket of idleSockets(agent)) if (!socket.writable) socket.emit('agentRemove');
}

/** Turns of the event loop. */
export async function turns(count: number): Promise<void> {
  const { setImmediate } = process.getBuiltinModule('node:timers');
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
