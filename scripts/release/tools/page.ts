/** The parts of bench/RESULTS-tools.md that a run writes. */
import { tableRow } from '../../generate/pages/table.ts';
import { inCell, writePart } from '../rows.ts';
import { columns, type Row } from './trial.ts';

export function rowText({ name, version, cells }: Row): string {
  if (typeof cells === 'string') return tableRow(name, version, 'not run', '', '', '', '');
  return tableRow(name, version, ...columns.map((column) => inCell(cells[column]?.text ?? 'FAILED: not reached')));
}

export function isFailed({ cells }: Row): boolean {
  return typeof cells !== 'string' && columns.some((column) => cells[column]?.ok !== true);
}

export async function writePage(rows: readonly Row[], date: string): Promise<void> {
  const item = (name: string, text: string): string => `- **${name}**: ${text}`;
  const refused = rows.filter(({ hasRefusedTools }) => hasRefusedTools).map(({ name }) => name);
  const parts: Readonly<Record<string, readonly string[]>> = {
    tools: [
      `Date of the run: ${date}.`,
      '',
      tableRow('tool', 'version', ...columns),
      `|---|---|${columns.map(() => '---').join('|')}|`,
      ...rows.map(rowText),
    ],
    'tools not run': rows.flatMap(({ name, cells }) => (typeof cells === 'string' ? [item(name, `${cells}.`)] : [])),
    'traces of tools': rows.flatMap(({ name, traces }) => (traces.length > 0 ? [item(name, traces.map((file) => `\`${file}\``).join(', '))] : [])),
    'notes on tools': rows.flatMap(({ name, cells, note }) => (typeof cells === 'string' || note === undefined ? [] : [item(name, `${note}.`)])),
    'refused tools': [`${refused.join(', ')}.`],
  };
  for (const [name, lines] of Object.entries(parts)) await writePart('bench/RESULTS-tools.md', name, lines.join('\n'));
}
