// Text of usage, of plans that count tokens and of those that count credits.
import type { Column, Output } from '../../terminal/output.ts';
import { cellText } from '../../terminal/reply.ts';
import { table } from '../../terminal/table-text.ts';
import type { ToolRow } from './rows.ts';

/** A table below the lines of an overview, with a blank line before it. */
export function partText<T>(output: Output, rows: readonly T[], columns: readonly Column<T>[]): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => columns.map(({ text }) => output.clean(cellText(text(row)))));
  return ['', table(columns, cells, output.paint, output.width).text];
}

export function grouped(number: unknown, text = (value: number): string => value.toLocaleString('en-US')): string {
  if (typeof number !== 'number') return cellText(number) || 'an unknown number of';
  return Number.isFinite(number) && number >= 0 ? text(number) : 'an unknown number of';
}

export const toolColumns: readonly Column<ToolRow>[] = [
  { title: 'TOOL', text: ({ tool }) => tool },
  { title: 'CALLS', text: ({ calls }) => calls },
];
