import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Plan } from './plan.ts';

/** Milliseconds to wait so that a block reaches a client on loopback. */
const flightMs = 20;

/** Send the answer of a plan. Settles after the last byte. Every wait ends when the signal aborts. */
export async function perform(plan: Plan, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const socket = response.socket;
  if (!socket) return;
  try {
    if (plan.delayMs > 0) await wait(plan.delayMs, undefined, { signal, ref: false });
    if (plan.head === 'reset') return reset(socket);
    if (plan.head === 'silent') return;
    if (plan.head === 'raw') {
      socket.write(plan.raw ?? new Uint8Array());
      if (plan.ending !== 'open') socket.destroySoon();
      return;
    }
    response.writeHead(plan.status, plan.headers);
    response.flushHeaders();
    for (const [index, block] of plan.blocks.entries()) {
      // An event loop turn between two writes sends each as a separate packet.
      if (index > 0) await (plan.paceMs > 0 ? wait(plan.paceMs, undefined, { signal, ref: false }) : nextTick(undefined, { signal }));
      await write(response, block, signal);
    }
    for (const block of plan.source?.() ?? []) await write(response, block, signal);
    while (plan.repeat) {
      if (plan.repeat.everyMs > 0) await wait(plan.repeat.everyMs, undefined, { signal, ref: false });
      await write(response, plan.repeat.block, signal);
    }
    if (plan.ending === 'end') response.end();
    else if (plan.ending !== 'open') {
      // A reset discards bytes that the client has not read yet.
      await wait(flightMs, undefined, { signal, ref: false });
      if (plan.ending === 'reset') reset(socket);
      else socket.destroySoon();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function write(response: ServerResponse, block: Uint8Array, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new Error('the client left'));
    signal.addEventListener('abort', leave, { once: true });
    response.write(block, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
  });
}

/** Reset a connection with RST. TLS sockets do not support this, so they are destroyed. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
