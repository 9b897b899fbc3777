/**
 * Times of `modelsvc logs` over a log of 10,000 exchanges of 1 to 3 KB, as whole processes.
 *
 *     npm run build && npx tsx bench/log-search.ts [rounds]
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LogEntry, lineOf } from '../src/cli/log/entry.ts';
import { append } from '../src/cli/log/segments.ts';

const rounds = Number(process.argv[2] ?? 7);
const count = 10_000;
const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'log-search-'));
const folder = join(home, 'modelsvc', 'log');

const words =
  'answer question server stream token cache Größe maison file error request blue sky light function return import commit translate shorter'.split(
    ' ',
  );
let seed = 7;
function random(): number {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return seed / 0x7fffffff;
}
function text(length: number): string {
  let made = '';
  while (made.length < length)
    made += `${random() < 0.1 ? '\n' : ' '}${words[Math.floor(random() * words.length)]}${random() < 0.3 ? Math.floor(random() * 1e5) : ''}`;
  return made;
}

function entryAt(at: number): LogEntry {
  const time = new Date(Date.UTC(2026, 7, 1) + at * 1_000_000);
  const id = time.getTime().toString(36) + String(at).padStart(6, '0');
  const usage = { prompt_tokens: 100, completion_tokens: 300, total_tokens: 400, prompt_tokens_details: { cached_tokens: 3 } };
  const answer = text(600 + random() * 2000) + (at === 50 ? ' a needle' : '');
  const model = at % 3 === 0 ? 'glm-4.6' : 'glm-5.3';
  return {
    v: 1,
    id,
    time: time.toISOString(),
    command: 'chat',
    conversation: id,
    model,
    usage,
    cost: 0.0012,
    text: { prompt: text(200 + random() * 400), answer },
  };
}

mkdirSync(folder, { recursive: true });
let bytes = 0;
const started = performance.now();
for (let at = 0; at < count; at++) {
  const entry = entryAt(at);
  const line = lineOf(entry);
  bytes += Buffer.byteLength(line);
  append(folder, entry.time.slice(0, 7), line);
}
console.log(`${count} exchanges, ${(bytes / 1e6).toFixed(0)} MB, written in ${((performance.now() - started) / 1000).toFixed(1)} s`);

/** At its end each process prints its own CPU time, in microseconds, to stderr. */
const meter = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(2, '\\n' + (user + system)); });",
)}`;

const cases: Readonly<Record<string, readonly string[]>> = {
  '--version': ['--version'],
  'logs search, a word of one exchange': ['logs', 'search', 'needle'],
  'logs search, two words of one exchange': ['logs', 'search', 'needle', 'shorter'],
  'logs search, a common word and one of none': ['logs', 'search', 'translate', 'absent'],
  'logs search, a word with ö of none': ['logs', 'search', 'schön'],
  'logs search, a common word': ['logs', 'search', 'translate'],
  'logs list': ['logs', 'list'],
  'logs show ID': ['logs', 'show', entryAt(50).id],
  'logs cost': ['logs', 'cost'],
};

console.log('| command | time | CPU |\n|---|--:|--:|');
for (const [name, args] of Object.entries(cases)) {
  const runs = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    const script = ['-c', '"$0" "$@" 2>&1 >/dev/null || true', process.execPath, '--import', meter, program, ...args];
    const ended = execFileSync('/bin/sh', script, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: home } });
    return { ms: performance.now() - begun, cpu: Number(ended.trim().split('\n').at(-1)) / 1000 };
  });
  console.log(`| ${name} | ${median(runs.map(({ ms }) => ms))} ms | ${median(runs.map(({ cpu }) => cpu))} ms |`);
}
rmSync(home, { recursive: true });

function median(list: readonly number[]): string {
  return (list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0).toFixed(0);
}
