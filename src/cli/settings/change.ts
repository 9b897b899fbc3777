// A change of config.json: under a lock, and whole or not at all.
import { newer, privateFolder, realTarget, writePrivate } from '../accounts/file.ts';
import { storeFolder } from '../accounts/folder.ts';
import type { Cli } from '../cli.ts';
import { withLock } from '../files/lock.ts';
import { readConfig, type SettingsFile } from './settings.ts';

/** The settings of the user, or those of a folder, as they shall be. */
export interface ConfigChange {
  readonly folder: string | undefined;
  readonly entries: Readonly<Record<string, unknown>>;
}

/** Writes the settings that `edit` makes from the file. Other fields stay. Throws for a file of a newer version. */
export async function changeConfig({ io, signal }: Cli, edit: (file: SettingsFile) => ConfigChange): Promise<void> {
  await privateFolder(storeFolder(io.env));
  const { path } = await readConfig(io.env);
  await withLock(`${await realTarget(path)}.lock`, signal, async (check) => {
    const file = await readConfig(io.env);
    if (file.isNewer) throw newer(path, file.version, 'Update modelsvc to change settings. Reading works.');
    const { folder, entries } = edit(file);
    const { [folder ?? '']: _before, ...others } = file.folders;
    const folders = folder === undefined || Object.keys(entries).length === 0 ? others : { ...others, [folder]: entries };
    const { settings: _settings, folders: _folders, ...fields } = file.fields;
    const user = folder === undefined ? entries : file.user;
    const value = { ...fields, version: file.version, settings: user, ...(Object.keys(folders).length > 0 && { folders }) };
    await writePrivate(path, `${JSON.stringify(value, null, 2)}\n`, check);
  });
}
