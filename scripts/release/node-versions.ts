/**
 * Runs the smoke program from the packed tarball on several versions of Node, which it installs from npm below `node_modules/.cache`.
 *
 *     npm run test:node-versions                    the floor of package.json, 22.12.0, and the newest 22 and 24
 *     npm run test:node-versions -- 22.12.0         these versions
 *     npm run test:node-versions -- --write         also write the table into docs/versions.md
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installTarball, manifestOf, project, runNode, smoke } from './installed.ts';
import { kept } from './kept.ts';
import { floorOf, tableOf } from './node-table.ts';
import { writePart } from './rows.ts';

const isWindows = process.platform === 'win32';

/** The path of a Node of this version for this machine: the package `node-<platform>-<arch>` of npm. */
async function nodeOf(version: string): Promise<string> {
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const folder = await kept(join(project, 'node_modules/.cache/node-versions', version), [`${name}@${version}`]);
  return join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
}

async function outcomeOf(app: string, how: 'import' | 'require', node: string): Promise<string> {
  try {
    return `${(await smoke(app, how, node)).length} parts passed`;
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    return 'failed';
  }
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean', default: false } } });
const versions = positionals.length > 0 ? positionals : [floorOf(await manifestOf(project)), '22.12.0', '22', '24'];
const folder = await mkdtemp(join(tmpdir(), 'node-versions-'));
try {
  const { app } = await installTarball(folder);
  const rows: string[][] = [];
  for (const version of versions) {
    const node = await nodeOf(version);
    rows.push([
      await runNode(app, ['-p', 'process.versions.node'], node),
      await outcomeOf(app, 'import', node),
      await outcomeOf(app, 'require', node),
    ]);
  }
  const table = tableOf(rows);
  console.log(table);
  if (values.write) await writePart('docs/versions.md', 'node versions', table);
} finally {
  await rm(folder, { recursive: true });
}
