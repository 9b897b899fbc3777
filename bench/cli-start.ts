/**
 * CPU time of the command line without a request, as a ratio to an empty Node program. Both run in turns, so that the load of the machine meets both.
 *
 *     npm run build && npx tsx bench/cli-start.ts [rounds]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const rounds = Number(process.argv[2] ?? 40);
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'cli-start-'));
const empty = join(folder, 'empty.mjs');
writeFileSync(empty, '');

/** At its end each process prints its own CPU time, in microseconds, to stderr. */
const meter = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(2, '\\n' + (user + system)); });",
)}`;

const cases: Readonly<Record<string, readonly string[]>> = {
  'an empty program': [empty],
  '--version': [program, '--version'],
  '--help': [program, '--help'],
  'models list --help': [program, 'models', 'list', '--help'],
  '__complete mod': [program, '__complete', 'mod'],
};

const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
for (let round = 0; round < rounds; round++) for (const [name, args] of Object.entries(cases)) times.get(name)?.push(cpuOf(args));
rmSync(folder, { recursive: true });

const base = median(times.get('an empty program') ?? []);
for (const [name, list] of times)
  console.log(`${(median(list) / base).toFixed(2)} ×  ${(median(list) / 1000).toFixed(0).padStart(4)} ms of CPU  ${name}`);

function cpuOf(args: readonly string[]): number {
  const script = ['--import', meter, ...args];
  const text = execFileSync('/bin/sh', ['-c', '"$0" "$@" 2>&1 >/dev/null', process.execPath, ...script], { encoding: 'utf8' });
  return Number(text.trim().split('\n').at(-1));
}

function median(list: readonly number[]): number {
  return [...list].sort((a, b) => a - b)[list.length >> 1] ?? 0;
}
