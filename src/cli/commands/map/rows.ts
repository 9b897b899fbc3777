// The rows of `map`: each line with its question.
import { createHash } from 'node:crypto';
import type { OutputFile } from '../../bulk/results.ts';
import type { RowSource } from '../../bulk/source.ts';
import { usageError } from '../../errors/exit.ts';
import type { InputLine } from '../../files/lines.ts';
import { nearMiss } from '../../table/near-miss.ts';
import type { AnswerOptions, Question } from '../../talk/question.ts';
import { chatRequest, chatSurface } from '../../talk/surfaces/chat.ts';
import { RowProblem, type Template } from './template.ts';

export interface MapRow {
  readonly index: number;
  readonly hash: string;
  /** True if the results have its answer already. */
  readonly isAnswered: boolean;
  /** Undefined for a row that does not fit the template. */
  readonly question: Question | undefined;
  readonly problem?: string;
}

/**
 * Throws for a field of the template that no row has. Rows of a pipe can be read only once, so of these the first decides, and only if it is no JSON.
 * Yields the lines.
 */
export async function* fittingLines({ lines, isRepeatable }: RowSource, template: Template): AsyncGenerator<InputLine> {
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
  const known = fields.length === 1 ? 'The rows are text: write {line}.' : `The first row has ${fields.map((field) => `{${field}}`).join(', ')}.`;
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

/** Throws for a row whose result in `stored` is that of another request. */
export async function* rowsOf(
  lines: AsyncIterable<InputLine>,
  template: Template,
  options: AnswerOptions,
  stored: StoredRows,
): AsyncGenerator<MapRow> {
  const rowOf = (row: Omit<MapRow, 'isAnswered'>): MapRow => ({ ...row, isAnswered: isAnswered(row, stored) });
  let index = -1;
  for await (const { text } of lines) {
    index++;
    const line = (index === 0 ? text.replace(/^\ufeff/, '') : text).replace(/\r$/, '');
    if (line.trim() === '') continue;
    try {
      const question = { ...options, messages: [chatSurface.userMessage(template.render(line), [])] };
      const { fallback } = options;
      const others = fallback.length > 0 ? JSON.stringify(fallback) : '';
      yield rowOf({ index, hash: hashOf(JSON.stringify(chatRequest(question)) + others), question });
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      yield rowOf({ index, hash: hashOf(line), question: undefined, problem: error.message });
    }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The answered rows of the results. */
interface StoredRows {
  readonly done: ReadonlyMap<number, string>;
  readonly place: OutputFile | undefined;
}

function isAnswered({ index, hash }: Pick<MapRow, 'index' | 'hash'>, { done, place }: StoredRows): boolean {
  const found = done.get(index);
  if (found === undefined || found === hash) return found !== undefined;
  const startOver = place?.isNew ? `delete ${place.name}` : 'start over with --force';
  throw usageError(
    `-O: ${place?.name} has the result of another question for row ${index}`,
    `Pass another file, or ${startOver}. Template, rows, model and options must stay the same.`,
  );
}
