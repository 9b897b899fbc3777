// Templates of questions: one YAML file each, in the folder of accounts and settings.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newer, privateFolder, writePrivate } from '../accounts/file.ts';
import { storeFolder } from '../accounts/folder.ts';
import { brokenFile } from '../accounts/own-file.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import { isFields, type JsonFields } from '../files/json.ts';
import { fileProblem, readText } from '../files/text.ts';
import { meantHint } from '../table/near-miss.ts';

const formatVersion = 1;
const ending = '.yaml';
const fieldNames = ['prompt', 'options', 'defaults'];

export interface QuestionTemplate {
  /** Each `{name}` in it is a variable. */
  readonly prompt?: string | undefined;
  /** Values of options, by name. Each `{name}` in the system prompt is a variable. */
  readonly options: JsonFields;
  /** Values of variables that are not given. */
  readonly defaults: Readonly<Record<string, string>>;
}

export class TemplateStore {
  readonly #above: string;
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.#above = storeFolder(env);
    this.#folder = join(this.#above, 'templates');
  }

  async names(): Promise<string[]> {
    const entries = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new CliError(fileProblem(this.#folder, error));
    });
    const names = entries.filter((entry) => entry.endsWith(ending) && !entry.startsWith('.'));
    return names.map((entry) => entry.slice(0, -ending.length)).sort();
  }

  /** The text of the file. Throws a CliError if there is no such template. */
  async text(name: string): Promise<string> {
    const names = await this.names();
    // A name with a slash is in no list.
    if (names.includes(name)) return readText(`template ${name}`, this.#path(name));
    const next = names.length === 0 ? 'Save one with `modelsvc chat --save-template NAME PROMPT`.' : 'Run `modelsvc templates list`.';
    throw new CliError(`there is no template ${JSON.stringify(name)}${meantHint(name, names)}`, exitCodes.notFound, next);
  }

  /** Throws a CliError for a template that is missing, broken or of a newer version. */
  async load(name: string): Promise<QuestionTemplate> {
    const fields = await this.#fields(name);
    const path = this.#path(name);
    const { version: _version, prompt, options = {}, defaults = {}, ...others } = fields;
    const [other] = Object.keys(others);
    if (other !== undefined) {
      const hint = meantHint(other, fieldNames) || `; its fields are ${fieldNames.join(', ')}`;
      throw brokenFile(`${path}: ${JSON.stringify(other)} is unknown${hint}`);
    }
    if (prompt !== undefined && typeof prompt !== 'string') throw brokenFile(`${path}: prompt must be a text`);
    if (!isFields(options) || !isFields(defaults)) throw brokenFile(`${path}: options and defaults must be lists of \`name: value\``);
    return { prompt, options, defaults: Object.fromEntries(Object.entries(defaults).map(([variable, value]) => [variable, String(value)])) };
  }

  /** True if there is one of this name. Throws for a file of a newer version, which must not be replaced. */
  async has(name: string): Promise<boolean> {
    if (!(await this.names()).includes(name)) return false;
    await this.#fields(name);
    return true;
  }

  /** Writes a template whole, or not at all. Check the name first. */
  async save(name: string, template: QuestionTemplate): Promise<void> {
    const { stringify } = await import('yaml');
    for (const folder of [this.#above, this.#folder]) await privateFolder(folder);
    await writePrivate(
      this.#path(name),
      stringify({ version: formatVersion, ...template }, { blockQuote: 'literal', lineWidth: 0 }),
      () => undefined,
    );
  }

  async remove(name: string): Promise<void> {
    await this.text(name);
    await rm(this.#path(name));
  }

  async #fields(name: string): Promise<JsonFields> {
    const [path, { parseDocument }] = [this.#path(name), await import('yaml')];
    const document = parseDocument(await this.text(name));
    // The further lines of the message quote the file.
    const [error] = document.errors;
    if (error) throw brokenFile(`${path} is not valid YAML: ${error.message.split('\n', 1)[0]}`);
    const fields: unknown = document.toJS();
    if (!isFields(fields)) throw brokenFile(`${path} is not a template`);
    const { version = formatVersion } = fields;
    if (typeof version === 'number' && version > formatVersion) throw newer(path, version, 'Update modelsvc to use it.');
    if (version !== formatVersion) throw brokenFile(`${path} has no valid version`);
    return fields;
  }

  #path(name: string): string {
    return join(this.#folder, `${name}${ending}`);
  }
}

const places = /\{\{([\p{L}_][\p{L}\p{N}_]*)\}\}|\{([\p{L}_][\p{L}\p{N}_]*)\}/gu;

/** The names of the variables in a text, each once. */
export function variablesIn(...texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.flatMap((text = '') => [...text.matchAll(places)].flatMap(([, , name]) => name ?? [])))];
}

/** A text with the values of its variables. `{{name}}` is the text `{name}`, and other braces stay. Values are not searched for variables. */
export function filledText(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(places, (_place, literal: string | undefined, name = '') => (literal === undefined ? (values[name] ?? '') : `{${literal}}`));
}
