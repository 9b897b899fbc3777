// `map`: one question for each row, as many at once as the service takes.
import { type Context, mapCalls, withSignal } from 'modelsvc';
import type { Handler } from '../../cli.ts';
import { exitCodes, usageError } from '../../errors/exit.ts';
import { textOrFile } from '../../input/input.ts';
import { ExchangeLog } from '../../log/record.ts';
import { chosenModel, defaultModel, mannerOf } from '../../talk/question.ts';
import { checkOutput, checkStdout } from '../../transfer/own-input.ts';
import { answered, failureOf, isFinal } from './answers.ts';
import { answerByBatch, batchNumbers, refuseOpenBatches } from './by-batch.ts';
import { EarlyEnd } from './early-end.ts';
import { type OutputFile, placeOf, ResultFile, type RowResult, storedResults, whereText } from './results.ts';
import { isAnswered, type MapRow, rowsOf, sourceOf } from './rows.ts';
import { templateOf } from './template.ts';

export const run: Handler = async (cli, input) => {
  const template = templateOf(await textOrFile('TEMPLATE', input.arg(0), () => cli.stdinText()));
  const out = input.text('out');
  if (out === undefined) checkStdout(input);
  else checkOutput(input, out);
  const source = await sourceOf(cli, input.args[1] ?? '-');
  const model = chosenModel(cli, input);
  const numbers = batchNumbers(input, model);
  const manner = await mannerOf(cli, input, model ?? defaultModel(cli), true);
  const limit = input.number('concurrency');
  if (limit !== undefined && limit < 1) throw usageError(`--concurrency must be at least 1, not ${limit}`);
  const client = await cli.client({ concurrency: limit ?? 'auto' });
  const startsOver = input.flag('force');
  if (out === undefined && startsOver) throw usageError('--force needs -O');
  const place = out === undefined ? undefined : await placeOf(out, startsOver);
  // A dry run reads the results but never changes them.
  await using file = place === undefined || cli.isDryRun ? undefined : await ResultFile.open(place, cli.signal);
  const done = file?.done ?? (place === undefined ? new Map<number, string>() : await storedResults(place));
  if (!numbers && place !== undefined) refuseOpenBatches(place);
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
  const add = async (result: RowResult): Promise<void> => {
    if (file) await file.add(result);
    else await cli.output.event(result);
    if (result.error) counts.failed++;
    else counts.answered++;
    if (result.finish_reason !== undefined) counts.cut++;
    show();
  };
  const skip = (): void => {
    counts.skipped++;
    show();
  };
  const form = { schema: manner.schema, extract: input.flag('extract') };
  const rows = (): AsyncGenerator<MapRow> => rowsOf(source.lines(), template, manner);
  const log = await ExchangeLog.open(cli);
  const call = (row: MapRow, ctx: Context): Promise<RowResult> => answered(cli, log, client, withSignal(ctx, end.signal), row, form);
  try {
    if (numbers && place)
      await answerByBatch(cli, input, numbers, {
        rows,
        isRepeatable: source.isRepeatable,
        place,
        file,
        done,
        form,
        manner,
        log,
        skip,
        add,
        show: (text) => progress.show(`${text}, ${countsText(counts)}`),
      });
    else
      for await (const settled of mapCalls(end.rows(missing(rows(), done, place, skip)), call, { ordered: input.flag('ordered') })) {
        if (settled.status === 'rejected' && isFinal(settled.reason)) end.ask(settled.reason);
        if (settled.status === 'rejected' && end.isAsked) continue;
        await add(settled.status === 'fulfilled' ? settled.value : await failureOf(settled.item, settled.reason, input));
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

/** The rows without a result. */
async function* missing(
  rows: AsyncIterable<MapRow>,
  done: ReadonlyMap<number, string>,
  place: OutputFile | undefined,
  onSkip: () => void,
): AsyncGenerator<MapRow> {
  for await (const row of rows)
    if (isAnswered(row, done, place)) onSkip();
    else yield row;
}
