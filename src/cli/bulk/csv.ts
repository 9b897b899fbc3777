// A CSV or TSV with a header as rows of JSON: checked whole before its first row is used.
import { usageError } from '../errors/exit.ts';
import type { InputLine } from '../files/lines.ts';
import { maxTextBytes } from '../files/text.ts';
import { nearMiss } from '../table/near-miss.ts';
import type { RowSource } from './source.ts';

/** The table of a source. Throws a CliError that names the line, or the column of `needed` that the header lacks. Rows of a pipe are kept. */
export async function tableOf(source: RowSource, needed: readonly string[]): Promise<RowSource> {
  const kept: InputLine[] = [];
  let length = 0;
  for await (const row of rowsIn(source, needed)) {
    if (source.isRepeatable) continue;
    kept.push(row);
    length += row.text.length;
    if (length > maxTextBytes) throw usageError(`${source.place} is a table of more than ${maxTextBytes} characters`, 'Pass it as a file.');
  }
  const rows = async function* (): AsyncGenerator<InputLine, void, undefined> {
    yield* source.isRepeatable ? rowsIn(source, needed) : kept;
  };
  return { ...source, lines: rows, isTable: true };
}

async function* rowsIn({ place, lines }: RowSource, needed: readonly string[]): AsyncGenerator<InputLine> {
  let header: readonly string[] | undefined;
  for await (const { line, fields } of records(lines(), place)) {
    if (!header) {
      header = fields.map((name) => name.trim());
      checkHeader(header, `${place} line ${line}`, needed);
    } else if (fields.length !== header.length) {
      const count = `${fields.length} ${fields.length === 1 ? 'field' : 'fields'}`;
      throw usageError(
        `${place} line ${line} has ${count}; the header has ${header.length}`,
        'A field with a separator or a line end goes in quotes.',
      );
    } else yield { text: JSON.stringify(Object.fromEntries(header.map((name, at) => [name, fields[at]]))), isWhole: true };
  }
  if (!header) throw usageError(`${place} has no header`, 'Its first line names the columns.');
}

function checkHeader(header: readonly string[], place: string, needed: readonly string[]): void {
  const empty = header.indexOf('');
  if (empty >= 0) throw usageError(`${place}: column ${empty + 1} has no name`, 'The first line names the columns.');
  const twice = header.find((name, at) => header.indexOf(name) !== at);
  if (twice !== undefined) throw usageError(`${place} has the column ${JSON.stringify(twice)} twice`, 'Rename one.');
  const missing = needed.find((name) => name !== 'line' && !header.includes(name));
  if (missing === undefined) return;
  const near = nearMiss(missing, header);
  throw usageError(
    `${place} has no column {${missing}}${near === undefined ? '' : `; did you mean {${near}}?`}`,
    `Its columns are ${header.map((name) => `{${name}}`).join(', ')}.`,
  );
}

/** Records with the number of their first line, the header among them. Empty lines are skipped. */
export async function* records(lines: AsyncIterable<InputLine>, place: string): AsyncGenerator<{ readonly line: number; readonly fields: string[] }> {
  let separator: string | undefined;
  let fields: string[] = [];
  /** The field in quotes that the line before has left open. */
  let open: string[] | undefined;
  let [number, first, length] = [0, 1, 0];
  for await (const { text } of lines) {
    number++;
    const line = text.replace(/\r$/, '');
    if (!open) {
      [first, length, fields] = [number, 0, []];
      if (line === '') continue;
    }
    separator ??= separatorOf(place, line);
    length += text.length;
    if (length > maxTextBytes) break;
    for (let at = 0; ; at++) {
      if (!open && line[at] === '"') {
        open = [];
        at++;
      }
      if (open) {
        let end = line.indexOf('"', at);
        for (; end >= 0 && line[end + 1] === '"'; end = line.indexOf('"', at)) {
          open.push(line.slice(at, end + 1));
          at = end + 2;
        }
        if (end < 0) {
          open.push(`${text.slice(at)}\n`);
          break;
        }
        fields.push(open.join('') + line.slice(at, end));
        open = undefined;
        at = end + 1;
        if (at < line.length && line[at] !== separator)
          throw usageError(`${place} line ${number} has text after a closing quote`, 'A quote within a field in quotes is doubled.');
      } else {
        const end = line.indexOf(separator, at);
        fields.push(line.slice(at, end < 0 ? line.length : end));
        at = end < 0 ? line.length : end;
      }
      if (at >= line.length) break;
    }
    if (!open) yield { line: first, fields };
  }
  if (open) throw usageError(`${place} line ${first} opens a quote that is not closed`, 'A quote within a field in quotes is doubled.');
}

/** The separator of the header, outside of its quotes. */
function separatorOf(place: string, header: string): string {
  const names = header.replace(/"[^"]*"/g, '');
  return /\.tsv$/i.test(place) ? '\t' : ([',', '\t', ';'].find((one) => names.includes(one)) ?? ',');
}
