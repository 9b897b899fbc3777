// `map`: one question for each row. The rows go through the calls into the sink.
import { resolve } from 'node:path';
import { estimateCost, isApiError, isModelsvcError } from 'modelsvc';
import { EarlyEnd } from '../../bulk/early-end.ts';
import type { Cli, Handler } from '../../cli.ts';
import { hooksOf, noteRetry, type RetryNote } from '../../client.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { ExchangeLog } from '../../log/record.ts';
import { libraryReport } from '../../reports/library-report.ts';
import { problemOf } from '../../reports/option-words.ts';
import { budgetOf } from '../../talk/budget.ts';
import { listPrices } from '../../talk/usage-line.ts';
import type { ProgressLine } from '../../terminal/progress.ts';
import { isFinal } from './answers.ts';
import { resultsOf } from './calls.ts';
import { countRows, type MapSource, rowsOf, sourceOf } from './rows.ts';
import { MapSink } from './sink.ts';
import { reasonOf, Tally } from './tally.ts';

/** Time between two lines of progress if stderr is not a terminal. */
const plainEveryMs = 60_000;

export const run: Handler = async (cli, input) => {
  const source = await sourceOf(cli, input);
  const { options, rows } = source;
  const concurrency = input.number('concurrency') ?? 'auto';
  if (concurrency !== 'auto' && concurrency < 1) throw usageError(`--concurrency must be at least 1, not ${concurrency}`);
  const prices = await listPrices(cli);
  const tally = new Tally(performance.now(), (usage) =>
    prices && options.fallback.length === 0 ? estimateCost(options.model, usage, prices) : undefined,
  );
  const progress = cli.screen.progress(plainEveryMs);
  // Another model may have a quota of its own.
  const end = new EarlyEnd((error) => isFinal(error) && (options.fallback.length === 0 || !isApiError(error) || error.category !== 'quota'));
  const hooks = [...(await hooksOf(cli, retryNote(cli, tally, progress))), end.hook];
  const client = await cli.make.client({ ...budgetOf(input), concurrency, hooks });
  await using sink = await MapSink.open(cli, input, { tally, progress, isRepeatable: rows.isRepeatable });
  progress.show(() => `${tally.line(performance.now())}${end.isAsked ? `, ends after ${end.sent} open answers` : ''}`);
  cli.signal.throwIfAborted();
  cli.signal.addEventListener('abort', () => end.abort(cli.signal.reason));
  const log = await ExchangeLog.open(cli);
  let isOver = false;
  let isRefused = false;
  if (progress.way !== 'none' && rows.isRepeatable) void countRows(rows, () => isOver).then((count) => (tally.total = count));
  try {
    const form = { format: options.format, extract: input.flag('extract'), input };
    const results = resultsOf(client, rowsOf(source, sink), { form, end, ordered: input.flag('ordered') });
    for await (const result of results) await sink.add(result);
    await sink.complete();
  } catch (error) {
    // Input that is refused before the first row.
    isRefused = error instanceof CliError && tally.answered + tally.failed + tally.skipped === 0;
    if (!isModelsvcError(error, 'budget')) throw error;
    cli.run.freeWay = sink.resume;
    throw cli.run.keeping(error);
  } finally {
    isOver = true;
    if (tally.answered + tally.failed > 0) await log.add({ ...entryOf(source, tally, input), stopped: end.isAsked || undefined });
    progress.done();
    sink.summarize(isRefused);
  }
  if (tally.cut > 0)
    cli.screen.warn(`${tally.cut} ${tally.cut === 1 ? 'answer was' : 'answers were'} cut off at the token limit; raise --max-tokens`);
  return tally.failed > 0 ? exitCodes.partial : exitCodes.ok;
};

/** A call is tried again: counted, and named once for each reason if no line of progress shows it. */
function retryNote({ screen }: Cli, tally: Tally, progress: ProgressLine): RetryNote {
  return (error, delayMs, leftMs) => {
    const { details } = libraryReport(error);
    const isFirst = tally.retry(reasonOf({ ...details, message: problemOf(error) }).key, delayMs, performance.now());
    if (isFirst && progress.way !== 'terminal') noteRetry(screen)(error, delayMs, leftMs);
  };
}

/** The line of the log for the run. */
function entryOf({ text, options }: MapSource, tally: Tally, input: Input): Parameters<ExchangeLog['add']>[0] {
  const { counts, answered, failed, usage } = tally;
  const out = input.text('out');
  return {
    command: 'map',
    model: options.model,
    rows: answered + failed,
    file: out && resolve(out),
    ms: tally.elapsed(performance.now()),
    usage: usage.total_tokens > 0 ? usage : undefined,
    text: { system: options.system, prompt: text, answer: counts },
  };
}
