// `npm run site`: the pages of the repository as a site in site/dist, with the document as its reference.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brokenLinks, foreignLoads, referencePage } from './site/links.ts';
import { searchProblems } from './site/search.ts';
import { stage } from './site/stage.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const site = join(root, 'site');
const run = (folder: string, ...words: string[]): void =>
  void execFileSync('npx', words, { cwd: folder, stdio: 'pipe', env: { ...process.env, REDOCLY_TELEMETRY: 'off' } });

try {
  const started = performance.now();
  const { pages, untranslated } = stage(root, join(site, 'pages'));
  // Without the bundle the page would load its program from another host.
  const reference = join(site, 'pages/public/reference.html');
  run(root, 'redocly', 'build-docs', 'spec/openapi.yaml', '--inlineBundle', '-o', reference);
  writeFileSync(reference, referencePage(readFileSync(reference, 'utf8'), process.env['SITE_BASE']));
  copyFileSync(join(site, 'icon.svg'), join(site, 'pages/public/icon.svg'));
  run(site, 'vitepress', 'build', '.');
  const dist = join(site, 'dist');
  const problems = [...brokenLinks(dist, process.env['SITE_BASE']), ...foreignLoads(dist), ...(await searchProblems(site))];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const bytes = readdirSync(dist, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
  const seconds = (performance.now() - started) / 1000;
  console.log(`Without a Chinese page: ${untranslated.join(', ')}`);
  console.log(`site/dist: ${pages} pages, ${(bytes / 1e6).toFixed(1)} MB, ${seconds.toFixed(0)} s`);
} catch (error) {
  console.error(`npm run site: ${(error as Error).message}`);
  process.exitCode = 1;
}
