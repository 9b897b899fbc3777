/**
 * `npm run test:runtimes`: run the 25 checks of test/runtime/checks in every runtime, on the packed package, and write the table of
 * docs/runtimes.md. `npm run test:runtimes -- bun deno` runs some, prints their rows and writes no table.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bun } from './runtimes/bun.ts';
import { bundlers } from './runtimes/bundlers.ts';
import { chromium } from './runtimes/chromium.ts';
import { deno } from './runtimes/deno.ts';
import { edgeRuntime } from './runtimes/edge-runtime.ts';
import { miniflare } from './runtimes/miniflare.ts';
import { next } from './runtimes/next.ts';
import { nodes } from './runtimes/node.ts';
import { openApp, pack, type Row, type Runtime } from './runtimes/runtime.ts';
import { startService } from './runtimes/service.ts';
import { failures, rowText, writeTable } from './runtimes/table.ts';
import { jest, vitest } from './runtimes/test-runners.ts';
import { workerd } from './runtimes/workerd.ts';

const runtimes: readonly Runtime[] = [...nodes, bun, deno, workerd, miniflare, edgeRuntime, chromium, ...next, ...bundlers, jest, vitest];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !runtimes.some((runtime) => runtime.name === name));
if (unknown.length > 0) throw new Error(`unknown runtime ${unknown.join(', ')}; use ${runtimes.map(({ name }) => name).join(', ')}`);

// Outside the source tree: bundlers and test runners treat files below node_modules differently.
const cache = join(tmpdir(), 'modelsvc-runtimes');
await mkdir(cache, { recursive: true });
const tarball = await pack(cache);
const service = await startService();
const rows: Row[] = [];
const add = (row: Row): void => {
  rows.push(row);
  console.log(rowText(row));
};
for (const { name, packages, run } of runtimes.filter((runtime) => names.length === 0 || names.includes(runtime.name))) {
  try {
    for await (const row of run(await openApp(join(cache, name), packages, tarball, service))) add(row);
  } catch (error) {
    add({ name, version: '', results: [{ name: 'start', ok: false, detail: String(error) }] });
  }
}
await service.close();
if (names.length === 0) await writeTable(rows);
if (rows.some((row) => failures(row).length > 0)) process.exitCode = 1;
