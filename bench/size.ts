/** `npm run check:size`: compare the size of the package with its budget. Run `npm run build` first. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { oneService, programs } from './bundles.mjs';
import { downloaded, wholeFile } from './download.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

type Row = readonly [name: string, bytes: number, budget: number];

const kilobyte = 1024;

/** Gzipped bytes that a page loads until this program has its reply, or of the whole client. */
async function programRow(name: string, title: string): Promise<Row> {
  const program = programs.find((one) => one.title === title);
  if (program?.target === undefined) throw new Error(`no program ${title} with a target`);
  const source = program.sources['modelsvc'] ?? '';
  const bytes = program.whole ? await wholeFile(source, root) : (await downloaded(source, root)).reduce((sum, file) => sum + file.bytes, 0);
  return [name, bytes, program.target * kilobyte];
}

interface Packed {
  readonly size: number;
  readonly unpackedSize: number;
  readonly entryCount: number;
}

const [packed] = JSON.parse(execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' })) as Packed[];
if (!packed) throw new Error('npm pack printed nothing');

const rows: readonly Row[] = [
  ['smallest service in a page: embeddings (gzip)', await wholeFile(oneService('Embeddings'), root), 36 * kilobyte],
  await programRow('a page downloads for one chat call (gzip)', 'one chat call'),
  await programRow('the same through newClient (gzip)', 'one chat call through newClient'),
  await programRow('whole client, one file (gzip)', 'whole client, one file'),
  ['packed tarball', packed.size, 870 * kilobyte],
  ['installed, without dependencies: 960 KB are for the command line, 310 KB for the evidence', packed.unpackedSize, (2240 + 960 + 310) * kilobyte],
];
for (const [name, bytes, budget] of rows) {
  const over = bytes > budget;
  console.log(`${(bytes / kilobyte).toFixed(1).padStart(8)} KB  of ${budget / kilobyte} KB  ${name}${over ? '  OVER BUDGET' : ''}`);
  if (over) process.exitCode = 1;
}
