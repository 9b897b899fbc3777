/**
 * `npm run test:tools`: wire the real programs of coding tools to the fake service, each in a throw-away home, and write docs/tools.md.
 * `npm run test:tools -- codex pi` runs some, prints their rows and writes no page.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolNamed } from '../src/cli/coding/tools/index.ts';
import { startFront } from './tools/front.ts';
import { type Installed, install } from './tools/install.ts';
import { isFailed, rowText, writePage } from './tools/page.ts';
import { absentPrograms, type Program, programs } from './tools/programs.ts';
import { type Row, trial } from './tools/trial.ts';

const ids = process.argv.slice(2);
const unknown = ids.filter((id) => !programs.some((program) => program.id === id));
if (unknown.length > 0) throw new Error(`unknown tool ${unknown.join(', ')}; use ${programs.map(({ id }) => id).join(', ')}`);

// Outside the source tree, so that no program takes it for the project.
const cache = join(tmpdir(), 'modelsvc-tools');
const front = await startFront();
const rows: Row[] = [];
for (const program of programs.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
  const installed = await installedOrReason(program);
  const row = typeof installed === 'string' ? notRun(program.id, installed) : await trial(program, installed, front);
  rows.push(row);
  console.log(rowText(row));
}
await front.close();
if (ids.length === 0) {
  rows.push(...absentPrograms.map((id) => notRun(id, 'no package of its vendor is in the npm registry')));
  await writePage(rows, new Date().toISOString().slice(0, 10));
}
if (rows.some(isFailed)) process.exitCode = 1;

async function installedOrReason(program: Program): Promise<Installed | string> {
  try {
    return await install(cache, program);
  } catch (error) {
    console.error(String(error).slice(-1000));
    return `\`${program.packages.join(', ')}\` does not install from the npm registry${program.note === undefined ? '' : `: ${program.note}`}`;
  }
}

function notRun(id: string, reason: string): Row {
  return { id, name: toolNamed(id).name, version: '', cells: reason, traces: [], hasRefusedTools: false };
}
