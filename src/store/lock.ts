// A lock between processes: a folder with one file, which names its owner.
import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainError } from './error.ts';

const beatMs = 2000;
/** A lock without a beat for this long belongs to a process that is gone. Measured by the waiter, so that clocks need not agree. */
const staleMs = 10_000;
/** A waiter gives up if one owner holds the lock for this long. */
const longestHoldMs = 60_000;
const waiting = new Int32Array(new SharedArrayBuffer(4));

/**
 * Runs `body` while this process holds the lock. Waits for it; without a signal up to a minute. `check` throws if the lock was taken away, for
 * instance while the machine slept.
 */
export async function withLock<T>(path: string, signal: AbortSignal | undefined, body: (check: () => void) => Promise<T>): Promise<T> {
  const lock = await acquired(path, signal, (watch) => watch.look(performance.now()));
  try {
    return await body(() => lock.check());
  } finally {
    lock.release();
  }
}

/** `withLock` for work that cannot wait for a promise, as at the exit of a process. Blocks this process. The work must be short: it does not beat. */
export function withLockSync<T>(path: string, body: (check: () => void) => T): T {
  const owner = newOwner();
  const watch = new Watch(path);
  // Counted by the pauses: a test may have stopped every clock.
  for (let waited = 0; !claim(path, owner); ) {
    watch.look(waited);
    const pause = pauseMs();
    Atomics.wait(waiting, 0, 0, pause);
    waited += pause;
  }
  try {
    return body(() => checkOwner(path, owner));
  } finally {
    drop(path, owner);
  }
}

/** Takes a lock that may be held for hours. Throws `heldBy(pid)` if a running process holds it: immediately on this machine, after a beat on another. */
export function lockOrFail(path: string, signal: AbortSignal, heldBy: (pid: string) => PlainError): Promise<Lock> {
  return acquired(path, signal, (watch) => {
    const { holder } = watch;
    if (holder !== undefined) throw heldBy(holder);
    watch.look(performance.now());
  });
}

async function acquired(path: string, signal: AbortSignal | undefined, whileTaken: (watch: Watch) => void): Promise<Lock> {
  const owner = newOwner();
  const watch = new Watch(path);
  while (!claim(path, owner)) {
    whileTaken(watch);
    await sleep(pauseMs(), undefined, signal && { signal });
  }
  return new Lock(path, owner);
}

function newOwner(): string {
  return `${machine()}.${process.pid}.${randomBytes(6).toString('hex')}`;
}

/** The form of an owner. Only a file of this name is deleted: any other file in a folder of the lock's name belongs to the user. */
const ownerForm = /^[0-9a-f]{12}\.\d+\.[0-9a-f]{12}$/;

/** Between two looks at a lock. Waiters do not look in step. */
function pauseMs(): number {
  return 5 + Math.random() * 20;
}

function checkOwner(path: string, owner: string): void {
  if (!existsSync(join(path, owner))) throw new PlainError(`another process took over the lock ${basename(path)}`, 1, 'Run the command again.');
}

/** A lock of this process, which beats until it is released. */
export class Lock {
  readonly #path: string;
  readonly #owner: string;
  readonly #beat: NodeJS.Timeout;

