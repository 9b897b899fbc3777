import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { faults, startFakeService } from '../../src/testing/index.ts';

/** The runtime's binary: 150 MB that are not installed for everyone. `npm install workerd` in another folder has it. */
const workerd = process.env['WORKERD'] ?? '';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Runs the worker; gives what it answers to a Config. */
async function startWorker(compatibilityDate: string): Promise<(config: object) => Promise<unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await build({
    entryPoints: [path('worker.mjs')],
    alias: { modelsvc: path('../../src/overlay/index.ts'), '#proxy': path('../../src/proxy/none.ts') },
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    outfile: join(folder, 'worker.js'),
    logLevel: 'silent',
  });
  writeFileSync(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["private", "local"]))],
       sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
     );
     const worker :Workerd.Worker = (
       modules = [(name = "worker", esModule = embed "worker.js")],
       compatibilityDate = "${compatibilityDate}", compatibilityFlags = ["nodejs_compat"]
     );`,
  );
  const child = spawn(workerd, ['serve', '--control-fd=3', join(folder, 'config.capnp')], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill());
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject).once('exit', () => reject(new Error('workerd ended')));
    let events = '';
    (child.stdio[3] as Readable).on('data', (block) => {
      events += String(block);
      const listening = /"event":"listen".*?"port":(\d+)/.exec(events)?.[1];
      if (listening !== undefined) resolve(Number(listening));
    });
  });
  return async (config) => (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: JSON.stringify(config) })).json();
}

test.skipIf(workerd === '')(
  'in workerd, set WORKERD to its binary: calls go by fetch, and a slow one is sent once',
  { timeout: 60_000 },
  async () => {
    // The newest date that the binary takes is its version.
    const newest = /\d{4}-\d\d-\d\d/.exec(execFileSync(workerd, ['--version'], { encoding: 'utf8' }))?.[0] ?? '';
    const fake = await startFakeService();
    onTestFinished(() => fake.close());
    const call = await startWorker(newest);
    const { baseURL } = fake.configFor();
    fake.answer('chat.create', { turn: { text: ['hello'] } });
    expect(await call({ baseURL })).toEqual({ fetches: 1, content: 'hello' });
    fake.reset();
    fake.fallback('chat.create', faults.silentBeforeHeaders());
    expect(await call({ baseURL, timeout: 300 })).toMatchObject({ fetches: 1, kind: 'timeout', attempts: 1 });
    expect(fake.requests).toHaveLength(1);
  },
);
