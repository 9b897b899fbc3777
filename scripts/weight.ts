/**
 * `npx tsx scripts/weight.ts`: compare the weight of the project with its budgets. Run `npm run build` first.
 *
 * Budgets only fall. A change that needs more removes something in the same commit, and the message of the commit names it. After a cut, set the budget to the
 * printed figure.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InterfaceDeclaration, SourceFile } from 'typescript';
import { oneService, programs } from '../bench/bundles.mjs';
import { downloaded, wholeFile } from '../bench/download.mjs';
import ts from './typescript.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const kilobyte = 1024;

/** Gzipped bytes that a page loads until this program has its reply. */
async function firstLoad(title: string): Promise<number> {
  const program = programs.find((one) => one.title === title);
  if (!program) throw new Error(`no program ${title}`);
  return (await downloaded(program.sources['modelsvc'] ?? '', root)).reduce((sum, { bytes }) => sum + bytes, 0);
}

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
}

function packed(): Packed {
  const text = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' });
  const [one] = JSON.parse(text) as Packed[];
  if (!one) throw new Error('npm pack printed nothing');
  return one;
}

function sourceOf(file: string): SourceFile {
  return ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
}

/** Names that the main entry exports. */
function rootNames(): number {
  return sourceOf('src/overlay/index.ts').statements.reduce((sum, one) => {
    const clause = ts.isExportDeclaration(one) ? one.exportClause : undefined;
    if (!clause || !ts.isNamedExports(clause)) throw new Error('src/overlay/index.ts exports names by `export { … }` only');
    return sum + clause.elements.length;
  }, 0);
}

/** Options of `Config`. */
function configOptions(): number {
  const isConfig = (one: object): one is InterfaceDeclaration =>
    ts.isInterfaceDeclaration(one as never) && (one as InterfaceDeclaration).name.text === 'Config';
  const config = sourceOf('src/overlay/config.ts').statements.find(isConfig);
  if (!config) throw new Error('src/overlay/config.ts has no interface Config');
  return config.members.length;
}

/** Lines of `src` that a person wrote. */
function linesOfSrc(): number {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.startsWith('generated'),
  );
  return files.reduce((sum, file) => sum + readFileSync(join(root, 'src', file), 'utf8').split('\n').length - 1, 0);
}

const { size, unpackedSize } = packed();
const rows: readonly (readonly [name: string, measured: number, budget: number, unit?: 'KB'])[] = [
  ['smallest service in a page: embeddings (gzip)', await wholeFile(oneService('Embeddings'), root), 40.1, 'KB'],
  ['a page downloads for one chat call (gzip)', await firstLoad('one chat call'), 65, 'KB'],
  ['the same through newClient (gzip)', await firstLoad('one chat call through newClient'), 99, 'KB'],
  ['whole client, one file (gzip)', await wholeFile("export * from 'modelsvc';", root), 114.4, 'KB'],
  ['packed tarball', size, 926, 'KB'],
  ['installed, without dependencies', unpackedSize, 3470, 'KB'],
  ['names of the main entry', rootNames(), 142],
  ['options of Config', configOptions(), 30],
  ['lines of src, without generated files', linesOfSrc(), 56573],
];
for (const [name, measured, budget, unit] of rows) {
  const value = unit === undefined ? measured : measured / kilobyte;
  const isOver = value > budget;
  const text = unit === undefined ? String(value) : `${value.toFixed(1)} KB`;
  console.log(
    `${text.padStart(10)}  of ${String(budget).padStart(6)}  ${name}${isOver ? '  OVER BUDGET: remove something, see scripts/weight.ts' : ''}`,
  );
  if (isOver) process.exitCode = 1;
}
