/** `npm run check:size`: what the package weighs, held against its budget. Run after `npm run build`. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Gzipped bytes of a browser bundle of this program. */
async function bundled(program: string): Promise<number> {
  const result = await build({
    stdin: { contents: program, resolveDir: root, loader: 'js' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    // As a user's project has it: our own path mapping stays out.
    tsconfigRaw: {},
    logLevel: 'silent',
  });
  return gzipSync(result.outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
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
  [
    'browser bundle, whole client (gzip)',
    await bundled("import { newClient } from 'modelsvc'; globalThis.c = newClient({ apiKey: 'k' });"),
    70 * kilobyte,
  ],
  ['packed tarball', packed.size, 280 * kilobyte],
  ['installed, without dependencies', packed.unpackedSize, 1400 * kilobyte],
];
for (const [name, bytes, budget] of rows) {
  const over = bytes > budget;
  console.log(`${(bytes / kilobyte).toFixed(1).padStart(8)} KB  of ${budget / kilobyte} KB  ${name}${over ? '  OVER BUDGET' : ''}`);
  if (over) process.exitCode = 1;
}
