// Tables for terminals, with the columns aligned for wide characters too. Loaded when a table is printed.
import Table from 'cli-table3';
import type { Paint } from './terminal.ts';

const noBorders = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((name) => [name, '']),
);

export function table(titles: readonly string[], rows: readonly (readonly string[])[], paint: Paint): string {
  const made = new Table({
    head: titles.map((title) => paint('bold', title)),
    chars: { ...noBorders, middle: '  ' },
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
  });
  for (const row of rows) made.push([...row]);
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
