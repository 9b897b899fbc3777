// The lock of a program that guards its file with a folder `FILE.lock`, as proper-lockfile does.
import { mkdir, rmdir, stat, utimes } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../../errors/exit.ts';

const beatMs = 2000;
/** A lock without a beat for this long belongs to a process that is gone. */
const staleMs = 10_000;
/** Time for which a program that runs may hold the lock. */
const longestHoldMs = 6000;
const lookMs = 100;

/**
 * Runs `body` while this process holds the lock of a file. Throws a CliError if another program keeps it. A lock that does not beat may be left by a
 * killed process, for instance by this program. It is waited for until it is stale.
 */
export async function withForeignLock<T>(file: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  let [first, beatAt, hasBeaten]: [number | undefined, number, boolean] = [undefined, 0, false];
  for (let waitedMs = 0; ; waitedMs += lookMs) {
    const held = await taken(lock);
    if (held === undefined) break;
    first ??= held;
    if (held !== first) [first, beatAt, hasBeaten] = [held, waitedMs, true];
    // By the time of the wait, too: the clock of another machine may have written the time of the lock.
    else if (waitedMs - beatAt > staleMs) await rmdir(lock).catch(() => undefined);
    if (hasBeaten && waitedMs >= longestHoldMs)
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

/** Takes the lock if it is free. Returns the time of its last beat if it is held. Removes a stale lock, so that the next look can take it. */
async function taken(lock: string): Promise<number | undefined> {
  try {
    await mkdir(lock);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The folder is missing or not writable, so no other program takes a lock in it.
    if (['ENOENT', 'EACCES', 'EPERM', 'EROFS'].includes(code ?? '')) return undefined;
    if (code !== 'EEXIST') throw error;
  }
  const facts = await stat(lock).catch(() => undefined);
  if (facts && Date.now() - facts.mtimeMs > staleMs) await rmdir(lock).catch(() => undefined);
  return facts?.mtimeMs ?? 0;
}
