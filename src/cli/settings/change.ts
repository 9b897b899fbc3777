// A change of config.json.
import type { Cli } from '../cli.ts';
import type { JsonFields } from '../files/json.ts';
import { type SettingsFields, settingsFile } from './settings.ts';

/** The new settings of the user, or of a folder. */
export interface ConfigChange {
  readonly folder: string | undefined;
  readonly entries: JsonFields;
}

/** Writes the settings that `edit` makes from the file. Other fields stay. Throws for a file of a newer version. */
export async function changeConfig({ screen: { io }, signal }: Cli, edit: (fields: SettingsFields) => ConfigChange): Promise<void> {
  await settingsFile(io.env).change(signal, (fields = {}) => changed(fields, edit(fields)));
}

function changed({ settings = {}, folders = {}, ...fields }: SettingsFields, { folder, entries }: ConfigChange): SettingsFields {
  if (folder === undefined) return { ...fields, settings: entries, ...(Object.keys(folders).length > 0 && { folders }) };
  const { [folder]: _before, ...others } = folders;
  const all = Object.keys(entries).length === 0 ? others : { ...others, [folder]: entries };
  return { ...fields, settings, ...(Object.keys(all).length > 0 && { folders: all }) };
}
