// The editor of each format, loaded when a file of the format is edited.
import { CliError, exitCodes } from '../errors/exit.ts';
import { type Editor, EditProblem } from './edits/edit.ts';
import type { Format } from './tool.ts';

export async function editorOf(format: Format): Promise<Editor> {
  if (format === 'toml') return (await import('./edits/toml.ts')).tomlEditor;
  if (format === 'yaml') return (await import('./edits/yaml.ts')).yamlEditor;
  const { jsonEditor, jsoncEditor } = await import('./edits/json.ts');
  return format === 'json' ? jsonEditor : jsoncEditor;
}

/** Runs an edit of a file. A problem of its text becomes a CliError that names the file. */
export function inFile<T>(path: string, edit: () => T): T {
  try {
    return edit();
  } catch (error) {
    if (error instanceof EditProblem)
      throw new CliError(`${path} ${error.message}`, exitCodes.error, 'No file was changed. Repair the file, then run the command again.');
    throw error;
  }
}