  constructor(path: string, owner: string) {
    this.#path = path;
    this.#owner = owner;
    const file = join(path, owner);
    this.#beat = setInterval(() => {
      const now = new Date();
      if (existsSync(file)) utimesSync(file, now, now);
    }, beatMs);
  }

  /** Throws if the lock was taken away, for instance while the process was stopped. */
  check(): void {
    checkOwner(this.#path, this.#owner);
  }

  release(): void {
    clearInterval(this.#beat);
    drop(this.#path, this.#owner);
  }
}

/** Takes the lock if it is free. A folder with its owner inside gets the name in one step: a kill leaves no lock without an owner. */
function claim(path: string, owner: string): boolean {
  if (namesIn(path).length > 0) return false;
  const folder = dirname(path);
  for (const name of namesIn(folder)) {
    const other = /^\.(.+)\.lock$/.exec(name)?.[1];
    // A process that was killed before it could give the folder its name.
    if (other !== undefined && ownerForm.test(other) && isDead(other)) drop(join(folder, name), other);
  }
  const own = join(folder, `.${owner}.lock`);
  mkdirSync(own, { mode: 0o700 });
  try {
    writeFileSync(join(own, owner), '', { mode: 0o600 });
    renameSync(own, path);
    return true;
  } catch (error) {
    drop(own, owner);
    // The name has an owner by now, or is not a folder. Windows refuses a name that exists.
    if (['ENOTEMPTY', 'EEXIST', 'ENOTDIR', process.platform === 'win32' && 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return false;
    throw error;
  }
}

/** Removes an owner, then the folder if it is empty. Follows no link: it may lead to a folder of the user. */
function drop(path: string, owner: string | undefined): void {
  try {
    if (!lstatSync(path).isDirectory()) return;
    // Without its owner a folder that was being taken is empty.
    if (owner !== undefined && existsSync(join(path, owner))) unlinkSync(join(path, owner));
    rmdirSync(path);
  } catch {
    // The next waiter removes what is left.
  }
}

/** Removes the lock of a process that is gone. Names of owners are unique, so no other lock can be removed by mistake. */
export class Watch {
  readonly #path: string;
  #beat: string | undefined;
  #beatAt = 0;
  #owner: string | undefined;
  #ownerAt = 0;
  #hasBeaten = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** Looks at the lock at a time of a steady clock, in milliseconds. */
  look(now: number): void {
    const { owner, isForeign } = contentOf(this.#path);
    if (owner !== undefined && isDead(owner)) return drop(this.#path, owner);
    const beat = isForeign ? 'foreign' : `${owner}@${mtime(owner === undefined ? this.#path : join(this.#path, owner))}`;
    this.#hasBeaten = owner !== undefined && owner === this.#owner && (this.#hasBeaten || beat !== this.#beat);
    if (owner !== this.#owner) [this.#owner, this.#ownerAt] = [owner, now];
    if (beat !== this.#beat) [this.#beat, this.#beatAt] = [beat, now];
    else if (now - this.#beatAt > staleMs) {
      if (!isForeign) return drop(this.#path, owner);
      throw new PlainError(`${this.#path} is not a lock of modelsvc`, 1, 'No file was changed. Move it away, then run the command again.');
    }
    if (owner !== undefined && now - this.#ownerAt > longestHoldMs)
      throw new PlainError(
        `process ${owner.split('.')[1]} has held the lock ${basename(this.#path)} for a minute`,
        1,
        'Wait for it or end it, then run the command again.',
      );
  }

  /**
   * Id of the process that holds the lock, if it is known to run. The process id alone does not count: the id of a killed process may belong
   * to another one by now. The time of a beat counts only if this machine wrote it.
   */
  get holder(): string | undefined {
    const { owner } = contentOf(this.#path);
    if (owner === undefined || isDead(owner)) return undefined;
    const isFresh = pidHere(owner) !== undefined && Math.abs(Date.now() - (mtime(join(this.#path, owner)) ?? 0)) < staleMs;
    return isFresh || (this.#hasBeaten && owner === this.#owner) ? owner.split('.')[1] : undefined;
  }
}

/** The owner in a lock. Foreign is a link, a file, or a folder that has other names only. */
function contentOf(path: string): { readonly owner?: string | undefined; readonly isForeign: boolean } {
  const names = namesIn(path);
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return { isForeign: true };
  } catch {
    // A folder above cannot be read.
  }
  const owner = names.find((name) => ownerForm.test(name));
  return { owner, isForeign: owner === undefined && names.length > 0 };
}

/** Empty for a folder that cannot be read. */
function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function mtime(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** True if the owner ran on this machine and does not run any more. */
function isDead(owner: string): boolean {
  const pid = pidHere(owner);
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return isUnreaped(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** A process that has ended keeps its id until its parent asks how it ended, which some parents never do: its state is Z. */
function isUnreaped(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program may have brackets and blanks.
    return /^\) [ZX]/.test(state.slice(state.lastIndexOf(')')));
  } catch {
    // Only Linux has it.
    return false;
  }
}

/** The process of an owner on this machine. */
function pidHere(owner: string): number | undefined {
  const [host, pid] = owner.split('.');
  return host === machine() && /^\d+$/.test(pid ?? '') ? Number(pid) : undefined;
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
