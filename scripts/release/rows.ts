/** A program whose parts are on the command line by name, and the pages that programs write. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withPart } from '../generate/pages/page-parts.ts';
import { project } from './installed.ts';

export interface Table<Part, Row> {
  /** For the refusal of an unknown name. */
  readonly kind: string;
  readonly parts: readonly Part[];
  readonly nameOf: (part: Part) => string;
  readonly run: (part: Part) => AsyncIterable<Row>;
  readonly text: (row: Row) => string;
  readonly isFailed: (row: Row) => boolean;
  /** Writes the page. */
  readonly write: (rows: Row[]) => Promise<void>;
}

/** Runs the named parts and prints their rows. Without names it runs all, and writes the page. A failed row makes the exit code 1. */
export async function runTable<Part, Row>({ kind, parts, nameOf, run, text, isFailed, write }: Table<Part, Row>): Promise<void> {
  const names = process.argv.slice(2);
  const known = parts.map(nameOf);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`unknown ${kind} ${unknown.join(', ')}; use ${known.join(', ')}`);
  const rows: Row[] = [];
  for (const part of parts.filter((one) => names.length === 0 || names.includes(nameOf(one))))
    for await (const row of run(part)) {
      rows.push(row);
      console.log(text(row));
    }
  if (names.length === 0) await write(rows);
  if (rows.some(isFailed)) process.exitCode = 1;
}

/** A text of any length as the cell of a table. */
export function inCell(text: string): string {
  return text.replaceAll('\n', ' ').slice(0, 1000);
}

/** Writes the part of a page between its markers. */
export async function writePart(page: string, name: string, text: string): Promise<void> {
  const path = join(project, page);
  await writeFile(path, withPart(page, await readFile(path, 'utf8'), name, text));
}
