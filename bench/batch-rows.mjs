/**
 * Memory of `modelsvc batches run` by the number of rows, against the fake in a process of its own.
 *
 *     npm run build && node bench/batch-rows.mjs [rows ...]
 */
import { fork, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

if (process.argv[2] === 'service') {
  const { fakeKey, startFakeService } = await import('../dist/testing.js');
  const { url } = await startFakeService();
  process.send({ url, key: fakeKey });
} else {
  const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [100_000, 300_000, 1_000_000];
  console.log('| rows | batches | time | peak RSS | file of results |');
  console.log('| --: | --: | --: | --: | --: |');
  for (const rows of sizes) {
    // The fake keeps all files of its batches.
    const service = fork(fileURLToPath(import.meta.url), ['service'], { execArgv: ['--max-old-space-size=12000'] });
    const folder = mkdtempSync(join(tmpdir(), 'batch-rows-'));
    try {
      const { url, key } = await new Promise((resolve) => service.once('message', resolve));
      await pipeline(lines(rows), createWriteStream(join(folder, 'rows.jsonl')));
      const start = performance.now();
      const { code, peak } = await run(
        ['batches', 'run', 'rows.jsonl', '-O', 'out.jsonl', '--base-url', url, '--interval', '1s', '--quiet'],
        folder,
        key,
      );
      const seconds = (performance.now() - start) / 1000;
      if (code !== 0) throw new Error(`${rows} rows: exit code ${code}`);
      const size = statSync(join(folder, 'out.jsonl')).size;
      console.log(`| ${rows} | ${Math.ceil(rows / 50_000)} | ${seconds.toFixed(0)} s | ${peak.toFixed(0)} MB | ${(size / 1e6).toFixed(0)} MB |`);
    } finally {
      service.kill();
      rmSync(folder, { recursive: true });
    }
  }
}

function* lines(rows) {
  let text = '';
  for (let row = 0; row < rows; row++) {
    text += `${JSON.stringify({ custom_id: `row-${row}`, body: { model: 'glm-5.1', messages: [{ role: 'user', content: `Question ${row}` }] } })}\n`;
    if (row % 1000 < 999 && row < rows - 1) continue;
    yield text;
    text = '';
  }
}

/** The exit code of the program, and its peak of resident memory in MB. */
async function run(args, cwd, key) {
  const meter = "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));";
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(meter)}`, program, ...args], {
    cwd,
    env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: cwd, XDG_STATE_HOME: cwd, SVC_API_KEY: key },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  let text = '';
  child.stdio[3].on('data', (block) => (text += block));
  const code = await new Promise((resolve) => child.on('close', resolve));
  return { code, peak: Number(text) / 1024 };
}
