// The editor of each format, loaded when a file of the format is edited.
import { EditProblem, type Open } from './edits/edit.ts';
import type { Node } from './edits/tree.ts';
import { UnusableFile } from './files/read.ts';
import type { FileFormat } from './tool.ts';

/** Reads the root of a text; undefined if it is blank. Throws an EditProblem if the text is not valid. */
export type ReadDocument = (text: string) => Node | undefined;

export async function readerOf(format: FileFormat): Promise<ReadDocument> {
  if (format === 'toml') return (await import('./edits/toml-read.ts')).readToml;
  if (format === 'yaml') return (await import('./edits/yaml-read.ts')).readYaml;
  const { readJson } = await import('./edits/json-read.ts');
  return (text) => readJson(text, format === 'json');
}

export async function openerOf(format: FileFormat): Promise<Open> {
  if (format === 'toml') {
    const { openToml } = await import('./edits/toml.ts');
    return openToml;
  }
  if (format === 'yaml') {
    const { openYaml } = await import('./edits/yaml.ts');
    return openYaml;
  }
  const { openJson, openJsonc } = await import('./edits/json.ts');
  return format === 'json' ? openJson : openJsonc;
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
