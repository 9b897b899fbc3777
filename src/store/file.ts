// Files that the program keeps: read whole and replaced whole.
import { constants } from 'node:fs';
import { chmod, open, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileProblem, PlainError } from './error.ts';
import { makeFolder } from './folder.ts';
import type { FileContent } from './in-place.ts';
import { removeLeftovers, replaceFile } from './replace.ts';

const isWindows = process.platform === 'win32';
const maxBytes = 16 * 1024 * 1024;

interface OwnReading {
  /** A file that other users can read is refused. */
  readonly isPrivate: boolean;
  /** Of the error for a file that cannot be used. Default: 1. */
  readonly exitCode?: number;
}

/** The text of a kept file; undefined if it does not exist. */
export async function readOwn(path: string, { isPrivate, exitCode }: OwnReading): Promise<string | undefined> {
  // Without O_NONBLOCK a named pipe would block forever.
  const handle = await open(path, constants.O_RDONLY | (isWindows ? 0 : constants.O_NONBLOCK)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unreadable(path, error, exitCode);
  });
  if (!handle) return undefined;
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new PlainError(`${path} is ${facts.isDirectory() ? 'a directory' : 'not a regular file'}`, exitCode, 'Move it away.');
    if (facts.size > maxBytes) throw new PlainError(`${path} has ${facts.size} bytes; the limit is ${maxBytes}`, exitCode, 'Move it away.');
    if (isPrivate && !isWindows && (facts.mode & 0o077) !== 0)
      throw new PlainError(`${path} is open to other users (mode ${modeText(facts.mode)})`, 1, `Run \`chmod 600 ${path}\`.`);
    const text = utf8Text(await handle.readFile());
    if (text === undefined) throw new PlainError(`${path} is not UTF-8 text`, exitCode, 'Convert it to UTF-8, or move it away.');
    return text;
  } catch (error) {
    throw error instanceof PlainError ? error : unreadable(path, error as NodeJS.ErrnoException, exitCode);
  } finally {
    await handle.close();
  }
}

/** The text of bytes, with its mark. Undefined for bytes that are not UTF-8, and for a zero byte: UTF-16 without a mark has them. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function unreadable(path: string, error: NodeJS.ErrnoException, exitCode: number | undefined): PlainError {
  return new PlainError(`cannot read the store: ${fileProblem(path, error)}`, exitCode, 'Check the file and its folder with `ls -la`.');
}

export function modeText(mode: number): string {
  return (mode & 0o777).toString(8).padStart(3, '0');
}

/** The path at the end of all symbolic links; the file may be missing. Renaming onto a link would replace the link. */
export async function realTarget(path: string): Promise<string> {
  let place = path;
  for (let links = 0; links < 40; links++) {
    const link = await readlink(place).catch(() => undefined);
    if (link === undefined) break;
    place = resolve(dirname(place), link);
  }
  const folder = dirname(place);
  return join(await realpath(folder).catch(() => folder), basename(place));
}

/** Makes the folder of the store, with mode 0700. Refuses one that other users can write to. */
export async function privateFolder(folder: string): Promise<void> {
  try {
    // The umask may have removed permissions.
    if (makeFolder(folder)) await chmod(folder, 0o700);
    const facts = await stat(folder);
    if (!isWindows && (facts.mode & 0o022) !== 0)
      throw new PlainError(`other users can write to ${folder} (mode ${modeText(facts.mode)})`, 1, `Run \`chmod 700 ${folder}\`.`);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/** Writes a kept file, with mode 0600. Only the holder of its lock may call it. `check` runs right before the replacement. */
export async function writePrivate(path: string, content: FileContent, check: () => void): Promise<void> {
  try {
    const target = await realTarget(path);
    removeLeftovers(target);
    await replaceFile(target, content, { check });
  } catch (error) {
    throw unwritable(path, error);
  }
}

export function unwritable(path: string, error: unknown): unknown {
  if (error instanceof PlainError) return error;
  const cause = error as NodeJS.ErrnoException;
  const isFull = cause.code === 'ENOSPC' || cause.code === 'EDQUOT' || cause.code === 'EFBIG';
  const problem = isFull ? `no space for ${path} (${cause.code})` : fileProblem(path, cause);
  return new PlainError(`cannot write the store: ${problem}`, 1, 'The store was not changed. Fix the cause, then run the command again.');
}
