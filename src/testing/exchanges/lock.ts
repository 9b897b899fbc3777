// A lock for the processes that write one file. The command line has a lock of its own, which also beats: there a person may answer a question meanwhile.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { Problem } from '../../overlay/errors/problem.ts';

const maxWaitMs = 10_000;
const stepMs = 5;
const waiting = new Int32Array(new SharedArrayBuffer(4));

/** Runs `work` while no other process has the lock of the file. Blocks this process. Throws a Problem after 10 seconds. */
export function locked<T>(file: string, work: () => T): T {
  const path = `${file}.lock`;
  const owner = `${hostname()}.${process.pid}.${randomBytes(6).toString('hex')}`;
  const until = Date.now() + maxWaitMs;
  while (!taken(path, owner)) {
    dropDead(path);
    if (Date.now() > until)
      throw new Problem('file', `is locked by another process: ${basename(path)}`, undefined, 'Remove that folder if no other test runs.');
    Atomics.wait(waiting, 0, 0, stepMs);
  }
  try {
    return work();
  } finally {
    unlinkSync(join(path, owner));
    remove(path);
  }
}

/** A folder with its owner inside gets the name of the lock in one step, which fails if another owner is there. */
function taken(path: string, owner: string): boolean {
  const own = `${path}.${owner}`;
  mkdirSync(own);
  try {
    writeFileSync(join(own, owner), '');
    renameSync(own, path);
    return true;
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Names of owners are unique, so no other lock can be removed by mistake. */
function dropDead(path: string): void {
  try {
    for (const owner of readdirSync(path)) if (isDead(owner)) unlinkSync(join(path, owner));
    remove(path);
  } catch {
    // Another process was faster.
  }
}

/** Removes the folder unless an owner is in it. */
function remove(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It has another owner by now, or is gone.
  }
}

function isDead(owner: string): boolean {
  const [pid, host] = [owner.split('.').at(-2), owner.split('.').slice(0, -2).join('.')];
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
