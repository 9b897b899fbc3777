// The sink of `map`: the results in the file of -O or on stdout, their counts, and the notes on stderr.
import { BatchStateFile } from '../../bulk/batch-state.ts';
import { type OutputFile, placeOf, ResultFile, type RowResult, storedResults, whereText } from '../../bulk/results.ts';
import type { Cli } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import type { ProgressLine } from '../../terminal/progress.ts';
import { quotedLine } from '../../terminal/shell-words.ts';
import type { StoredRows } from './rows.ts';
import type { Tally } from './tally.ts';

/** A longer command is not printed again, in characters. */
const longestLine = 2000;

interface SinkParts {
  readonly tally: Tally;
  readonly progress: ProgressLine;
  /** False if the rows come through a pipe. */
  readonly isRepeatable: boolean;
}

export class MapSink implements StoredRows, AsyncDisposable {
  readonly place: OutputFile | undefined;
  readonly done: ReadonlyMap<number, string>;
  /** Where the results are, and the command that continues. */
  readonly resume: string;
  readonly #cli: Cli;
  /** Undefined for stdout, and in a dry run. */
  readonly #file: ResultFile | undefined;
  readonly #tally: Tally;
  readonly #progress: ProgressLine;

  private constructor(
    cli: Cli,
    { tally, progress, isRepeatable }: SinkParts,
    place: OutputFile | undefined,
    file: ResultFile | undefined,
    done: ReadonlyMap<number, string>,
  ) {
    this.#cli = cli;
    this.#tally = tally;
    this.#progress = progress;
    this.place = place;
    this.#file = file;
    this.done = done;
    this.resume = resumeText(cli, place, isRepeatable);
    this.#noteCounts();
  }

  static async open(cli: Cli, input: Input, parts: SinkParts): Promise<MapSink> {
    const [out, startsOver] = [input.text('out'), input.flag('force')];
    if (out === undefined && startsOver) throw usageError('--force needs -O');
    if (out === undefined) return new MapSink(cli, parts, undefined, undefined, new Map());
    const place = await placeOf(out, startsOver);
    await (await BatchStateFile.beside(place.target, cli.isDryRun)).refuseAny();
    // A dry run reads the results but never changes them.
    const file = cli.isDryRun ? undefined : await ResultFile.open(place, cli.signal);
    const done = file?.done ?? (await storedResults(place));
    if (place.unfinished !== undefined) cli.screen.note(`${place.unfinished} has results of a run with --force that was not completed.`);
    return new MapSink(cli, parts, place, file, done);
  }

  async add(result: RowResult): Promise<void> {
    this.#progress.hide();
    if (this.#file) await this.#file.add(result);
    else await this.#cli.screen.event(result);
    this.#tally.add(result);
    this.#noteCounts();
  }

  skip(): void {
    this.#tally.skipped++;
    this.#noteCounts();
  }

  /** Call it when every row was asked. */
  async complete(): Promise<void> {
    const stale = this.done.size - this.#tally.skipped;
    if (this.place && stale > 0 && !this.#cli.isDryRun)
      this.#cli.screen.warn(
        `${this.place.name} has results of ${stale} ${stale === 1 ? 'row' : 'rows'} that the input lacks; to drop them, start over with --force`,
      );
    if (this.#tally.failed === 0) await this.#file?.complete();
  }

  /** The notes at the end of a run that no signal has ended. */
  summarize(isRefused: boolean): void {
    if (this.#cli.signal.aborted) return;
    if (!isRefused) this.#cli.screen.note(this.#tally.summary());
    if (this.#file?.isBeside) this.#cli.screen.warn(whereText(this.#file.place));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.[Symbol.asyncDispose]();
  }

  #noteCounts(): void {
    this.#cli.run.interruptNote = `${this.#tally.counts}. ${this.resume}`;
  }
}

function resumeText(cli: Cli, place: OutputFile | undefined, isRepeatable: boolean): string {
  if (place === undefined) return 'Pass -O FILE to make a run resumable.';
  const line = quotedLine(['modelsvc', ...cli.screen.io.argv]);
  return `${whereText(place)}.\nResume with${isRepeatable ? '' : ' the same rows on stdin'}: ${line.length > longestLine ? 'the same command' : line}`;
}
