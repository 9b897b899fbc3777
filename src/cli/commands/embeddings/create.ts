import { isModelsvcError } from 'modelsvc';
import type { EmbeddingResponse } from 'modelsvc/types';
import type { Cli, Handler } from '../../cli.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { jsonValue } from '../../files/json.ts';
import { readText } from '../../files/text.ts';
import type { Input } from '../../input/input.ts';
import type { Screen } from '../../terminal/screen.ts';
import { linesOf } from '../../transfer/texts.ts';

/** Maximum texts of one request. */
const batchSize = 64;

interface TextInput {
  /** Where the user finds the text, for messages. */
  readonly place: string;
  readonly id?: unknown;
  readonly text: string;
}

interface VectorRow {
  readonly id?: unknown;
  readonly index: number;
  readonly embedding: readonly number[];
}

export const run: Handler = async (cli, input) => {
  const entries = await entriesOf(cli.screen, input);
  const client = await cli.make.client();
  const replies: EmbeddingResponse[] = [];
  const rows: VectorRow[] = [];
  const lost: string[] = [];
  let [made, tokens] = [0, 0];
  const progress = cli.screen.progress();
  const printAll = async (): Promise<void> => {
    if (replies.length > 0) await cli.screen.result({ ...replies[0], data: rows, usage: { total_tokens: totalOf(replies) } }, () => '');
  };
  try {
    for (let start = 0; start < entries.length; start += batchSize) {
      progress.show(`${start} of ${entries.length} texts`);
      const batch = entries.slice(start, start + batchSize);
      const reply = await client
        .embeddings()
        .create(cli.ctx, { model: 'embedding-3', input: batch.map(({ text }) => text), ...input.fields })
        .catch(billedReply);
      const vectors = rowsOf(reply, batch, start);
      made += vectors.length;
      tokens += totalOf([reply]);
      const found = new Set(vectors.map(({ index }) => index));
      for (const [at, { place }] of batch.entries()) if (!found.has(start + at)) lost.push(place);
      if (cli.screen.format === 'json' || cli.screen.format === 'yaml') {
        replies.push(reply);
        rows.push(...vectors);
      } else for (const row of vectors) await print(cli, row);
    }
  } catch (error) {
    progress.done();
    // The requests before this one were billed.
    await printAll();
    throw error;
  } finally {
    progress.done();
  }
  await printAll();
  if (cli.screen.io.stdout.isTTY && cli.screen.isText)
    cli.screen.note(`${made} of ${entries.length} texts, ${tokens} tokens. For all numbers, pass -o jsonl or redirect stdout to a file.`);
  if (lost.length === 0) return undefined;
  const places = `${lost.slice(0, 10).join(', ')}${lost.length > 10 ? ' and others' : ''}`;
  throw new CliError(
    `no vector for ${lost.length} of ${entries.length} texts: ${places}`,
    exitCodes.partial,
    'The others were printed. Ask for these again.',
  );
};

/** A reply that lacks vectors was billed: those that it has are printed, without the ones that were cut or have a null. */
function billedReply(error: unknown): EmbeddingResponse {
  const reply = isModelsvcError(error, 'reply') ? error.reply : undefined;
  if (!reply || !('usage' in reply && 'data' in reply)) throw error;
  const length = Math.max(0, ...reply.data.map((entry) => entry?.embedding?.length ?? 0));
  const isWhole = (vector: unknown): boolean => Array.isArray(vector) && vector.length === length && vector.every(Number.isFinite);
  return { ...reply, data: reply.data.map((entry) => (isWhole(entry?.embedding) ? entry : { ...entry, embedding: [] })) };
}

/** The rows of a reply. An entry without the index of a text has the text at its place, if there are as many as texts. */
function rowsOf({ data }: EmbeddingResponse, batch: readonly TextInput[], start: number): VectorRow[] {
  const entries: readonly Partial<EmbeddingResponse['data'][number]>[] = Array.isArray(data) ? data : [];
  const isTold = entries.every(({ index }) => Number.isInteger(index) && batch[index ?? -1] !== undefined);
  if (!isTold && entries.length !== batch.length) return [];
  return entries.flatMap(({ index, embedding }, at) => {
    const place = isTold ? (index ?? at) : at;
    const id = batch[place]?.id;
    return Array.isArray(embedding) && embedding.length > 0 ? [{ ...(id !== undefined && { id }), index: start + place, embedding }] : [];
  });
}

async function entriesOf(screen: Screen, input: Input): Promise<TextInput[]> {
  const file = input.text('input');
  if (file !== undefined && input.args.length > 0) throw usageError('TEXT and --input exclude each other');
  if (input.args.length > 0) return input.args.map((text, at) => ({ place: `text ${at + 1}`, text }));
  if (file === undefined && !screen.hasStdin) throw usageError('TEXT is missing', 'Pass texts as arguments, with --input FILE, or in a pipe.');
  const lines = linesOf(file === undefined || file === '-' ? await screen.stdinText() : await readText('--input', file));
  if (lines.length === 0) throw usageError(`${file ?? 'stdin'} has no text`, 'Pass texts as arguments, with --input FILE, or in a pipe.');
  return file?.endsWith('.jsonl')
    ? lines.map((line, at) => jsonEntry(line, `${file}, line ${at + 1}`))
    : lines.map((text, at) => ({ place: `line ${at + 1}`, text }));
}

function jsonEntry(line: string, place: string): TextInput {
  const value = parsed(line, place);
  if (typeof value === 'string') return { place, text: value };
  const { id, text, input } = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const given = text ?? input;
  if (typeof given !== 'string') throw usageError(`${place}: expected a JSON string, or an object with the field text or input`);
  return { place, id, text: given };
}

function parsed(line: string, place: string): unknown {
  const value = jsonValue(line);
  if (value === undefined) throw usageError(`${place} is not JSON`);
  return value;
}

/** Prints a line of JSON. On a terminal and in a table, prints only the start of the vector, because it has thousands of numbers. */
function print({ screen }: Cli, row: VectorRow): Promise<void> {
  if (screen.format === 'jsonl' || (screen.format === 'text' && screen.io.stdout.isTTY !== true)) return screen.event(row);
  const numbers = row.embedding.slice(0, 4).map((number) => number.toFixed(4));
  return screen.result(row, () => `${row.index}  ${row.embedding.length} numbers: ${numbers.join(', ')}, …`);
}

function totalOf(replies: readonly EmbeddingResponse[]): number {
  return replies.reduce((sum, { usage }) => sum + (usage?.total_tokens ?? 0), 0);
}
