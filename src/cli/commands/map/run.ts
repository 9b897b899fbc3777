// `map`: one question for each row, as many at once as the service takes.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Client, type Context, isApiError, isConfigError, mapCalls, withSignal } from 'modelsvc';
import { defaultModels } from '../../../generated/model-ids.ts';
import type { Cli, Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import { linesOf } from '../../files/lines.ts';
import { fileProblem } from '../../files/text.ts';
import { type Input, textOrFile } from '../../input/input.ts';
import { reportOf } from '../../reports/report.ts';
import { chatRequest, chatSurface } from '../../talk/chat-surface.ts';
import { firstCodeBlock } from '../../talk/extract.ts';
import { chosenModel, type Manner, mannerOf, type Question } from '../../talk/question.ts';
import { checkOutput, checkStdout } from '../../transfer/own-input.ts';
import { EarlyEnd } from './early-end.ts';
import { type OutputFile, placeOf, ResultFile, type RowResult, storedResults, whereText } from './results.ts';
import { RowProblem, type Template, templateOf } from './template.ts';

interface MapRow {
  readonly index: number;
  readonly hash: string;
  /** Undefined for a row that does not fit the template. */
  readonly question: Question | undefined;
  readonly problem?: string;
}

export const run: Handler = async (cli, input) => {
  const template = templateOf(await textOrFile('TEMPLATE', input.arg(0), () => cli.stdinText()));
  const out = input.text('out');
  if (out === undefined) checkStdout(input);
  else checkOutput(input, out);
  const source = await sourceOf(cli, input.args[1] ?? '-');
  const manner = await mannerOf(cli, input, chosenModel(cli, input) ?? defaultModels.text, true);
  const limit = input.number('concurrency');
  if (limit !== undefined && limit < 1) throw usageError(`--concurrency must be at least 1, not ${limit}`);
  const client = await cli.client({ concurrency: limit ?? 'auto' });
  const startsOver = input.flag('force');
  if (out === undefined && startsOver) throw usageError('--force needs -O');
  const place = out === undefined ? undefined : await placeOf(out, startsOver);
  // A dry run reads the results but never changes them.
  await using file = place === undefined || cli.isDryRun ? undefined : await ResultFile.open(place, cli.signal);
  const done = file?.done ?? (place === undefined ? new Map<number, string>() : await storedResults(place));
  if (place?.unfinished !== undefined) cli.output.note(`${place.unfinished} has results of a run with --force that was not completed.`);
  const counts = { answered: 0, failed: 0, cut: 0, skipped: 0 };
  const progress = cli.progress();
  const show = (): void => {
    const text = countsText(counts);
    progress.show(text);
    const resuming = place === undefined ? 'Pass -O FILE to make a run resumable.' : `Resume: run the same command again; ${whereText(place)}.`;
    cli.interruptNote = `${text}. ${resuming}`;
  };
  show();
  const end = new EarlyEnd();
  cli.signal.throwIfAborted();
  cli.signal.addEventListener('abort', () => end.ask(cli.signal.reason));
  const rows = missing(rowsOf(source, template, manner), done, place, () => {
    counts.skipped++;
    show();
  });
  const call = (row: MapRow, ctx: Context): Promise<RowResult> => answered(client, withSignal(ctx, end.signal), row, manner, input.flag('extract'));
  try {
    for await (const settled of mapCalls(end.rows(rows), call, { ordered: input.flag('ordered') })) {
      if (settled.status === 'rejected' && isFinal(settled.reason)) end.ask(settled.reason);
      if (settled.status === 'rejected' && end.isAsked) continue;
      const result = settled.status === 'fulfilled' ? settled.value : await failureOf(settled.item, settled.reason, input);
      if (file) await file.add(result);
      else await cli.output.event(result);
      if (result.error) counts.failed++;
      else counts.answered++;
      if (result.finish_reason !== undefined) counts.cut++;
      show();
    }
    end.check();
    if (counts.failed === 0) await file?.complete();
  } finally {
    progress.done();
    if (!cli.signal.aborted) cli.output.note(countsText(counts));
    if (!cli.signal.aborted && file?.isBeside) cli.output.warn(whereText(file.place));
  }
  if (counts.cut > 0)
    cli.output.warn(`${counts.cut} ${counts.cut === 1 ? 'answer was' : 'answers were'} cut off at the token limit; raise --max-tokens`);
  return counts.failed > 0 ? exitCodes.partial : exitCodes.ok;
};

function countsText({ answered, failed, skipped }: { readonly answered: number; readonly failed: number; readonly skipped: number }): string {
  return `${answered} answered, ${failed} failed${skipped > 0 ? `, ${skipped} there already` : ''}`;
}

async function sourceOf(cli: Cli, path: string): Promise<ReturnType<typeof linesOf>> {
  if (path === '-') {
    if (!cli.hasStdin) throw usageError('there are no rows', 'Pass FILE, or lines through a pipe.');
    return linesOf(cli.io.stdin, { place: 'stdin', strict: true });
  }
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(fileProblem(path, error));
  });
  if (facts.isDirectory()) throw usageError(`${path} is a directory`, 'Pass the path of a file.');
  return linesOf(createReadStream(path), { place: path, strict: true });
}

