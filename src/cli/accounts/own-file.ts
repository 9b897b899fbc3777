// Files that users write beside the store: models.yaml and config.json.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from '../../store/error.ts';
import { type CliError, usageError } from '../errors/exit.ts';
import { readText } from '../files/text.ts';
import { storeFolder } from './folder.ts';

/** The path and the text of a file in the folder of the store. The text is undefined if there is no file. */
export async function ownText(env: NodeJS.ProcessEnv, name: string): Promise<{ readonly path: string; readonly text?: string }> {
  const path = join(storeFolder(env), name);
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw brokenFile(fileProblem(path, error));
  });
  if (!facts) return { path };
  if (!facts.isFile()) throw brokenFile(`${path} is not a regular file`);
  const text = await readText(name, path).catch((error: Error) => {
    throw brokenFile(error.message);
  });
  return { path, text };
}

/** A broken file, which no command changes. */
export function brokenFile(problem: string): CliError {
  return usageError(problem, 'Repair the file, or move it away.');
}
