// The user's models: models.yaml in the folder of the store. Read only by commands that make calls, and by completion.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelRow } from 'modelsvc';
import type { OwnModels } from '../cli.ts';
import { type CliError, usageError } from '../errors/exit.ts';
import { fileProblem, readText } from '../files/text.ts';
import { storeFolder } from './folder.ts';

/** The rows of models.yaml, each with the file as its source; none without the file. */
export async function ownModels(env: NodeJS.ProcessEnv): Promise<OwnModels> {
  const path = join(storeFolder(env), 'models.yaml');
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw brokenModels(fileProblem(path, error));
  });
  if (!facts) return { path, rows: [] };
  if (!facts.isFile()) throw brokenModels(`${path} is not a regular file`);
  const text = await readText('models.yaml', path).catch((error: Error) => {
    throw brokenModels(error.message);
  });
  const value = await parsed(path, text);
  if (value === null) return { path, rows: [] };
  const { models, ...others } = (typeof value === 'object' && !Array.isArray(value) ? value : {}) as { readonly models?: readonly ModelRow[] };
  const [other] = Object.keys(others);
  if (other !== undefined) throw brokenModels(`${path}: ${JSON.stringify(other)} is unknown; the rows are a list under models`);
  if (!Array.isArray(models)) throw brokenModels(`${path} must have a list of rows under models`);
  return { path, rows: models.map((row) => withSource(row, path)) };
}

/** A broken models.yaml, which no command changes. */
export function brokenModels(problem: string): CliError {
  return usageError(problem, 'Repair the file, or move it away.');
}

async function parsed(path: string, text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS();
  } catch (error) {
    // The further lines of the message quote the file.
    throw brokenModels(`${path} is not valid YAML: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

/** A row of another type, or with another kind of source, is left to the check. */
function withSource(row: ModelRow, path: string): ModelRow {
  if (typeof row !== 'object' || row === null) return row;
  const { source = [] } = row;
  return Array.isArray(source) ? { ...row, source: [path, ...source] } : row;
}