async function* rowsOf(lines: ReturnType<typeof linesOf>, template: Template, manner: Manner): AsyncGenerator<MapRow> {
  let index = -1;
  for await (const { text } of lines) {
    index++;
    const line = (index === 0 ? text.replace(/^\ufeff/, '') : text).replace(/\r$/, '');
    if (line.trim() === '') continue;
    try {
      const question = { ...manner, messages: [chatSurface.userMessage(template.render(line), [])] };
      yield { index, hash: hashOf(JSON.stringify(chatRequest(question))), question };
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error;
      yield { index, hash: hashOf(line), question: undefined, problem: error.message };
    }
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The rows without a result. Throws if the file has a result of another request for a row. */
async function* missing(
  rows: AsyncIterable<MapRow>,
  done: ReadonlyMap<number, string>,
  place: OutputFile | undefined,
  onSkip: () => void,
): AsyncGenerator<MapRow> {
  for await (const row of rows) {
    const hash = done.get(row.index);
    if (hash === undefined) yield row;
    else if (hash === row.hash) onSkip();
    else {
      const startOver = place?.isNew ? `delete ${place.name}` : 'start over with --force';
      throw usageError(
        `-O: ${place?.name} has the result of another question for row ${row.index}`,
        `Pass another file, or ${startOver}. Template, rows, model and options must stay the same.`,
      );
    }
  }
}

async function answered(
  client: Client,
  ctx: Context,
  { index, hash, question, problem }: MapRow,
  { schema }: Manner,
  extract: boolean,
): Promise<RowResult> {
  if (!question) return { index, hash, error: { message: problem } };
  const exchange = chatSurface.ask(client, ctx, question, {});
  for await (const _piece of exchange.pieces);
  const answer = exchange.answer();
  const isCut = answer.problem?.reason === 'length';
  if (answer.problem && !isCut) throw answer.problem;
  const output = schema ? await schema.parse(answer.text) : extract ? (firstCodeBlock(answer.text) ?? answer.text) : answer.text;
  return { index, hash, output, ...(isCut && { finish_reason: 'length' }), ...(answer.usage && { usage: answer.usage }) };
}

/** True for a failure that every row would have: the key, the plan, the configuration. */
function isFinal(reason: unknown): boolean {
  return isConfigError(reason) || (isApiError(reason) && ['auth', 'account', 'quota', 'billing'].includes(reason.category));
}

/** The line of a failed row. */
async function failureOf({ index, hash }: MapRow, reason: unknown, input: Input): Promise<RowResult> {
  const { message, details } = await reportOf(reason, input.originOf);
  return { index, hash, error: { message, ...details } };
}
