// The file that `-O` names. A run of hours holds its lock.
import { createHash } from 'node:crypto';
import { open, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileProblem, isSystemError, PlainError } from './error.ts';
import { type Lock, lockOrFail } from './lock.ts';
import { moveInto } from './replace.ts';

/** Takes the lock of a file that `-O` names, for a run of hours. Throws a PlainError if another run has it. `given` is the path for messages. */
export function outputLock(path: string, given: string, signal: AbortSignal): Promise<Lock> {
  const heldBy = (pid: string): PlainError =>
    new PlainError(`-O: process ${pid} is writing ${given}`, 1, 'Wait for it or end it, or pass another file.');
  return lockOrFail(`${path}.lock`, signal, heldBy).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new PlainError(`-O: ${given} cannot be locked: ${fileProblem(dirname(path), error)}`, 2, 'Pass another file.');
  });
}

/**
 * The file of a name while it is unfinished. Its writer holds a lock, so the name is fixed: a kill leaves at most one. The name has a form of its
 * own, because a file `PATH.tmp` may belong to the user.
 */
export function unfinishedOf(path: string): string {
  const name = basename(path);
  return join(dirname(path), `.${name.slice(0, 40)}.${createHash('sha256').update(name).digest('hex').slice(0, 12)}.tmp`);
}

/** Writes a file completely, then gives it its name. */
export async function writeWhole(path: string, blocks: AsyncIterable<Uint8Array>, check: () => void | Promise<void>): Promise<void> {
  await writeBeside(path, blocks);
  await nameIt(path, check);
}

/** The first half of `writeWhole`: afterwards the complete file is on the disk, as `unfinishedOf(path)`. */
export function writeBeside(path: string, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  return writing(path, async () => {
    await using handle = await open(unfinishedOf(path), 'w');
    await writeFile(handle, blocks);
    await handle.sync();
  });
}

/** The second half of `writeWhole`. `check` throws to prevent it. */
export function nameIt(path: string, check: () => void | Promise<void>): Promise<void> {
  return writing(path, () => moveInto(unfinishedOf(path), path, { check }));
}

async function writing(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new PlainError(`cannot write ${path}: ${fileProblem(path, error)}`, 1, 'Run the same command again to continue.');
  }
}
