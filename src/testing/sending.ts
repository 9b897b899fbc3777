import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { Plan } from './plan.ts';

/** Milliseconds that a block on loopback surely needs less of. */
const flightMs = 20;

/** Carry out a plan. Settles once nothing more will be sent; every wait ends with the signal. */
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
      // A turn of the loop between two writes, so that each leaves as a packet of its own.
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
      // A reset throws away what the client has not read yet.
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

/** Cut a connection with a RST; TLS has no such thing and is cut off. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
