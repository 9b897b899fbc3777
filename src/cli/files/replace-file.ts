// Files that are replaced whole: accounts, conversations, settings of tools.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, chown, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const isWindows = process.platform === 'win32';

export interface Replacement {
  /** Default: 0600. */
  readonly mode?: number | undefined;
  /** Default: the user of the process. Ignored unless that is root, because only root may give a file to another user. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Runs right before the replacement. Throw to prevent it. */
  readonly check?: () => void | Promise<void>;
}

/** The begin of the name of a temporary file. Cut, because the target may have the longest name that the file system allows. */
export function temporaryStart(target: string): string {
  return `.${basename(target).slice(0, 40)}.`;
}

/** Replaces a file: either the complete text or the old one is there at every moment, also after a power cut. */
export async function replaceFile(target: string, text: string, how: Replacement = {}): Promise<void> {
  const folder = dirname(target);
  const temporary = join(folder, `${temporaryStart(target)}${randomBytes(6).toString('hex')}.tmp`);
  try {
    const handle = await open(temporary, 'wx', 0o600);
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
      if (!isWindows || isDirectory || attempt === 9 || !['EPERM', 'EBUSY', 'EACCES'].includes(code)) throw error;
      await sleep(20 * (attempt + 1));
    }
  }
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
