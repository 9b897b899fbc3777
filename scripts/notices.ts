/**
 * Writes `THIRD-PARTY-NOTICES`: each package whose code the build copies into `dist`, with its license text.
 *
 *     npm run docs                          write the file, among others
 *     npx tsx scripts/notices.ts --check    compare; fails when the file is stale
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'tsdown';

const project = fileURLToPath(new URL('..', import.meta.url));
const page = join(project, 'THIRD-PARTY-NOTICES');

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Files of `dist` with its code, sorted. */
  readonly files: readonly string[];
  readonly text: string;
}

/** The folder of the package that has this module, and its name; undefined for a module of the project itself. */
export function packageOf(module: string): { readonly folder: string; readonly name: string } | undefined {
  const [folder, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module.replaceAll('\\', '/')) ?? [];
  return folder === undefined || name === undefined ? undefined : { folder, name };
}

/** The packages in the build, by name. The build runs in memory, with its own configuration. */
export async function bundledPackages(): Promise<BundledPackage[]> {
  const files = new Map<string, Set<string>>();
  for (const { chunks, config } of await build({ cwd: project, write: false, clean: false, logLevel: 'error' })) {
    for (const chunk of chunks) {
      for (const module of chunk.type === 'chunk' ? chunk.moduleIds : []) {
        const folder = packageOf(module)?.folder;
        if (folder !== undefined) files.set(folder, (files.get(folder) ?? new Set()).add(relative(project, join(config.outDir, chunk.fileName))));
      }
    }
  }
  const packages = await Promise.all([...files].map(([folder, used]) => describe(folder, [...used].sort())));
  return packages.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function describe(folder: string, files: readonly string[]): Promise<BundledPackage> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { name: string; version: string; license?: string };
  const texts = (await readdir(folder)).filter((name) => /^(licen[cs]e|copying|notice)\b/i.test(name)).sort();
  if (manifest.license === undefined || texts.length === 0)
    throw new Error(`${relative(project, folder)}: no license, or no license text. Replace the package, or add its text here by hand`);
  const text = await Promise.all(texts.map((name) => readFile(join(folder, name), 'utf8')));
  return { name: manifest.name, version: manifest.version, license: manifest.license, files, text: text.map((one) => one.trim()).join('\n\n') };
}

export function noticesOf(packages: readonly BundledPackage[]): string {
  const parts = packages.map(({ name, version, license, files, text }) => `${name} ${version} (${license}), in ${files.join(', ')}\n\n${text}\n`);
  const opening =
    'Third-party notices\n\nThe files in dist/ contain code of these packages, each under its own license.\nMade by `npm run docs`; do not edit.\n';
  return [opening, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const text = noticesOf(await bundledPackages());
  if (!values.check) await writeFile(page, text);
  else if (text !== (await readFile(page, 'utf8').catch(() => ''))) {
    console.error('THIRD-PARTY-NOTICES differs from the build. Run: npm run docs');
    process.exitCode = 1;
  }
}
