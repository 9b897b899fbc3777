import { join } from 'node:path';
import type { Runtime } from './runtime.ts';

export const bun: Runtime = {
  name: 'bun',
  packages: ['bun@1'],
  async *run({ folder, results, version }) {
    yield { name: 'Bun', version: await version('bun'), results: await results(join(folder, 'node_modules/.bin/bun'), ['cli.mjs']) };
  },
};
