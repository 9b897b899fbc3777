import { open } from 'node:fs/promises';
import { fileProblem } from '../../store/error.ts';
import { moveInto } from '../../store/replace.ts';
import { CliError, exitCodes } from '../errors/exit.ts';

/** Writes a file completely, then gives it its name. Its writer holds a lock, so the name of the unfinished file is fixed: a kill leaves at most one. */
export async function writeWhole(path: string, blocks: AsyncIterable<Uint8Array>, check: () => void | Promise<void>): Promise<void> {
  await writeBeside(path, blocks);
  await nameIt(path, check);
}

/** The first half of `writeWhole`: afterwards the complete file is on the disk, as `PATH.tmp`. */
export async function writeBeside(path: string, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await writing(path, open(`${path}.tmp`, 'w'));
  try {
    for await (const block of blocks) await writing(path, handle.appendFile(block));
    await writing(path, handle.sync());
  } finally {
    await handle.close();
  }
}

/** The second half of `writeWhole`. `check` throws to prevent it. */
export async function nameIt(path: string, check: () => void | Promise<void>): Promise<void> {
  await writing(path, moveInto(`${path}.tmp`, path, { check }));
}

function writing<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error instanceof CliError) throw error;
    throw new CliError(`cannot write ${path}: ${fileProblem(path, error)}`, exitCodes.error, 'Run the same command again to continue.');
  });
}
