// Templates of questions: one YAML file each, in the folder of accounts and settings.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { broken, type Form, storedAs } from '../../store/document.ts';
import { fileProblem } from '../../store/error.ts';
import { privateFolder, writePrivate } from '../../store/file.ts';
import { storeFolder } from '../accounts/folder.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import { isFields, type JsonFields } from '../files/json.ts';
import { readText } from '../files/text.ts';
import { meantHint } from '../table/near-miss.ts';

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

const list = v.custom<JsonFields>(isFields);

const form: Form<QuestionTemplate> = {
  version: 1,
  // Users write templates too.
  versionIfAbsent: 1,
  shape: v.looseObject({
    prompt: v.optional(v.string()),
    options: v.optional(list, {}),
    defaults: v.optional(
      v.pipe(
        list,
        v.transform((values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]))),
      ),
      {},
    ),
  }),
  isPrivate: false,
  cure: 'Repair the file, or move it away.',
  exitCode: exitCodes.usage,
};

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
    const template = await this.#value(name);
    const { prompt, options, defaults } = template;
    const other = Object.keys(template).find((field) => field !== 'version' && !fieldNames.includes(field));
    if (other === undefined) return { prompt, options, defaults };
    const hint = meantHint(other, fieldNames) || `; its fields are ${fieldNames.join(', ')}`;
    throw broken(this.#path(name), form, `has ${JSON.stringify(other)}, which is unknown${hint}`);
  }

  /** True if there is one of this name. Throws for a file of a newer version, which must not be replaced. */
  async has(name: string): Promise<boolean> {
    if (!(await this.names()).includes(name)) return false;
    await this.#value(name);
    return true;
  }

  /** Writes a template whole, or not at all. Check the name first. */
  async save(name: string, template: QuestionTemplate): Promise<void> {
    const { stringify } = await import('yaml');
    for (const folder of [this.#above, this.#folder]) await privateFolder(folder);
    await writePrivate(this.#path(name), stringify({ version: form.version, ...template }, { blockQuote: 'literal', lineWidth: 0 }), () => undefined);
  }

  async remove(name: string): Promise<void> {
    await this.text(name);
    await rm(this.#path(name));
  }

  async #value(name: string): Promise<QuestionTemplate> {
    const [path, { parseDocument }] = [this.#path(name), await import('yaml')];
    const document = parseDocument(await this.text(name));
    // The further lines of the message quote the file.
    const [error] = document.errors;
    if (error) throw broken(path, form, `is not valid YAML: ${error.message.split('\n', 1)[0]}`);
    const fields: unknown = document.toJS();
    if (!isFields(fields)) throw broken(path, form, 'is not a template');
    return storedAs(path, form, fields).value;
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
