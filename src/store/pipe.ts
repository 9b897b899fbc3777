// Named pipes, and pipes of a shell such as <(cmd). Opening one waits for its other end, in a thread that no signal ends, and so does reading it.
import { constants, createReadStream, openSync, type Stats } from 'node:fs';
import { Socket } from 'node:net';

/** Milliseconds between two looks for a reader. The system reports a writer, but no reader. */
const readerEveryMs = 50;

const nonBlocking = process.platform === 'win32' ? 0 : constants.O_NONBLOCK;

/**
 * The blocks of a file that may be a pipe. The wait for a writer, and for each block, ends with the signal, and with `return` of the iterator.
 */
export function blocksOf(path: string, facts: Pick<Stats, 'isFIFO'>, signal?: AbortSignal): AsyncIterable<Buffer> {
  if (!facts.isFIFO() || nonBlocking === 0) return createReadStream(path, signal && { signal });
  return { [Symbol.asyncIterator]: () => pipeBlocks(path, signal) };
}

function pipeBlocks(path: string, signal: AbortSignal | undefined): AsyncIterator<Buffer> {
  const socket = new Socket({ fd: openSync(path, constants.O_RDONLY | nonBlocking), readable: true, writable: false, ...(signal && { signal }) });
  const blocks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const end = async (): Promise<IteratorResult<Buffer>> => {
    // Without a reason, a pending `next` ends too.
    socket.destroy();
    return { done: true, value: undefined };
  };
  return { next: () => blocks.next(), return: end, throw: end };
}

/** Opens a pipe for writing as soon as it has a reader. The signal ends the wait. */
export async function pipeWriter(path: string, signal?: AbortSignal): Promise<Socket> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      const fd = openSync(path, constants.O_WRONLY | nonBlocking);
      // The write itself fails if the reader leaves.
      return new Socket({ fd, readable: false, writable: true, ...(signal && { signal }) }).on('error', () => undefined);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, readerEveryMs));
  }
}
