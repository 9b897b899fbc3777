// The user's models: models.yaml in the folder of the store. Read only by commands that make calls, and by completion.

import { join } from 'node:path';
import type { ModelRow } from 'modelsvc';
import type { PlainError } from '../../store/error.ts';
import { readOwn } from '../../store/file.ts';
import { exitCodes, usageError } from '../errors/exit.ts';
import type { OwnModels } from '../factory.ts';
import { storeFolder } from './folder.ts';

/** The rows of models.yaml, each with the file as its source; none without the file. */
export async function ownModels(env: NodeJS.ProcessEnv): Promise<OwnModels> {
  const path = join(storeFolder(env), 'models.yaml');
  const text = await readOwn(path, { isPrivate: false, exitCode: exitCodes.usage });
  if (text === undefined) return { path, rows: [] };
  const value = await parsed(path, text);
  if (value === null) return { path, rows: [] };
  const { models, ...others } = (typeof value === 'object' && !Array.isArray(value) ? value : {}) as { readonly models?: readonly ModelRow[] };
  const [other] = Object.keys(others);
  if (other !== undefined) throw brokenFile(`${path}: ${JSON.stringify(other)} is unknown; the rows are a list under models`);
  if (!Array.isArray(models)) throw brokenFile(`${path} must have a list of rows under models`);
  return { path, rows: models.map((row) => withSource(row, path)) };
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
    throw brokenFile(`${path} is not valid YAML: ${(error as Error).message.split('\n', 1)[0]}`);
  }
}

/** A row of another type, or with another kind of source, is left to the check. */
function withSource(row: ModelRow, path: string): ModelRow {
  if (typeof row !== 'object' || row === null) return row;
  const { source = [] } = row;
  return Array.isArray(source) ? { ...row, source: [path, ...source] } : row;
}

/** A broken file, which no command changes. */
export function brokenFile(problem: string): PlainError {
  return usageError(problem, 'Repair the file, or move it away.');
}
