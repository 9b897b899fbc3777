// The settings of config.json: those of the user, and those of folders. No file of the working folder is read: a cloned repository is foreign.
import { sep } from 'node:path';
import { newer } from '../accounts/file.ts';
import { brokenFile, ownText } from '../accounts/own-file.ts';
import type { UserSettings } from '../cli.ts';
import { usageError } from '../errors/exit.ts';
import { isFields, type JsonFields, jsonValue } from '../files/json.ts';
import { type OptionValue, optionValue } from '../input/input.ts';
import { meantHint } from '../table/near-miss.ts';
import { settingOf, settingSpecs } from '../table/settings.ts';

/** Version of config.json. A file of a newer version is read as far as its fields fit, and never written. */
const formatVersion = 1;

export interface SettingsFile {
  readonly path: string;
  readonly isNewer: boolean;
  readonly version: number;
  /** All fields of the file. */
  readonly fields: JsonFields;
  readonly user: JsonFields;
  /** By the path of the folder. */
  readonly folders: Readonly<Record<string, JsonFields>>;
}

/** config.json with its settings unchecked; an empty one without the file. */
export async function readConfig(env: NodeJS.ProcessEnv): Promise<SettingsFile> {
  const { path, text = '{}' } = await ownText(env, 'config.json');
  const fields = jsonValue(text.replace(/^\uFEFF/, ''));
  if (!isFields(fields)) throw brokenFile(`${path} is not a JSON object`);
  const { version = formatVersion, settings = {}, folders = {} } = fields;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) throw brokenFile(`${path} has no valid version`);
  const isNewer = version > formatVersion;
  if (!isFields(settings) || !isFields(folders) || !Object.values(folders).every(isFields))
    throw isNewer
      ? newer(path, version, 'Update modelsvc to use it.')
      : brokenFile(`${path}: settings must be an object, and folders an object of objects`);
  return { path, isNewer, version, fields, user: settings, folders: folders as Record<string, JsonFields> };
}

const user = 'user';

/** The settings that apply in a folder. Throws a CliError for one that is unknown or has a wrong value. */
export function settingsIn(file: SettingsFile, folder: string | undefined): UserSettings {
  const found = new Map<string, { readonly value: OptionValue; readonly origin: string }>();
  const unknown = Object.keys(file.fields).find((name) => !['version', 'settings', 'folders'].includes(name));
  if (unknown !== undefined && !file.isNewer) throw brokenFile(`${file.path}: ${JSON.stringify(unknown)} is unknown; settings are under settings`);
  const scopes = [[user, file.user] as const, ...foldersOf(file, folder).map((path) => [`folder ${path}`, file.folders[path] ?? {}] as const)];
  for (const [origin, fields] of scopes)
    for (const [name, value] of Object.entries(fields)) {
      try {
        found.set(name, { value: checked(name, value), origin });
      } catch (error) {
        // It may be right for the newer version.
        const command = `modelsvc config unset ${name}${origin === user ? '' : ' --folder'}`;
        if (!file.isNewer) throw usageError(`${file.path}: ${(error as Error).message}`, `Correct it there, or run \`${command}\`.`);
      }
    }
  return found;
}

/** The folders with settings that contain a folder, the outermost first. */
export function foldersOf({ folders }: SettingsFile, folder: string | undefined): string[] {
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
  return settingsIn(await readConfig(env), workingFolder());
}

/** Undefined if it was removed. */
export function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}
