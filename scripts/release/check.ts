/**
 * `npm run release:check`: judge whether this commit can be published. Prints a line for each check, and ends with status 1 if one failed.
 * Run `.ci/run` before it.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { version } from '../../src/generated/version.ts';
import { checkInstalled, withInstalled } from './check-installed.ts';
import { fileProblems, lineOf, ownerProblems, treeProblems, versionProblems } from './checks.ts';
import { manifestOf, project } from './installed.ts';
import { readOwner } from './owner.ts';

async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: project, shell: process.platform === 'win32' });
  return stdout;
}

/** The check is that the command succeeds. */
async function passes(command: string, ...args: string[]): Promise<string[]> {
  await run(command, ...args);
  return [];
}

const textOf = (path: string): Promise<string> => readFile(join(project, path), 'utf8');
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

async function publishedFiles(): Promise<string[]> {
  const [entry] = Object.values(JSON.parse(await run('npm', 'publish', '--dry-run', '--json', '--ignore-scripts')) as Record<string, unknown>);
  return (entry as { readonly files: readonly { readonly path: string }[] }).files.map((file) => file.path);
}

async function installedProblems(): Promise<string[]> {
  return (await withInstalled((app) => checkInstalled(app))).flatMap(({ failed }) => failed);
}

const manifest = await manifestOf(project);
const checks: Readonly<Record<string, () => Promise<string[]>>> = {
  'clean tree': async () => treeProblems(await run('git', 'status', '--porcelain')),
  'tag, version and CHANGELOG': async () =>
    versionProblems({
      manifest: manifest.version,
      source: version,
      tags: linesOf(await run('git', 'tag', '--points-at', 'HEAD')),
      changelog: await textOf('CHANGELOG.md'),
    }),
  build: () => passes('npm', 'run', '-s', 'build'),
  'reports of the public surface': () => passes('npx', 'tsx', 'scripts/api-report.ts', '--check'),
  'THIRD-PARTY-NOTICES': () => passes('npx', 'tsx', 'scripts/notices.ts', '--check'),
  'files to publish': async () => fileProblems(await publishedFiles(), linesOf(await textOf('test/package/packed-files.txt'))),
  [`tarball on Node ${process.versions.node}`]: installedProblems,
  'owner and repository': async () => ownerProblems(manifest, await readOwner()),
};

for (const [name, check] of Object.entries(checks)) {
  const problems = await check().catch((error: Error & { stderr?: string }) => [error.stderr?.trim() || error.message]);
  console.log(lineOf(name, problems));
  if (problems.length > 0) process.exitCode = 1;
}
