// `map`: one question for each row, as many at once as the service takes.
import { resolve } from 'node:path';
import { type Context, estimateCost, isBudgetError, mapCalls, withSignal } from 'modelsvc';
import { EarlyEnd } from '../../bulk/early-end.ts';
import { placeOf, ResultFile, type RowResult, storedResults, whereText } from '../../bulk/results.ts';
import { linesFrom } from '../../bulk/source.ts';
import type { Handler } from '../../cli.ts';
import { hooksOf, noteRetry, type RetryNote } from '../../client.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { textOrFile } from '../../input/input.ts';
import { ExchangeLog } from '../../log/record.ts';
import { libraryReport } from '../../reports/library-report.ts';
import { problemOf } from '../../reports/option-words.ts';
import { budgetOf } from '../../talk/budget.ts';
import { answerOptionsOf, chosenModel, defaultModel } from '../../talk/question.ts';
import { listPrices } from '../../talk/usage-line.ts';
import { quotedLine } from '../../terminal/shell-words.ts';
import { checkOutput, checkStdout } from '../../transfer/own-input.ts';
import { answered, failureOf, isFinal } from './answers.ts';
import { countRows, fittingLines, type MapRow, rowsOf } from './rows.ts';
import { reasonOf, Tally } from './tally.ts';
import { templateOf } from './template.ts';

/** Time between two lines of progress if stderr is no terminal. */
const plainEveryMs = 60_000;
/** A longer command is not printed again, in characters. */
const longestLine = 2000;

export const run: Handler = async (cli, input) => {
  const text = await textOrFile('TEMPLATE', input.arg(0), () => cli.screen.stdinText());
  const template = templateOf(text);
  const out = input.text('out');
  if (out === undefined) checkStdout(input);
  else checkOutput(input, out);
  const source = await linesFrom(cli.screen, input.args[1] ?? '-', 'there are no rows');
  const model = chosenModel(cli, input);
  const options = await answerOptionsOf(cli, input, model ?? defaultModel(cli), true);
  const limit = input.number('concurrency');
  if (limit !== undefined && limit < 1) throw usageError(`--concurrency must be at least 1, not ${limit}`);
  const rows = await listPrices(cli);
  const tally = new Tally(performance.now(), (usage) =>
    rows && options.fallback.length === 0 ? estimateCost(options.model, usage, rows) : undefined,
  );
  const progress = cli.screen.progress(plainEveryMs);
  const onRetry: RetryNote = (error, delayMs, leftMs) => {
    const { details } = libraryReport(error);
    const isFirst = tally.retry(reasonOf({ ...details, message: problemOf(error) }).key, delayMs, performance.now());
    if (isFirst && progress.way !== 'terminal') noteRetry(cli.screen)(error, delayMs, leftMs);
  };
  const client = await cli.make.client({ ...budgetOf(input), concurrency: limit ?? 'auto', hooks: await hooksOf(cli, onRetry) });
  const startsOver = input.flag('force');
  if (out === undefined && startsOver) throw usageError('--force needs -O');
  const place = out === undefined ? undefined : await placeOf(out, startsOver);
  // A dry run reads the results but never changes them.
  await using file = place === undefined || cli.isDryRun ? undefined : await ResultFile.open(place, cli.signal);
  const done = file?.done ?? (place === undefined ? new Map<number, string>() : await storedResults(place));
  if (place?.unfinished !== undefined) cli.screen.note(`${place.unfinished} has results of a run with --force that was not completed.`);
  const line = quotedLine(['modelsvc', ...cli.screen.io.argv]);
  const resume =
    place === undefined
      ? 'Pass -O FILE to make a run resumable.'
      : `${whereText(place)}.\nResume with${source.isRepeatable ? '' : ' the same rows on stdin'}: ${line.length > longestLine ? 'the same command' : line}`;
  const noteCounts = (): void => void (cli.run.interruptNote = `${tally.counts}. ${resume}`);
  noteCounts();
  progress.show(() => tally.line(performance.now()));
  const end = new EarlyEnd();
  cli.signal.throwIfAborted();
  cli.signal.addEventListener('abort', () => end.ask(cli.signal.reason));
  const add = async (result: RowResult): Promise<void> => {
    progress.hide();
    if (file) await file.add(result);
    else await cli.screen.event(result);
    tally.add(result);
    noteCounts();
  };
  const skip = (): void => {
    tally.skipped++;
    noteCounts();
  };
  const form = { format: options.format, extract: input.flag('extract'), input };
  const questions = (): AsyncGenerator<MapRow> => rowsOf(fittingLines(source, template), template, options, { done, place });
  const log = await ExchangeLog.open(cli);
  const call = (row: MapRow, ctx: Context): Promise<RowResult> => answered(client, withSignal(ctx, end.signal), row, form);
  const logRun = async (): Promise<void> => {
    const { counts, answered: good, failed, usage } = tally;
    if (good + failed === 0) return;
    await log.add({
      command: 'map',
      model: options.model,
      rows: good + failed,
      file: out && resolve(out),
      ms: tally.elapsed(performance.now()),
      stopped: end.isAsked || undefined,
      usage: usage.total_tokens > 0 ? usage : undefined,
      text: { system: options.system, prompt: text, answer: counts },
    });
  };
  let isOver = false;
  let isRefused = false;
  if (progress.way !== 'none' && source.isRepeatable) void countRows(source, () => isOver).then((count) => (tally.total = count));
  try {
    for await (const settled of mapCalls(end.rows(unanswered(questions(), skip)), call, { ordered: input.flag('ordered') })) {
      if (settled.status === 'rejected' && isFinal(settled.reason)) end.ask(settled.reason);
      if (settled.status === 'rejected' && end.isAsked) continue;
      await add(settled.status === 'fulfilled' ? settled.value : await failureOf(settled.item, settled.reason, form));
    }
    end.check();
    const stale = done.size - tally.skipped;
    if (place && stale > 0 && !cli.isDryRun)
      cli.screen.warn(
        `${place.name} has results of ${stale} ${stale === 1 ? 'row' : 'rows'} that the input lacks; to drop them, start over with --force`,
      );
    if (tally.failed === 0) await file?.complete();
  } catch (error) {
    // Input that is refused before the first row.
    isRefused = error instanceof CliError && tally.answered + tally.failed + tally.skipped === 0;
    if (!isBudgetError(error)) throw error;
    cli.run.freeWay = resume;
    throw cli.run.keeping(error);
  } finally {
    isOver = true;
    await logRun();
    progress.done();
    if (!cli.signal.aborted && !isRefused) cli.screen.note(tally.summary());
    if (!cli.signal.aborted && file?.isBeside) cli.screen.warn(whereText(file.place));
  }
  if (tally.cut > 0)
    cli.screen.warn(`${tally.cut} ${tally.cut === 1 ? 'answer was' : 'answers were'} cut off at the token limit; raise --max-tokens`);
  return tally.failed > 0 ? exitCodes.partial : exitCodes.ok;
};

async function* unanswered(rows: AsyncIterable<MapRow>, onSkip: () => void): AsyncGenerator<MapRow> {
  for await (const row of rows)
    if (row.isAnswered) onSkip();
    else yield row;
}
