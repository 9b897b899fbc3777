/**
 * Runs the 25 checks of test/runtime/checks in the installed tarball on several versions of Node, which it installs from npm below
 * `node_modules/.cache`.
 *
 *     npm run test:node-versions                    the floor of package.json, 22.12.0, and the newest 22 and 24
 *     npm run test:node-versions -- 22.12.0         these versions
 *     npm run test:node-versions -- --write         also write the table into docs/versions.md
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tableRow } from '../generate/pages/table.ts';
import { checkInstalled, withInstalled } from './check-installed.ts';
import { floorOf, manifestOf, project, runNode } from './installed.ts';
import { installedPackages } from './installed-packages.ts';
import { writePart } from './rows.ts';

const isWindows = process.platform === 'win32';

/** The path of a Node of this version for this machine: the package `node-<platform>-<arch>` of npm. */
async function nodeOf(version: string): Promise<string> {
  const name = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;
  const folder = await installedPackages(join(project, 'node_modules/.cache/node-versions', version), [`${name}@${version}`]);
  return join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node');
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean', default: false } } });
const versions = positionals.length > 0 ? positionals : [floorOf(await manifestOf(project)), '22.12.0', '22', '24'];
const rows = [tableRow('Node', 'by `import`', 'by `require`'), tableRow('---', '---', '---')];
await withInstalled(async (app) => {
  for (const version of versions) {
    const node = await nodeOf(version);
    const outcomes = await checkInstalled(app, node);
    for (const problem of outcomes.flatMap(({ failed }) => failed)) {
      console.error(problem);
      process.exitCode = 1;
    }
    const cells = outcomes.map(({ passed, failed }) => (failed.length === 0 ? `${passed} checks passed` : 'failed'));
    rows.push(tableRow(await runNode(app, ['-p', 'process.versions.node'], node), ...cells));
  }
});
console.log(rows.join('\n'));
if (values.write) await writePart('docs/versions.md', 'node versions', rows.join('\n'));
