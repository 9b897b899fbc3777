// A table of an answer, with its text broken into lines within the columns.
import { Lexer, type Token, type Tokens } from 'marked';
import { shared } from '../table-text.ts';
import type { Paint } from '../terminal.ts';
import { widthOf } from '../width.ts';
import { Wrapper } from '../wrap.ts';
import { type Span, spansOf } from './inline.ts';

const bar = ' │ ';
/** With less room for a column, the lines of the source are easier to read. */
const narrowest = 6;
/** A longer row is data. */
const longestRow = 2000;

/** The lines of a table, or undefined if the source is not a table, or is too wide. */
export function tableLines(source: readonly string[], paint: Paint, width: number): string[] | undefined {
  if (source.some((line) => line.length > longestRow)) return undefined;
  const table = Lexer.lex(source.join('\n')).find(isTable);
  if (!table || table.rows.length + 2 !== source.length) return undefined;
  // Cells beyond the head's would be lost.
  if (source.some((line) => line.trim().split(/(?<!\\)\|/).length > table.header.length + 2)) return undefined;
  const wanted = table.header.map((cell, at) => Math.max(...[cell, ...table.rows.map((row) => row[at])].map((one) => widthOf(plainText(one)))));
  const room = width - bar.length * (wanted.length - 1);
  if (room < wanted.reduce((sum, one) => sum + Math.min(one, narrowest), 0)) return undefined;
  const widths = shared(wanted, room);
  const rowLines = (cells: readonly Tokens.TableCell[], isHead: boolean): string[] => {
    const columns = widths.map((one, at) => cellLines(spansOf(cells[at]?.tokens ?? [], isHead ? ['bold'] : []), one, paint));
    const height = Math.max(...columns.map((lines) => lines.length));
    return Array.from({ length: height }, (_, row) =>
      columns
        .map((lines, at) => aligned(lines[row] ?? '', widths[at] ?? 0, cells[at]?.align ?? null))
        .join(paint('dim', bar))
        .trimEnd(),
    );
  };
  const rule = paint('dim', widths.map((one) => '─'.repeat(one)).join('─┼─'));
  return [...rowLines(table.header, true), rule, ...table.rows.flatMap((row) => rowLines(row, false))];
}

function isTable(token: Token): token is Tokens.Table {
  return token.type === 'table';
}

function plainText(cell: Tokens.TableCell | undefined): string {
  return spansOf(cell?.tokens ?? [])
    .map(({ text }) => text)
    .join('');
}

function cellLines(spans: readonly Span[], width: number, paint: Paint): string[] {
  const wrapper = new Wrapper(paint, () => width, true);
  return (wrapper.open('', '') + wrapper.add(spans) + wrapper.close()).split('\n');
}

function aligned(text: string, width: number, align: 'left' | 'right' | 'center' | null): string {
  const room = Math.max(0, width - widthOf(text));
  const left = align === 'right' ? room : align === 'center' ? room >> 1 : 0;
  return ' '.repeat(left) + text + ' '.repeat(room - left);
}
