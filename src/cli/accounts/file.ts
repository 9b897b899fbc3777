// Private files that are read whole and replaced whole.
import { constants } from 'node:fs';
import { chmod, open, readdir, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CliError, exitCodes } from '../errors/exit.ts';
import { makeFolder } from '../files/make-folder.ts';
import { replaceFile, temporaryStart } from '../files/replace-file.ts';
import { fileProblem } from '../files/text.ts';

const isWindows = process.platform === 'win32';
const maxBytes = 16 * 1024 * 1024;

/** The text of a private file; undefined if it does not exist. Refuses a file that other users can read. */
export async function readPrivate(path: string): Promise<string | undefined> {
  // Without O_NONBLOCK a named pipe would block forever.
  const handle = await open(path, constants.O_RDONLY | (isWindows ? 0 : constants.O_NONBLOCK)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unusable(path, error);
  });
  if (!handle) return undefined;
  try {
    const facts = await handle.stat();
    if (facts.isDirectory()) throw broken(path, 'is a directory');
    if (!facts.isFile()) throw broken(path, 'is not a regular file');
    if (facts.size > maxBytes) throw broken(path, `has ${facts.size} bytes; the limit is ${maxBytes}`);
    if (!isWindows && (facts.mode & 0o077) !== 0)
      throw new CliError(`${path} is open to other users (mode ${modeText(facts.mode)})`, exitCodes.error, `Run \`chmod 600 ${path}\`.`);
    return await handle.readFile('utf8');
  } catch (error) {
    throw error instanceof CliError ? error : unusable(path, error as NodeJS.ErrnoException);
  } finally {
    await handle.close();
  }
}

/** The error for a store that cannot be used. Its file stays unchanged. */
export function broken(path: string, problem: string): CliError {
  return new CliError(
    `the store is broken: ${path} ${problem}`,
    exitCodes.error,
    'The file was not changed. Repair it, or move it away and add the accounts again.',
  );
}

/** The error for a file of a newer version that cannot be read, or not be changed. */
export function newer(path: string, version: number, next: string): CliError {
  return new CliError(`${path} was written by a newer modelsvc (version ${version})`, exitCodes.error, next);
}

function unusable(path: string, error: NodeJS.ErrnoException): CliError {
  return new CliError(`cannot read the store: ${fileProblem(path, error)}`, exitCodes.error, 'Check the file and its folder with `ls -la`.');
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
    if (await makeFolder(folder)) await chmod(folder, 0o700);
    const facts = await stat(folder);
    if (!isWindows && (facts.mode & 0o022) !== 0)
      throw new CliError(`other users can write to ${folder} (mode ${modeText(facts.mode)})`, exitCodes.error, `Run \`chmod 700 ${folder}\`.`);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/** Writes a file of the store. Only the holder of the lock may call it. `check` runs right before the replacement. */
export async function writePrivate(path: string, text: string, check: () => void): Promise<void> {
  try {
    const target = await realTarget(path);
    await removeLeftovers(target);
    await replaceFile(target, text, { check });
  } catch (error) {
    throw unwritable(path, error);
  }
}

export function unwritable(path: string, error: unknown): unknown {
  if (error instanceof CliError) return error;
  const cause = error as NodeJS.ErrnoException;
  const isFull = cause.code === 'ENOSPC' || cause.code === 'EDQUOT' || cause.code === 'EFBIG';
  const problem = isFull ? `no space for ${path} (${cause.code})` : fileProblem(path, cause);
  return new CliError(`cannot write the store: ${problem}`, exitCodes.error, 'The store was not changed. Fix the cause, then run the command again.');
}

/** Removes temporary files of killed processes. They may contain keys. */
export async function removeLeftovers(target: string): Promise<void> {
  const folder = dirname(target);
  const names = await readdir(folder).catch(() => []);
  const prefix = temporaryStart(target);
  const own = names.filter((name) => name.startsWith(prefix) && /^[0-9a-f]{12}\.tmp$/.test(name.slice(prefix.length)));
  for (const name of own) await rm(join(folder, name), { force: true });
}
