import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './tools/program.ts';

const installMs = 420_000;

/** Installs packages of the registry into a folder that is kept between runs, and returns it. Throws an Error with the output of npm if that fails. */
export async function installedPackages(folder: string, packages: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  await mkdir(folder, { recursive: true });
  const manifest = join(folder, 'package.json');
  const wanted = JSON.stringify({ name: 'app', private: true, type: 'module', packages });
  if ((await readFile(manifest, 'utf8').catch(() => '')) === wanted) return folder;
  if (packages.length > 0) {
    await writeFile(manifest, JSON.stringify({ name: 'app', private: true }));
    const args = ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', ...packages];
    const { code, stderr, isTimedOut } = await run('npm', args, { cwd: folder, env, timeoutMs: installMs });
    if (code !== 0) throw new Error(isTimedOut ? 'npm did not end in time' : stderr);
  }
  // Written last, so that a failed installation is repeated.
  await writeFile(manifest, wanted);
  return folder;
}
