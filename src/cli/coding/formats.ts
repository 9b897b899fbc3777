// The format of each file, loaded when a file of the format is read.
import { type DocumentFormat, EditProblem } from './edits/edit.ts';
import { UnusableFile } from './files/read.ts';
import type { FileFormat } from './tool.ts';

export async function formatNamed(format: FileFormat): Promise<DocumentFormat> {
  if (format === 'toml') return (await import('./edits/toml.ts')).toml;
  if (format === 'yaml') return (await import('./edits/yaml.ts')).yaml;
  const { json, jsonc } = await import('./edits/json.ts');
  return format === 'json' ? json : jsonc;
}

/** Runs edits of a file. A problem of its text becomes a CliError that names the file. */
export function inFile<T>(path: string, edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (error instanceof EditProblem) throw new UnusableFile(`${path} ${error.message}`, error.cure, ' Then run the command again.');
    throw error;
  }
}
