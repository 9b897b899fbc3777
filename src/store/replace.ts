// Files that are replaced whole.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, createReadStream, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, chown, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type FileContent, inPlaceReason, overwrite, writeInPlace } from './in-place.ts';

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
function temporaryStart(target: string): string {
  return `.${basename(target).slice(0, 40)}.`;
}

function temporaryOf(target: string): string {
  return join(dirname(target), `${temporaryStart(target)}${randomBytes(6).toString('hex')}.tmp`);
}

/** Removes temporary files that killed processes left next to a file. They may contain keys. Only the holder of the file's lock may call it. */
export function removeLeftovers(target: string): void {
  const folder = dirname(target);
  const prefix = temporaryStart(target);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const own = names.filter((name) => name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length)));
  for (const name of own) rmSync(join(folder, name), { force: true });
}

/**
 * Replaces a file: either the complete text or the old one is there at every moment, also after a power cut. A file that only can be written in
 * place is the exception; see `inPlaceReason`.
 */
export async function replaceFile(target: string, content: FileContent, how: Replacement = {}): Promise<void> {
  if (how.isForeign && (await inPlaceReason(target)) !== undefined) {
    await how.check?.();
    return writeInPlace(target, content, how.mode);
  }
  const temporary = temporaryOf(target);
  try {
    const handle = how.isForeign && (await isCopied(target, temporary)) ? await open(temporary, 'w') : await open(temporary, 'wx', 0o600);
    try {
      await writeFile(handle, content);
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

/**
 * `replaceFile` for work that cannot wait for a promise. A power cut may lose it, and the file is as readable as any new one. Removes leftovers, so
 * only the holder of the file's lock may call it. `check` runs right before the replacement.
 */
export function replaceFileSync(target: string, text: string, check: () => void): void {
  removeLeftovers(target);
  const temporary = temporaryOf(target);
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    check();
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
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
export async function moveInto(file: string, target: string, { mode, owner, check }: Replacement = {}): Promise<void> {
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
      if (!isWindows && !isDirectory && (code === 'EBUSY' || code === 'EXDEV')) {
        await overwrite(to, createReadStream(from));
        return await rm(from);
      }
      if (!isWindows || isDirectory || attempt === 9 || !['EPERM', 'EBUSY', 'EACCES'].includes(code)) throw error;
      await sleep(20 * (attempt + 1));
    }
  }
}

/** Makes the rename durable. Windows cannot sync a folder, some file systems refuse it, and a folder may be writable without being readable. */
async function syncFolder(folder: string): Promise<void> {
  if (isWindows) return;
  try {
    const handle = await open(folder, constants.O_RDONLY);
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (!['EACCES', 'EINVAL', 'ENOTSUP', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
