import { join } from 'node:path';
import type { Runtime } from './runtime.ts';

export const deno: Runtime = {
  name: 'deno',
  packages: ['deno@2'],
  async *run({ folder, results, version }) {
    const args = ['run', '--allow-net=127.0.0.1', '--allow-env', '--node-modules-dir=manual', '--no-prompt', 'cli.mjs'];
    yield { name: 'Deno', version: await version('deno'), results: await results(join(folder, 'node_modules/.bin/deno'), args) };
  },
};
