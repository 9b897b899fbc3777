// The settings of config.json, of the user and of folders. No file of the working folder is read: a cloned repository is foreign.
import { join, sep } from 'node:path';
import * as v from 'valibot';
import { broken, type Form, KeptFile } from '../../store/document.ts';
import { storeFolder } from '../accounts/folder.ts';
import type { UserSettings } from '../cli.ts';
import { exitCodes, usageError } from '../errors/exit.ts';
import { isFields, type JsonFields } from '../files/json.ts';
import { type OptionValue, optionValue } from '../input/input.ts';
import { meantHint } from '../table/near-miss.ts';
import { settingOf, settingSpecs } from '../table/settings.ts';

/** The fields of config.json, with its settings unchecked. */
export interface SettingsFields {
  readonly settings?: JsonFields | undefined;
  /** By the path of the folder. */
  readonly folders?: Readonly<Record<string, JsonFields>> | undefined;
}

const form: Form<SettingsFields> = {
  version: 1,
  versionIfAbsent: 1,
  readsNewer: true,
  shape: v.looseObject({
    settings: v.optional(v.custom<JsonFields>(isFields)),
    folders: v.optional(v.record(v.string(), v.custom<JsonFields>(isFields))),
  }),
  isPrivate: false,
  cure: 'Repair the file, or move it away.',
  exitCode: exitCodes.usage,
};

export function settingsFile(env: NodeJS.ProcessEnv): KeptFile<SettingsFields> {
  return new KeptFile(join(storeFolder(env), 'config.json'), form);
}

const user = 'user';

/** The settings that apply in a folder. Throws a CliError for one that is unknown or has a wrong value. */
export async function settingsIn(file: KeptFile<SettingsFields>, folder: string | undefined): Promise<UserSettings> {
  const found = new Map<string, { readonly value: OptionValue; readonly origin: string }>();
  const { value: fields = {}, isNewer = false } = (await file.find()) ?? {};
  const unknown = Object.keys(fields).find((name) => !['version', 'settings', 'folders'].includes(name));
  if (unknown !== undefined && !isNewer)
    throw broken(file.path, form, `has ${JSON.stringify(unknown)}, which is unknown; settings are under settings`);
  const { settings = {}, folders = {} } = fields;
  const scopes = [[user, settings] as const, ...foldersOf(folders, folder).map((path) => [`folder ${path}`, folders[path] ?? {}] as const)];
  for (const [origin, fields] of scopes)
    for (const [name, value] of Object.entries(fields)) {
      try {
        found.set(name, { value: checked(name, value), origin });
      } catch (error) {
        // It may be right for the newer version.
        const command = `modelsvc config unset ${name}${origin === user ? '' : ' --folder'}`;
        if (!isNewer) throw usageError(`${file.path}: ${(error as Error).message}`, `Correct it there, or run \`${command}\`.`);
      }
    }
  return found;
}

/** The folders with settings that contain a folder, the outermost first. */
export function foldersOf(folders: Readonly<Record<string, JsonFields>>, folder: string | undefined): string[] {
  const isAbove = (path: string): boolean =>
    folder !== undefined && (folder === path || folder.startsWith(path.endsWith(sep) ? path : `${path}${sep}`));
  return Object.keys(folders)
    .filter(isAbove)
    .sort((one, other) => one.length - other.length);
}

const elsewhere: Readonly<Record<string, string>> = {
  'api-key': 'Keys are stored with `modelsvc accounts add`.',
  'base-url': 'The root belongs to an account: `modelsvc accounts add`.',
  region: 'The region belongs to an account: `modelsvc accounts add`.',
};

/** The value of a setting, converted by its kind. Throws a usage error that names the setting, never the value of an unknown one. */
export function checked(name: string, value: unknown): OptionValue {
  const spec = settingOf(name);
  if (!spec) throw unknownSetting(name);
  if (typeof value !== 'string' && typeof value !== 'number') throw usageError(`${name} must be a text or a number`);
  if (value === '') throw usageError(`${name} is empty`, `To remove it, run \`modelsvc config unset ${name}\`.`);
  return optionValue(spec, String(value), name);
}

export function unknownSetting(name: string): Error {
  const names = settingSpecs.map((one) => one.name);
  const text = `there is no setting ${JSON.stringify(name)}${meantHint(name, names)}`;
  const hint = Object.hasOwn(elsewhere, name) ? elsewhere[name] : undefined;
  return usageError(text, hint ?? `Settings are ${names.join(', ')}, and alias.NAME for a model.`);
}

/** The settings of the working folder. */
export async function readSettings(env: NodeJS.ProcessEnv): Promise<UserSettings> {
  return settingsIn(settingsFile(env), workingFolder());
}

/** Undefined if it was removed. */
export function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
