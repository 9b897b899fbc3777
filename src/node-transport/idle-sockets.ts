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
 * Waits until the event loop has seen whether the server closed an idle socket or sent bytes on it. Then no request gets this socket.
 * Undefined if there are no idle sockets. Two turns, because the first may end a poll that began earlier.
 */
export function look(agent: SocketHolder): Promise<void> | undefined {
  return idleSockets(agent).length > 0 ? turns(2) : undefined;
}

/**
 * Waits after a response until its socket counts as free: a server may close it just then, although it promised to keep it. Longer than
 * `look`, so that a call that follows directly gets another socket, as with undici.
 */
export function settle(): Promise<void> {
  return turns(3);
}

/** Removes closed sockets from an Agent, which lists them until their event `close`. A request that gets one fails. */
export function dropClosed(agent: SocketHolder): void {
  for (const socket of idleSockets(agent)) if (!socket.writable) socket.emit('agentRemove');
}

/** Waits for turns of the event loop. */
export async function turns(count: number): Promise<void> {
  const { setImmediate } = process.getBuiltinModule('node:timers');
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
