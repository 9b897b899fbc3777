/** The table of docs/runtimes.md. */
import { tableRow } from '../../generate/pages/table.ts';
import { inCell } from '../rows.ts';
import type { Row } from './runtime.ts';

/** Why a row fails; empty if each check passed or cannot apply, or if this machine cannot run it. */
export function failures({ results, notApplicable = {} }: Row): string[] {
  if (typeof results === 'string') return [];
  return results.filter(({ ok, name }) => !ok && notApplicable[name] === undefined).map(({ name, detail }) => `${name}: ${detail}`);
}

export function rowText(row: Row): string {
  const { name, version, results, notApplicable = {} } = row;
  if (typeof results === 'string') return tableRow(name, version, 'not run', inCell(results));
  const passed = results.filter(({ ok }) => ok);
  const absent = results.filter((result) => !result.ok && notApplicable[result.name] !== undefined);
  const notes = [...absent.map((result) => `${result.name}: ${notApplicable[result.name]}`), ...failures(row).map((text) => `FAILED ${text}`)];
  return tableRow(name, version, `${passed.length}/${results.length}`, inCell(notes.join('; ')));
}

export function tableOf(rows: readonly Row[]): string {
  return ['| runtime | version | checks passed | notes |', '|---|---|---|---|', ...rows.map(rowText)].join('\n');
}
