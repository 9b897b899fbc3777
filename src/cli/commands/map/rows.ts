// The source of `map`: the rows, each line with its question.
import { createHash } from 'node:crypto';
import { tableOf } from '../../bulk/csv.ts';
import type { OutputFile } from '../../bulk/results.ts';
import { linesFrom, type RowSource } from '../../bulk/source.ts';
import type { Cli } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { InputLine } from '../../files/lines.ts';
import { type Input, textOrFile } from '../../input/input.ts';
import { nearMiss } from '../../table/near-miss.ts';
import { type AnswerOptions, answerOptionsOf, chosenModel, defaultModel, type Question } from '../../talk/question.ts';
import { chatRequest, chatSurface } from '../../talk/surfaces/chat.ts';
import { checkOutput, checkStdout } from '../../transfer/output-is-input.ts';
import { RowProblem, type Template, templateOf } from './template.ts';

/** The questions of a run. */
export interface MapSource {
  /** The template as it was given. */
  readonly text: string;
  readonly template: Template;
  readonly rows: RowSource;
  /** The options of every question. */
  readonly options: AnswerOptions;
}

export async function sourceOf(cli: Cli, input: Input): Promise<MapSource> {
  const text = await textOrFile('TEMPLATE', input.arg(0), () => cli.screen.stdinText());
  const template = templateOf(text);
  const out = input.text('out');
  if (out === undefined) checkStdout(input);
  else checkOutput(input, out);
  const lines = await linesFrom(cli.screen, input.args[1] ?? '-', 'there are no rows');
  const namesColumn = template.names.some((name) => name !== 'line');
  if (input.flag('csv') && !namesColumn) throw usageError('--csv: TEMPLATE names no column', 'Write {name} for a column, or leave --csv out.');
  const isTable = namesColumn && (input.flag('csv') || /\.[ct]sv$/i.test(lines.place));
  const rows = isTable ? await tableOf(lines, template.names) : lines;
  const options = await answerOptionsOf(cli, input, chosenModel(cli, input) ?? defaultModel(cli));
  return { text, template, rows, options };
}

export interface MapRow {
  readonly index: number;
  readonly hash: string;
  /** Undefined for a row that does not fit the template. */
  readonly question: Question | undefined;
  readonly problem?: string;
}

/**
 * Throws for a field of the template that no row has. Rows of a pipe can be read only once, so of these the first decides, and only if it is not JSON.
 * Yields the lines.
 */
async function* fittingLines({ lines, isRepeatable }: RowSource, template: Template): AsyncGenerator<InputLine> {
  if (isRepeatable) await checkFields(lines(), template);
  let isFirst = !isRepeatable;
  for await (const line of lines()) {
    if (isFirst && line.text.trim() !== '') {
      isFirst = false;
      const { missing, fields } = template.fit(line.text);
      if (fields.length === 1 && missing.length > 0) throw fieldProblem(missing, fields);
    }
    yield line;
  }
}

async function checkFields(lines: AsyncIterable<InputLine>, template: Template): Promise<void> {
  let open: readonly string[] | undefined;
  let first: readonly string[] = [];
  for await (const { text } of lines) {
    if (text.trim() === '') continue;
    const { missing, fields } = template.fit(text);
    if (!open) first = fields;
    open = (open ?? missing).filter((name) => missing.includes(name));
    if (open.length === 0) return;
  }
  if (open) throw fieldProblem(open, first);
}

function fieldProblem(missing: readonly string[], fields: readonly string[]): Error {
  const [name = ''] = missing;
  const near = nearMiss(name, fields);
  const known =
    fields.length === 1
      ? 'The rows are text: write {line}, or pass --csv for a table with a header.'
      : `The first row has ${fields.map((field) => `{${field}}`).join(', ')}.`;
  return usageError(`TEMPLATE: no row has {${name}}${near === undefined ? '' : `; did you mean {${near}}?`}`, known);
}

/** The number of rows, blank lines left out. Undefined if the work is over before, or if the source cannot be read: the run reports that. */
export async function countRows({ lines }: RowSource, isOver: () => boolean): Promise<number | undefined> {
  let count = 0;
  try {
    for await (const { text } of lines()) {
      if (isOver()) return undefined;
      if (text.trim() !== '') count++;
    }
    return count;
  } catch {
    return undefined;
  }
}

/** The rows that have no answer yet. Throws for a row whose result in `stored` belongs to another request: for a table, before the first row. */
export async function* rowsOf(source: MapSource, stored: StoredRows): AsyncGenerator<MapRow> {
  if (source.rows.isTable && stored.done.size > 0) for await (const row of allRows(source)) isAnswered(row, stored);
  for await (const row of allRows(source)) {
    if (isAnswered(row, stored)) stored.skip();
    else yield row;
  }
}

async function* allRows({ rows, template, options }: MapSource): AsyncGenerator<MapRow> {
  let index = -1;
  for await (const { text } of fittingLines(rows, template)) {
    index++;
    const line = (index === 0 ? text.replace(/^\ufeff/, '') : text).replace(/\r$/, '');
    if (line.trim() !== '') yield rowOf(index, line, template, options);
  }
}

function rowOf(index: number, line: string, template: Template, options: AnswerOptions): MapRow {
  try {
    const question = { ...options, messages: [chatSurface.userMessage(template.render(line), [])] };
    // Other models to ask are a part of the question.
    const others = options.fallback.length > 0 ? JSON.stringify(options.fallback) : '';
    return { index, hash: hashOf(JSON.stringify(chatRequest(question)) + others), question };
  } catch (error) {
    if (!(error instanceof RowProblem)) throw error;
    return { index, hash: hashOf(line), question: undefined, problem: error.message };
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The answered rows of the results. */
export interface StoredRows {
  /** Hashes by index. */
  readonly done: ReadonlyMap<number, string>;
  readonly place: OutputFile | undefined;
  /** Called for each row that has its answer. */
  skip(): void;
}

function isAnswered({ index, hash }: MapRow, { done, place }: StoredRows): boolean {
  const found = done.get(index);
  if (found === undefined || found === hash) return found !== undefined;
  const startOver = place?.isNew ? `delete ${place.name}` : 'start over with --force';
  throw usageError(
    `-O: ${place?.name} has the result of another question for row ${index}`,
    `Pass another file, or ${startOver}. Template, rows, model and options must stay the same.`,
  );
}
