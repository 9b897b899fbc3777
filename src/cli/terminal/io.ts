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

/** The columns of a terminal. One without a size gets those of a usual one. */
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

/** Reads all of stdin. Stdin can be read once. */
export async function readStdin(stdin: NodeJS.ReadStream): Promise<Buffer> {
  const blocks: Buffer[] = [];
  let size = 0;
  checkStdin();
  for await (const block of stdin) {
    size += (block as Buffer).length;
    if (size > maxTextBytes) throw usageError(`stdin has more than ${maxTextBytes} bytes`, 'Pass the path of a file, if the command takes one.');
    blocks.push(block as Buffer);
  }
  return Buffer.concat(blocks);
}
