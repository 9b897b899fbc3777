// Some tests run the build, as a user does. A build that is older than a source would test yesterday's program without a word.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Imports of the package by its name, of the program, or of a file in `dist`. */
const namesTheBuild = /'modelsvc[/']|dist\/|support\/(run|in-process|child|editor)\.ts/;
const inputs = ['src', 'scripts/build.ts', 'tsdown.config.ts', 'tsconfig/build.json', 'package.json'];

/** Builds before a run that has a test of the build, if a source is newer. */
export function freshBuild(root: string, files: readonly string[], build: () => void = () => buildIn(root)): void {
  if (isStale(root) && files.some((file) => namesTheBuild.test(readFileSync(file, 'utf8')))) build();
}

/** Whether a source is newer than the program, which is the last file that a build begins. */
export function isStale(root: string): boolean {
  const program = join(root, 'dist/cli/program.js');
  return !existsSync(program) || inputs.some((input) => newest(join(root, input)) > statSync(program).mtimeMs);
}

function buildIn(root: string): void {
  console.log('A source is newer than the build: npm run build');
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' });
}

/** When a file, or anything in a folder, changed last. A folder itself changes when an entry is deleted or renamed. */
function newest(path: string): number {
  const info = statSync(path);
  const entries = info.isDirectory() ? readdirSync(path) : [];
  return entries.reduce((latest, entry) => Math.max(latest, newest(join(path, entry))), info.mtimeMs);
}
