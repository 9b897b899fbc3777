// Files that are replaced whole: accounts, conversations, settings of tools.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, copyFile, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inPlaceReason, writeInPlace } from './in-place.ts';

const isWindows = process.platform === 'win32';

export interface Replacement {
  /** Default: 0600. */
  readonly mode?: number | undefined;
  /** Default: the user of the process. Ignored unless that is root, because only root may give a file to another user. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** The file belongs to another program: it keeps its hard links, and its extended attributes if the `cp` of the system can copy them. */
  readonly isForeign?: boolean;
  /** Runs right before the replacement. Throw to prevent it. */
  readonly check?: () => void | Promise<void>;
}

/** The begin of the name of a temporary file. Cut, because the target may have the longest name that the file system allows. */
export function temporaryStart(target: string): string {
  return `.${basename(target).slice(0, 40)}.`;
}

/**
 * Replaces a file: either the complete text or the old one is there at every moment, also after a power cut. A file that only can be written in
 * place is the exception; see `inPlaceReason`.
 */
export async function replaceFile(target: string, text: string, how: Replacement = {}): Promise<void> {
  if (how.isForeign && (await inPlaceReason(target)) !== undefined) {
    await how.check?.();
    return writeInPlace(target, text, how.mode);
  }
  const folder = dirname(target);
  const temporary = join(folder, `${temporaryStart(target)}${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = how.isForeign && (await isCopied(target, temporary)) ? await open(temporary, 'w') : await open(temporary, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await moveInto(temporary, target, how);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Copies a file with its attributes, readable only by its owner. Node has no call for attributes. */
async function isCopied(from: string, to: string): Promise<boolean> {
  try {
    if (isWindows || !(await lstat(from)).isFile()) return false;
    await promisify(execFile)('cp', ['-a', '--', from, to]);
    await chmod(to, 0o600);
    return true;
  } catch {
    await rm(to, { force: true });
    return false;
  }
}

/** Gives a complete file its name, and the mode and owner of a Replacement. A file with that name is replaced. */
export async function moveInto(file: string, target: string, { mode, owner, check }: Replacement): Promise<void> {
  if (mode !== undefined) await chmod(file, mode);
  if (owner !== undefined && process.getuid?.() === 0) await chown(file, owner.uid, owner.gid);
  await check?.();
  await renameOver(file, target);
  await syncFolder(dirname(target));
}

/** On Windows a virus scanner may hold the target for a moment. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await rename(from, to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      const isDirectory = await lstat(to).then(
        (facts) => facts.isDirectory(),
        () => false,
      );
      // A mounted file keeps its name, and takes the bytes.
      if (!isWindows && !isDirectory && (code === 'EBUSY' || code === 'EXDEV')) return await copyInto(from, to);
      if (!isWindows || isDirectory || attempt === 9 || !['EPERM', 'EBUSY', 'EACCES'].includes(code)) throw error;
      await sleep(20 * (attempt + 1));
    }
  }
}

async function copyInto(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const handle = await open(to, constants.O_RDWR);
  await handle.sync().finally(() => handle.close());
  await rm(from);
}

/** Makes the rename durable. Windows cannot sync a folder, and some file systems refuse it. */
async function syncFolder(folder: string): Promise<void> {
  if (isWindows) return;
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
