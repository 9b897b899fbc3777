/** The package as a user gets it: packed, then installed from the tarball into an empty project. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const project: string = fileURLToPath(new URL('../..', import.meta.url));

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
  readonly homepage?: string;
  readonly bugs?: { readonly url: string; readonly email: string };
  readonly repository?: { readonly type: string; readonly url: string };
  readonly author?: { readonly name: string; readonly email: string };
}

export interface Installed {
  /** The empty project. */
  readonly app: string;
  /** The package in its node_modules. */
  readonly root: string;
  /** Files of the tarball, sorted. */
  readonly files: readonly string[];
}

export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** The oldest version that `engines` of package.json allows, as `20.19.0`. */
export function floorOf({ engines }: Pick<Manifest, 'engines'>): string {
  const [, version] = /^>=(\d+(?:\.\d+){0,2})$/.exec(engines.node) ?? [];
  if (version === undefined) throw new Error(`package.json: engines.node is ${engines.node}; write it as >=20.19`);
  return [...version.split('.'), '0', '0'].slice(0, 3).join('.');
}

/** Run npm without the network. */
async function npm(folder: string, ...args: string[]): Promise<string> {
  const offline = [...args, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { stdout } = await promisify(execFile)('npm', offline, { cwd: folder, shell: process.platform === 'win32' });
  return stdout;
}

/** Pack the built project into a folder. The files are sorted. */
export async function pack(folder: string): Promise<{ readonly tarball: string; readonly files: readonly string[] }> {
  const packed = await npm(folder, 'pack', project, '--pack-destination', folder, '--json');
  const [{ filename, files }] = JSON.parse(packed) as [{ readonly filename: string; readonly files: readonly { readonly path: string }[] }];
  return { tarball: join(folder, filename), files: files.map((file) => file.path).sort() };
}

/** Pack the built project and install the tarball into a new project below `folder`. Dependencies come from the project's node_modules. */
export async function installTarball(folder: string): Promise<Installed> {
  const manifest = await manifestOf(project);
  const { tarball, files } = await pack(folder);
  const known = ['openapi-typescript-helpers', ...Object.keys(manifest.dependencies)];
  const local = Object.fromEntries(known.map((name) => [name, `file:${join(project, 'node_modules', name)}`]));
  const overrides = Object.fromEntries(known.map((name) => [name, `$${name}`]));
  const dependencies = { [manifest.name]: `file:${tarball}`, ...local };
  const app = join(folder, 'app');
  await mkdir(app);
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, dependencies, overrides }));
  await npm(app, 'install', '--install-links');
  return { app, root: join(app, 'node_modules', manifest.name), files };
}

/** Run a file of the empty project. Its environment has no proxy, no key and no option of Node. */
export async function runNode(app: string, args: readonly string[], node: string = process.execPath): Promise<string> {
  const { stdout } = await promisify(execFile)(node, args, { cwd: app, env: { PATH: process.env['PATH'] } });
  return stdout.trim();
}
