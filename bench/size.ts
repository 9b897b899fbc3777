/** `npx tsx bench/size.ts`: compare the size of the package with its budget. Run `npm run build` first. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { oneService, programs } from './bundles.mjs';
import { downloaded, wholeFile } from './download.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Gzipped bytes that a page loads until this program has its reply. */
async function firstLoad(title: string): Promise<number> {
  const program = programs.find((one) => one.title === title);
  if (!program) throw new Error(`no program ${title}`);
  return (await downloaded(program.sources['modelsvc'] ?? '', root)).reduce((sum, { bytes }) => sum + bytes, 0);
}

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })) as Packed[];
if (!packed) throw new Error('npm pack printed nothing');

const kilobyte = 1024;
const rows: [name: string, bytes: number, budget: number][] = [
  ['smallest service in a page: embeddings (gzip)', await wholeFile(oneService('Embeddings'), root), 38.5 * kilobyte],
  ['a page downloads for one chat call (gzip)', await firstLoad('one chat call'), 63 * kilobyte],
  ['the same through newClient (gzip)', await firstLoad('one chat call through newClient'), 95 * kilobyte],
  ['whole client, one file (gzip)', await wholeFile("export * from 'modelsvc';", root), 108 * kilobyte],
  ['packed tarball', packed.size, 965 * kilobyte],
  [
    'installed, without dependencies: 1025 KB are for the command line, 315 KB for the evidence, 75 KB for pages in Chinese',
    packed.unpackedSize,
    (2410 + 1025 + 315 + 75) * kilobyte,
  ],
];
for (const [name, bytes, budget] of rows) {
  const over = bytes > budget;
  console.log(`${(bytes / kilobyte).toFixed(1).padStart(8)} KB  of ${budget / kilobyte} KB  ${name}${over ? '  OVER BUDGET' : ''}`);
  if (over) process.exitCode = 1;
}
