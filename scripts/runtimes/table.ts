/** The table of docs/runtimes.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Row, root } from './runtime.ts';

const begin = '<!-- table: npm run test:runtimes -->\n';
const end = '<!-- end of table -->';

/** Why a row fails; empty if each check passed or cannot apply, or if this machine cannot run it. */
export function failures({ results, notApplicable = {} }: Row): string[] {
  if (typeof results === 'string') return [];
  return results.filter(({ ok, name }) => !ok && notApplicable[name] === undefined).map(({ name, detail }) => `${name}: ${detail}`);
}

export function rowText(row: Row): string {
  const { name, version, results, notApplicable = {} } = row;
  if (typeof results === 'string') return `| ${name} | ${version} | not run | ${inCell(results)} |`;
  const passed = results.filter(({ ok }) => ok);
  const absent = results.filter((result) => !result.ok && notApplicable[result.name] !== undefined);
  const notes = [...absent.map((result) => `${result.name}: ${notApplicable[result.name]}`), ...failures(row).map((text) => `FAILED ${text}`)];
  return `| ${name} | ${version} | ${passed.length}/${results.length} | ${inCell(notes.join('; '))} |`;
}

export async function writeTable(rows: readonly Row[]): Promise<void> {
  const path = join(root, 'docs/runtimes.md');
  const page = await readFile(path, 'utf8');
  const [before = '', rest = ''] = page.split(begin);
  const table = ['| runtime | version | checks passed | notes |', '|---|---|---|---|', ...rows.map(rowText)].join('\n');
  await writeFile(path, `${before}${begin}${table}\n${end}${rest.split(end)[1] ?? ''}`);
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').slice(0, 1000);
}
