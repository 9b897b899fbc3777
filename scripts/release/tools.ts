/**
 * `npm run test:tools`: wire the real programs of coding tools to the fake service, each in a throw-away home, and write bench/RESULTS-tools.md.
 * `npm run test:tools -- codex pi` runs some, prints their rows and writes no page.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolNamed } from '../../src/cli/coding/tools/index.ts';
import { runTable } from './rows.ts';
import { startFront } from './tools/front.ts';
import { install } from './tools/install.ts';
import { isFailed, rowText, writePage } from './tools/page.ts';
import { absentPrograms, programs } from './tools/programs.ts';
import { type Row, trial } from './tools/trial.ts';

// Outside the source tree, so that no program takes it for the project.
const cache = join(tmpdir(), 'modelsvc-tools');
const front = await startFront();
await runTable({
  kind: 'tool',
  parts: programs,
  nameOf: ({ id }) => id,
  async *run(program) {
    const { id, packages, note } = program;
    const installed = await install(cache, program).catch((error: unknown) => {
      console.error(String(error).slice(-1000));
      return `\`${packages.join(', ')}\` does not install from the npm registry${note === undefined ? '' : `: ${note}`}`;
    });
    yield typeof installed === 'string' ? notRun(id, installed) : await trial(program, installed, front);
  },
  text: rowText,
  isFailed,
  write: (rows) => {
    const absent = absentPrograms.map((id) => notRun(id, 'no package of its vendor is in the npm registry'));
    return writePage([...rows, ...absent], new Date().toISOString().slice(0, 10));
  },
});
await front.close();

function notRun(id: string, reason: string): Row {
  return { id, name: toolNamed(id).name, version: '', cells: reason, traces: [], hasRefusedTools: false };
}
