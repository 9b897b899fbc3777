// Files that are written in place: another file cannot take their name, or must not.
import { constants } from 'node:fs';
import { access, chmod, lstat, open, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Why a file is written in place, as a clause. Undefined for a file that is replaced by a rename. */
export async function inPlaceReason(target: string): Promise<string | undefined> {
  const facts = await lstat(target).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  if (facts.nlink > 1) return `it has ${facts.nlink} hard links, which stay`;
  return fixedReason(target);
}

/** Why the name of a file cannot be taken from it, as a clause. */
export async function fixedReason(target: string): Promise<string | undefined> {
  if (await isMountPoint(target)) return 'it is a mount of its own';
  return access(dirname(target), constants.W_OK).then(
    () => undefined,
    () => `its folder ${dirname(target)} is not writable for you`,
  );
}

/** True for the target of a bind mount, as containers have them. Only Linux lists its mounts in a file. */
async function isMountPoint(target: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const unescaped = (text: string): string => text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return mounts.split('\n').some((line) => unescaped(line.split(' ')[4] ?? '') === target);
}

/** A text, or blocks of one that need not fit into memory. */
export type FileContent = string | Iterable<Uint8Array | string> | AsyncIterable<Uint8Array | string>;

/** Writes a text into a file, which keeps its links, owner and attributes. If the write fails, writes the old bytes back. A kill leaves a part of the text. */
export async function writeInPlace(target: string, content: FileContent, mode: number | undefined): Promise<void> {
  const before = await readFile(target);
  const { mode: present } = await lstat(target);
  // A file that gets a key is private before the key is in it.
  if (mode !== undefined && (present & mode) !== (present & 0o777)) await chmod(target, present & mode);
  try {
    await overwrite(target, content);
  } catch (error) {
    await overwrite(target, before).catch(() => undefined);
    throw error;
  }
  if (mode !== undefined && mode !== (present & mode & 0o777)) await chmod(target, mode);
}

/** Gives a file other bytes. They are on the disk when the call returns. */
export async function overwrite(target: string, content: FileContent | Uint8Array): Promise<void> {
  const handle = await open(target, constants.O_WRONLY);
  try {
    await handle.truncate(0);
    await writeFile(handle, content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
