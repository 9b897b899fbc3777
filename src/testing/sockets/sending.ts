import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTick, setTimeout as wait } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import type { WireReply } from './wire-reply.ts';

/** Milliseconds to wait so that a block reaches a client on loopback. */
const flightMs = 20;

/** Send a wire reply. Settles after the last byte. Every wait ends when the signal aborts. */
export async function perform(wire: WireReply, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const socket = response.socket;
  if (!socket) return;
  try {
    if (wire.delayMs > 0) await wait(wire.delayMs, undefined, { signal, ref: false });
    if (wire.head === 'reset') return reset(socket);
    if (wire.head === 'silent') return;
    if (wire.head === 'raw') {
      socket.write(wire.raw ?? new Uint8Array());
      if (wire.ending !== 'open') socket.destroySoon();
      return;
    }
    response.writeHead(wire.status, wire.headers);
    response.flushHeaders();
    for (const [index, block] of wire.blocks.entries()) {
      // An event loop turn between two writes sends each as a separate packet.
      if (index > 0) await (wire.paceMs > 0 ? wait(wire.paceMs, undefined, { signal, ref: false }) : nextTick(undefined, { signal }));
      await write(response, block, signal);
    }
    if (wire.source && !(await pour(wire.source(), response, signal))) return await leave(socket, 'close', signal);
    while (wire.repeat) {
      if (wire.repeat.everyMs > 0) await wait(wire.repeat.everyMs, undefined, { signal, ref: false });
      await write(response, wire.repeat.block, signal);
    }
    if (wire.ending === 'end') response.end();
    else if (wire.ending !== 'open') await leave(socket, wire.ending, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Sends the blocks of a source. Returns false if the source throws. */
async function pour(
  source: Iterable<Uint8Array> | AsyncIterable<string | Uint8Array>,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<boolean> {
  const blocks = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
  try {
    for (;;) {
      const next = await unlessLeft(signal, Promise.resolve(blocks.next()));
      if (next.done === true) return true;
      await write(response, next.value, signal);
    }
  } catch {
    return signal.aborted;
  } finally {
    // Not awaited: a generator that waits for an event of its own cannot return before the event.
    void Promise.resolve(blocks.return?.()).catch(() => undefined);
  }
}

/** Ends the connection without the end of the body. */
async function leave(socket: Socket, how: 'reset' | 'close', signal: AbortSignal): Promise<void> {
  // A reset discards bytes that the client has not read yet.
  await wait(flightMs, undefined, { signal, ref: false });
  if (how === 'reset') reset(socket);
  else socket.destroySoon();
}

function write(response: ServerResponse, block: string | Uint8Array, signal: AbortSignal): Promise<void> {
  return unlessLeft(signal, new Promise<void>((resolve) => response.write(block, () => resolve())));
}

/** Settles with `work`, or rejects if the client leaves first. */
function unlessLeft<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const left = (): void => reject(new Error('the client left'));
    if (signal.aborted) return left();
    signal.addEventListener('abort', left, { once: true });
    work.finally(() => signal.removeEventListener('abort', left)).then(resolve, reject);
  });
}

/** Reset a connection with RST. TLS sockets do not support this, so they are destroyed. */
export function reset(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
