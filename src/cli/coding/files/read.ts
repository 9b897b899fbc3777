// Configuration files of other programs: read completely, and checked before any edit is worked out.
import { constants, type Stats } from 'node:fs';
import { access, lstat, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileProblem } from '../../../store/error.ts';
import { realTarget, utf8Text } from '../../../store/file.ts';
import { inPlaceReason } from '../../../store/in-place.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import type { Rescue } from '../record.ts';

/** Largest configuration file that is edited, in bytes. */
const maxBytes = 16 * 1024 * 1024;
const byteOrderMark = '\uFEFF';

export interface ConfigFile {
  /** Path in the definition of the tool. It may be a symbolic link. */
  readonly path: string;
  /** The file that is replaced. */
  readonly target: string;
  /** Text without byte order mark; undefined if the file does not exist. */
  readonly text: string | undefined;
  /** The bytes that were read. */
  readonly bytes: Uint8Array | undefined;
  /** A killed process has left a part of its text. `text` is the one before. */
  readonly isCut: boolean;
  /** Why the file is written in place. */
  readonly inPlace: string | undefined;
  readonly hasMark: boolean;
  readonly mode: number | undefined;
  readonly owner: { readonly uid: number; readonly gid: number } | undefined;
}

/** Reads a configuration file. Throws a CliError for one that cannot be edited: it names the file, and the file stays as it is. */
export async function readConfig(path: string, rescues: readonly Rescue[] = []): Promise<ConfigFile> {
  const target = await realTarget(path);
  const facts = await lookAt(path);
  if (!facts) {
    if (await isLink(path)) throw unusable(path, 'is a symbolic link to a file that does not exist', 'Remove the link, or make its target.');
    return { path, target, text: undefined, bytes: undefined, isCut: false, inPlace: undefined, hasMark: false, mode: undefined, owner: undefined };
  }
  if (facts.isDirectory()) throw unusable(path, 'is a directory', 'Move it away.');
  if (!facts.isFile()) throw unusable(path, 'is not a regular file', 'Move it away.');
  if (facts.size > maxBytes) throw unusable(path, `has ${facts.size} bytes; the limit is ${maxBytes}`, 'Move it away, or make it smaller.');
  const bytes = await bytesOf(path, target);
  const cut = rescues.find((rescue) => rescue.file === path && isCut(bytes, rescue));
  const whole = cut?.before ?? decoded(path, bytes);
  const hasMark = whole.startsWith(byteOrderMark);
  return {
    path,
    target,
    text: hasMark ? whole.slice(1) : whole,
    bytes,
    isCut: cut !== undefined,
    inPlace: await inPlaceReason(target),
    hasMark,
    mode: facts.mode & 0o777,
    owner: { uid: facts.uid, gid: facts.gid },
  };
}

/** Throws a CliError if a file that was read could not be replaced. */
export async function checkWritable({ path, target, mode, inPlace }: ConfigFile): Promise<void> {
  // Root may write any file, but a file without write permission was protected on purpose.
  if (mode !== undefined && (mode & 0o222) === 0)
    throw unusable(path, 'is read-only', `Allow writing with \`chmod u+w ${path}\`, or leave the tool out.`);
  if (mode !== undefined && !(await isAccessible(target))) throw unusable(path, 'is not writable for you', 'Check its owner and permissions.');
  if (inPlace !== undefined) return;
  let folder = dirname(target);
  while ((await stat(folder).catch(() => undefined)) === undefined && dirname(folder) !== folder) folder = dirname(folder);
  const facts = await stat(folder);
  if (!facts.isDirectory()) throw unusable(path, `cannot be made: ${folder} is not a directory`, 'Move that file away.');
  if (!(await isAccessible(folder))) throw unusable(path, `cannot be written: no permission for ${folder}`, 'Check the permissions of the folder.');
}

/** The bytes to write for a text. */
export function bytesFor({ hasMark }: ConfigFile, text: string): string {
  return hasMark ? byteOrderMark + text : text;
}

/** True for the first part of the text that a process was writing in place. */
export function isCut(bytes: Uint8Array, { before, after }: Rescue): boolean {
  const [old, next] = [Buffer.from(before), Buffer.from(after)];
  return !old.equals(bytes) && bytes.length < next.length && next.subarray(0, bytes.length).equals(bytes);
}

async function lookAt(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw unusable(path, 'is a symbolic link that leads to itself', 'Remove the link.');
    if (code === 'ENOTDIR') throw unusable(path, 'cannot be made: a part of its path is a file', 'Move that file away.');
    throw unreadable(path, error);
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (facts) => facts.isSymbolicLink(),
    () => false,
  );
}

async function bytesOf(path: string, target: string): Promise<Buffer> {
  try {
    const handle = await open(target, constants.O_RDONLY);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

function decoded(path: string, bytes: Buffer): string {
  const text = utf8Text(bytes);
  if (text === undefined) throw unusable(path, 'is not UTF-8 text', 'Convert it to UTF-8 first.');
  return text;
}

async function isAccessible(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => true,
    () => false,
  );
}

function unreadable(path: string, error: unknown): CliError {
  return new UnusableFile(fileProblem(path, error as NodeJS.ErrnoException), 'Check its permissions.');
}

export function unusable(path: string, problem: string, cure: string): UnusableFile {
  return new UnusableFile(`${path} ${problem}`, cure);
}

/** A settings file that is left as it is. */
export class UnusableFile extends CliError {
  /** The next step for the file alone. */
  readonly cure: string;

  constructor(message: string, cure: string, after: string = '') {
    super(message, exitCodes.error, `No file was changed. ${cure}${after}`);
    this.cure = cure;
  }
}
