/**
 * `npm run test:runtimes`: run the 25 checks of test/runtime/checks in every runtime, on the packed package, and write the table of
 * docs/runtimes.md. `npm run test:runtimes -- bun deno` runs some, prints their rows and writes no table.
 */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from './installed.ts';
import { runTable, writePart } from './rows.ts';
import { bundlers } from './runtimes/bundlers.ts';
import { chromium } from './runtimes/chromium.ts';
import { directs } from './runtimes/direct.ts';
import { next } from './runtimes/next.ts';
import { openApp } from './runtimes/runtime.ts';
import { startService } from './runtimes/service.ts';
import { simulators } from './runtimes/simulators.ts';
import { failures, rowText, tableOf } from './runtimes/table.ts';
import { jest, vitest } from './runtimes/test-runners.ts';
import { workerd } from './runtimes/workerd.ts';

// Outside the source tree: bundlers and test runners treat files below node_modules differently.
const cache = join(tmpdir(), 'modelsvc-runtimes');
await mkdir(cache, { recursive: true });
const { tarball } = await pack(cache);
const service = await startService();
await runTable({
  kind: 'runtime',
  parts: [...directs, workerd, ...simulators, chromium, ...next, ...bundlers, jest, vitest],
  nameOf: ({ name }) => name,
  async *run({ name, packages, run }) {
    try {
      yield* run(await openApp(join(cache, name), packages, tarball, service));
    } catch (error) {
      yield { name, version: '', results: [{ name: 'start', ok: false, detail: String(error) }] };
    }
  },
  text: rowText,
  isFailed: (row) => failures(row).length > 0,
  write: (rows) => writePart('docs/runtimes.md', 'runtimes', tableOf(rows)),
});
await service.close();
