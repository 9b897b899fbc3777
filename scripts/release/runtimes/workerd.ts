/** Cloudflare's runtime, with several compatibility dates, with and without Node's names. */
import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type BuildOptions, build } from 'esbuild';
import type { Result } from '../../../test/runtime/checks/index.ts';
import type { App, Runtime } from './runtime.ts';

export const workerd: Runtime = {
  name: 'workerd',
  packages: ['workerd@1'],
  async *run(app) {
    const binary = join(app.folder, 'node_modules/.bin/workerd');
    // The newest date that the binary takes is its version.
    const newest = /\d{4}-\d\d-\d\d/.exec(execFileSync(binary, ['--version'], { encoding: 'utf8' }))?.[0] ?? '';
    await bundleWorker(app.folder, { entryPoints: [join(app.folder, 'worker.mjs')] });
    // The newest dates have Node's names unless they are refused.
    const variants = [
      [newest, []],
      [newest, ['no_nodejs_compat']],
      ['2025-09-01', ['nodejs_compat']],
      ['2024-09-23', ['nodejs_compat']],
      ['2024-09-23', []],
    ] as const;
    for (const [date, flags] of variants)
      yield {
        name: ['workerd', ...flags].join(', '),
        version: `${await app.version('workerd')}, date ${date}`,
        results: await checkedIn(app, binary, date, flags),
      };
  },
};

/** Bundles a worker into `worker.js`, as wrangler does where `own` has no other options. */
export function bundleWorker(folder: string, own: BuildOptions): Promise<unknown> {
  return build({
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['browser', 'module', 'main'],
    outfile: join(folder, 'worker.js'),
    logLevel: 'warning',
    ...own,
  });
}

async function checkedIn({ folder, write, service }: App, binary: string, date: string, flags: readonly string[]): Promise<Result[]> {
  const config = await write(
    'config.capnp',
    `using Workerd = import "/workerd/workerd.capnp";
     const config :Workerd.Config = (
       services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["private", "local"]))],
       sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
     );
     const worker :Workerd.Worker = (
       modules = [(name = "worker", esModule = embed "worker.js")],
       compatibilityDate = "${date}", compatibilityFlags = ${JSON.stringify(flags)}
     );`,
  );
  const child = spawn(binary, ['serve', '--control-fd=3', config], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
  try {
    const port = await new Promise<string>((resolve, reject) => {
      child.once('error', reject).once('exit', () => reject(new Error('workerd ended')));
      let events = '';
      (child.stdio[3] as Readable).on('data', (block) => {
        events += String(block);
        const listening = /"event":"listen".*?"port":(\d+)/.exec(events)?.[1];
        if (listening !== undefined) resolve(listening);
      });
    });
    return await askedFor(`http://127.0.0.1:${port}`, service.places);
  } finally {
    child.kill();
  }
}

/** The results that a server returns for these places. */
export async function askedFor(url: string, places: object): Promise<Result[]> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(places) });
  if (!response.ok) throw new Error(`status ${response.status}: ${(await response.text()).slice(0, 2000)}`);
  return (await response.json()) as Result[];
}
