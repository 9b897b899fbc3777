// Replaces a configuration file: at every moment the old bytes are there, or the new ones, unless it can only be written in place.
import { chmod, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileProblem } from '../../../store/error.ts';
import { makeFolder } from '../../../store/folder.ts';
import { replaceFile } from '../../../store/replace.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import { bytesFor, type ConfigFile } from './read.ts';

/**
 * Replaces the text of a file, which keeps its owner. Without a mode, only the owner can read it. If the text is unchanged, only sets the mode.
 * Throws a ChangedFile if another program has changed it since it was read.
 */
export async function writeConfig(file: ConfigFile, text: string, mode: number | undefined): Promise<void> {
  const { target, owner } = file;
  try {
    if (text === file.text && !file.isCut && mode !== undefined) return await chmod(target, mode);
    makeFolder(dirname(target));
    await replaceFile(target, bytesFor(file, text), { mode, owner, isForeign: true, check: () => checkUnchanged(file) });
  } catch (error) {
    throw error instanceof ChangedFile || error instanceof CliError ? error : failed(file.path, error);
  }
}

/** Removes a file that `coding` made, and the folders that it made for it if they are empty. */
export async function removeConfig(file: ConfigFile, folders: readonly string[]): Promise<void> {
  try {
    await checkUnchanged(file);
    await rm(file.target, { force: true });
  } catch (error) {
    throw error instanceof ChangedFile ? error : failed(file.path, error);
  }
  for (const folder of folders) if (!(await isRemoved(folder))) return;
}

/** Removes a folder if it is empty. */
async function isRemoved(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    // A killed process may have removed it.
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

/** Another program has changed the file since it was read. */
export class ChangedFile extends Error {
  override readonly name = 'ChangedFile';
}

async function checkUnchanged(file: ConfigFile): Promise<void> {
  const now = await readFile(file.target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (now === undefined ? file.bytes !== undefined : file.bytes === undefined || !now.equals(file.bytes)) throw new ChangedFile(file.path);
}

function failed(path: string, error: unknown): CliError {
  return new CliError(
    `cannot write ${fileProblem(path, error as NodeJS.ErrnoException)}`,
    exitCodes.error,
    'The file was not changed. Fix the cause, then run the command again.',
  );
}
