// The streams of the process.
import { fstatSync } from 'node:fs';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { maxTextBytes } from '../files/text.ts';

/** Standard streams and environment of the process. Tests that run a command inside their own process pass other streams. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: NodeJS.ProcessEnv;
  /** The words after the name of the program. */
  readonly argv: readonly string[];
}

/** The columns of a terminal; the usual number if it has no size. */
export function columnsOf(stream: NodeJS.WriteStream): number {
  return stream.columns || 80;
}

/** Thrown when the reader of stdout is gone, as with `| head`. The program then ends quietly with 0. */
export class BrokenPipe extends Error {
  override readonly name = 'BrokenPipe';
}

/** Stdout is a file on a full disk. */
export class DiskFull extends CliError {}

/** Writes to a stream and waits while its reader is slow. Rejects with BrokenPipe if the reader is gone. */
export function writeTo(stream: NodeJS.WriteStream, data: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(data, (error) => {
      if (!error) return resolve();
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return reject(new BrokenPipe());
      reject(code === 'ENOSPC' ? new DiskFull('cannot write the result: the disk is full', exitCodes.error, 'Free some space.') : error);
    });
  });
}

/** Throws a usage error for a directory on stdin, which Node reads as empty. */
export function checkStdin(): void {
  if (fstatSync(0).isDirectory()) throw usageError('stdin is a directory', 'Redirect a file to stdin.');
}

/** Milliseconds of waiting for stdin after which a note names it as the reason. */
const slowStdinMs = 3000;

/** The blocks of stdin, which can be read once. `onWait` is called once if none arrives for a while: a parent program may leave the pipe open. */
export async function* stdinBlocks(stdin: NodeJS.ReadStream, onWait: () => void): AsyncGenerator<Buffer, void, undefined> {
  checkStdin();
  let hasWaited = false;
  const tell = (): void => {
    hasWaited = true;
    onWait();
  };
  const blocks = stdin[Symbol.asyncIterator]();
  try {
    while (true) {
      const timer = hasWaited ? undefined : setTimeout(tell, slowStdinMs);
      const { value, done } = await blocks.next().finally(() => clearTimeout(timer));
      if (done === true) return;
      yield value as Buffer;
    }
  } finally {
    await blocks.return?.();
  }
}

/** All of stdin. */
export async function bytesOf(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let size = 0;
  for await (const block of source) {
    size += block.length;
    if (size > maxTextBytes) throw usageError(`stdin has more than ${maxTextBytes} bytes`, 'Pass the path of a file, if the command takes one.');
    blocks.push(block);
  }
  return Buffer.concat(blocks);
}
