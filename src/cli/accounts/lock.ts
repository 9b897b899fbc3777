// A lock between processes: a folder with one file, which names its owner.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../errors/exit.ts';

const beatMs = 2000;
/** A lock without a beat for this long belongs to a process that is gone. Measured by the waiter, so that clocks need not agree. */
const staleMs = 10_000;
const longestHoldMs = 60_000;

/** Runs `body` while this process holds the lock. `check` throws if the lock was taken away, for instance while the machine slept. */
export async function withLock<T>(path: string, signal: AbortSignal, body: (check: () => void) => Promise<T>): Promise<T> {
  const owner = `${machine()}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const watch = new Watch(path);
  while (!claim(path, owner)) {
    watch.look(performance.now());
    await sleep(5 + Math.random() * 20, undefined, { signal });
  }
  const file = join(path, owner);
  const beat = setInterval(() => {
    const now = new Date();
    if (existsSync(file)) utimesSync(file, now, now);
  }, beatMs);
  try {
    return await body(() => {
      if (!existsSync(file)) throw new CliError('another process took over the lock of the store', 1, 'Run the command again.');
    });
  } finally {
    clearInterval(beat);
    drop(path, owner);
  }
}

/** Takes the lock if it is free. */
function claim(path: string, owner: string): boolean {
  try {
    mkdirSync(path, 0o700);
    writeFileSync(join(path, owner), '', { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOENT: the empty folder was removed as stale before its file was written.
    if (code === 'EEXIST' || code === 'ENOENT') return false;
    throw error;
  }
  // The folder may have been removed and made again by another process: then both see two owners, or the later one does.
  if (readdirSync(path).length === 1) return true;
  drop(path, owner);
  return false;
}

/** Removes an owner, then the folder if no other owner is in it. */
function drop(path: string, owner: string | undefined): void {
  try {
    if (owner !== undefined) unlinkSync(join(path, owner));
    rmdirSync(path);
  } catch {
    // The next waiter removes what is left.
  }
}

/** Removes the lock of a process that is gone. Names of owners are unique, so that no other lock can be removed by mistake. */
export class Watch {
  readonly #path: string;
  #beat: string | undefined;
  #beatAt = 0;
  #owner: string | undefined;
  #ownerAt = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Looks at the lock at a time of a steady clock, in milliseconds. */
  look(now: number): void {
    const owner = this.#names()[0];
    if (owner !== undefined && isDead(owner)) return drop(this.#path, owner);
    const beat = `${owner}@${mtime(owner === undefined ? this.#path : join(this.#path, owner))}`;
    if (owner !== this.#owner) [this.#owner, this.#ownerAt] = [owner, now];
    if (beat !== this.#beat) [this.#beat, this.#beatAt] = [beat, now];
    else if (now - this.#beatAt > staleMs) return drop(this.#path, owner);
    if (owner !== undefined && now - this.#ownerAt > longestHoldMs)
      throw new CliError(
        `process ${owner.split('.')[1]} has been writing the store for a minute (${basename(this.#path)})`,
        1,
        'Wait for it or end it, then run the command again.',
      );
  }

  #names(): string[] {
    try {
      return readdirSync(this.#path);
    } catch {
      return [];
    }
  }
}

function mtime(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** True if the owner ran on this machine and does not run any more. */
function isDead(owner: string): boolean {
  const [host, pid] = owner.split('.');
  if (host !== machine() || !/^\d+$/.test(pid ?? '')) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Process ids mean the same only on one machine, and there within one container. */
function machine(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Only Linux has namespaces.
  }
  return createHash('sha256').update(`${hostname()} ${namespace}`).digest('hex').slice(0, 12);
}
