// Files and folders that `coding` made: they are removed when the last value in them is taken back.
import { existsSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { ConfigFile } from './files/read.ts';
import type { MadeFile } from './record.ts';

/** The list with a file that is about to be made, and the folders that it needs. */
export function withMade(made: readonly MadeFile[], { path, target, text }: Pick<ConfigFile, 'path' | 'target' | 'text'>): readonly MadeFile[] {
  if (text !== undefined || made.some(({ file }) => file === path)) return made;
  const folders: string[] = [];
  for (let folder = dirname(target); !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) folders.push(folder);
  return [...made, { file: path, folders }];
}

/** The list without a file that is gone. A folder that contains another made file is passed on to that file. */
export function withoutMade(made: readonly MadeFile[], path: string): readonly MadeFile[] {
  const gone = made.find(({ file }) => file === path);
  let others = made.filter((one) => one !== gone);
  let place = path;
  for (const folder of gone?.folders ?? []) {
    place = dirname(place);
    const heir = others.find(({ file }) => file.startsWith(place + sep));
    others = others.map((one) => (one === heir ? { ...one, folders: [...one.folders, folder] } : one));
  }
  return others;
}

export function madeFolders(made: readonly MadeFile[], path: string): readonly string[] {
  return made.find(({ file }) => file === path)?.folders ?? [];
}
