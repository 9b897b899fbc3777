// The lock of a program that guards its file with a folder `FILE.lock`, as proper-lockfile does.
import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../../errors/exit.ts';

const beatMs = 2000;
/** A lock without a beat for this long belongs to a process that is gone. */
const staleMs = 10_000;
/** Number of looks at a held lock before the command gives up, `lookMs` apart. */
const looks = 60;
const lookMs = 100;

/** Runs `body` while this process holds the lock of a file. Throws a CliError if another program keeps it. */
export async function withForeignLock<T>(file: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  for (let look = 1; !(await taken(lock)); look++) {
    if (look === looks)
      throw new CliError(
        `${file} is being written by another program`,
        exitCodes.error,
        'No file was changed. Wait for it or end it, then run the command again.',
      );
    await sleep(lookMs, undefined, { signal });
  }
  const beat = setInterval(() => void utimes(lock, new Date(), new Date()).catch(() => undefined), beatMs);
  try {
    return await body();
  } finally {
    clearInterval(beat);
    await rmdir(lock).catch(() => undefined);
  }
}

/** Takes the lock if it is free. Returns false if it is held. Removes a stale lock, so that the next look can take it. */
async function taken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The folder is missing or not writable, so no other program takes a lock in it.
    if (['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) return true;
    if (code !== 'EEXIST') throw error;
  }
  const facts = await stat(lock).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs > staleMs) await rmdir(lock).catch(() => undefined);
  return false;
}
