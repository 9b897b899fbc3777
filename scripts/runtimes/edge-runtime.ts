/** The simulator of Vercel's edge functions. */
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Runtime } from './runtime.ts';

const program = `import { readFileSync } from 'node:fs';
import { EdgeRuntime } from 'edge-runtime';
const runtime = new EdgeRuntime({ initialCode: readFileSync('worker.js', 'utf8') });
const response = await runtime.dispatchFetch('http://worker/', { method: 'POST', body: process.env.PLACES });
console.log('RESULTS ' + (await response.text()));
process.exit();
`;

export const edgeRuntime: Runtime = {
  name: 'edge-runtime',
  packages: ['edge-runtime@4'],
  async *run({ folder, write, results, version }) {
    const worker = `import worker from './worker.mjs';
addEventListener('fetch', (event) => event.respondWith(worker.fetch(event.request)));`;
    await build({
      stdin: { contents: worker, resolveDir: folder },
      bundle: true,
      format: 'iife',
      platform: 'neutral',
      target: 'es2022',
      conditions: ['edge-light', 'worker', 'browser'],
      mainFields: ['browser', 'module', 'main'],
      outfile: join(folder, 'worker.js'),
      logLevel: 'warning',
    });
    await write('simulator.mjs', program);
    yield { name: 'edge-runtime', version: await version('edge-runtime'), results: await results(process.execPath, ['simulator.mjs']) };
  },
};
