// Runs an input of any size as batches: some in flight at a time, each continued after a kill, each created once.
import {
  type Batch,
  type BatchOutcome,
  type Budget,
  type BudgetError,
  type BudgetLimits,
  batchCounts,
  type Client,
  isApiError,
  isBudgetError,
  isTaskError,
  type ModelRow,
  newBudget,
  type WaitOptions,
  withSignal,
} from 'modelsvc';
import type { BatchCreateRequest } from 'modelsvc/types';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import type { Input } from '../input/input.ts';
import { reportOf } from '../reports/report.ts';
import { slowContext } from '../transfer/waiting.ts';
import { EarlyEnd } from './early-end.ts';
import { checkLines, incompleteOf } from './incomplete.ts';
import { type BulkRow, type KeptRow, type Slice, type SliceLimits, slicesOf } from './slices.ts';
import { metadataOf, type SliceState, type StateFile } from './state.ts';

/** Limits of one batch, from an older FAQ of the vendor. */
const most: SliceLimits = { rows: 50_000, bytes: 100 * 1024 * 1024 };
/** Each model has a limit for requests in its queue, which is not documented. */
const defaultAtOnce = 4;
/** A batch that is resumed reads only the ids of its requests. */
const unread = { model: '', messages: [] };

/** The input of a run, and the place of its results. */
export interface BulkJob {
  readonly state: StateFile;
  /** The rows from the first on. */
  rows(): AsyncIterable<BulkRow>;
  /** The same rows again, for an input that can be read twice: they are checked to the end before the first batch is created. */
  readonly check?: (() => AsyncIterable<BulkRow>) | undefined;
  /** Fields of each batch that is created. */
  readonly fields?: Partial<Pick<BatchCreateRequest, 'metadata' | 'auto_delete_input_file'>>;
  /** True to create batches, as many as may be in flight, without a wait for them. A later run continues. */
  readonly isStart?: boolean | undefined;
  /** No batch is created after so much is spent. It is charged with the results of each batch, which are the results of this run alone. */
  readonly budget?: BudgetLimits | undefined;
  /** Stores the results of a slice. Returns the number of failed rows. A slice that was interrupted here is stored again. */
  store(state: SliceState, outcome: BatchOutcome, rows: readonly KeptRow[]): Promise<number>;
}

export interface BulkResult {
  readonly total: number;
  readonly failed: number;
  /** The batches that ended in this run, in the order of their end. */
  readonly batches: readonly Batch[];
  /** The batches that are in flight after `isStart`. */
  readonly started: readonly string[];
}

/** The options `--rows-per-batch` and `--batches`. */
export interface Numbers {
  readonly rows: number;
  readonly atOnce: number;
  /** The options as they were given, for the command that resumes. */
  readonly words: readonly string[];
}

export function numbersOf(input: Input): Numbers {
  const [givenRows, givenAtOnce] = [input.number('rows-per-batch'), input.number('batches')];
  const { rows, atOnce } = { rows: givenRows ?? most.rows, atOnce: givenAtOnce ?? defaultAtOnce };
  if (rows < 1 || rows > most.rows) throw usageError(`--rows-per-batch must be from 1 to ${most.rows}, not ${rows}`);
  if (atOnce < 1) throw usageError(`--batches must be at least 1, not ${atOnce}`);
  const given = Object.entries({ '--rows-per-batch': givenRows, '--batches': givenAtOnce });
  return { rows, atOnce, words: given.flatMap(([name, value]) => (value === undefined ? [] : [name, String(value)])) };
}

/** Runs the job. Shows its progress by `onProgress`. Throws a CliError if a batch failed as a whole, once the others have ended. */
export function runBatches(cli: Cli, job: BulkJob, { rows, atOnce }: Numbers, options: WaitOptions<string>): Promise<BulkResult> {
  return new BulkRun(cli, job, { ...most, rows }, atOnce, options).run();
}

class BulkRun {
  readonly #cli: Cli;
  readonly #job: BulkJob;
  readonly #limits: SliceLimits;
  readonly #atOnce: number;
  readonly #options: WaitOptions<string>;
  readonly #started = performance.now();
  /** Ends the other waits when one of them fails. */
  readonly #end = new EarlyEnd();
  readonly #running = new Map<Slice, { readonly ended: Promise<void>; completed: number; failed: number }>();
  /** The last slice whose results are being fetched: one at a time, because they are held in memory. */
  #fetching: Promise<unknown> = Promise.resolve();
  readonly #asked = new Set<string>();
  readonly #batches: Batch[] = [];
  readonly #left: string[] = [];
  readonly #failures: CliError[] = [];
  readonly #budget: Budget | undefined;
  /** The user's prices: those of the catalogue do not apply to batches. */
  #prices: readonly ModelRow[] = [];
  /** Why no more batches are created. */
  #refusal: BudgetError | undefined;
  #rows: number | undefined;
  #ended = { batches: 0, rows: 0, failed: 0 };

  constructor(cli: Cli, job: BulkJob, limits: SliceLimits, atOnce: number, options: WaitOptions<string>) {
    this.#cli = cli;
    this.#job = job;
    this.#limits = limits;
    this.#atOnce = atOnce;
    this.#options = options;
    this.#budget = job.budget && newBudget(job.budget);
    cli.signal.addEventListener('abort', () => this.#end.ask(cli.signal.reason), { once: true });
  }

  async run(): Promise<BulkResult> {
    const { state, check } = this.#job;
    const client = await this.#cli.make.client();
    this.#prices = (await this.#cli.make.models()).rows;
    if (check) this.#rows = await this.#checked(check());
    await state.find(this.#cli, client);
    try {
      for await (const slice of this.#end.rows(this.#slices(this.#job.rows()))) {
        if (slice.known?.failed !== undefined) this.#count(slice.count, slice.known.failed);
        else await this.#start(client, slice);
        if (this.#left.length >= this.#atOnce) break;
      }
    } catch (error) {
      this.#end.ask(error);
    }
    await Promise.all(this.#waits());
    this.#end.check();
    const [failure] = this.#failures;
    if (this.#refusal) {
      for (const { message } of this.#failures) this.#cli.screen.warn(message);
      throw this.#refusal;
    }
    if (failure) throw failure;
    return { total: this.#ended.rows, failed: this.#ended.failed, batches: this.#batches, started: this.#left };
  }

  #slices(rows: AsyncIterable<BulkRow>): AsyncGenerator<Slice, void, undefined> {
    return slicesOf(rows, this.#job.state, this.#limits, this.#cli.signal);
  }

  /** Reads the whole input without a request. Returns the number of its rows. */
  async #checked(rows: AsyncIterable<BulkRow>): Promise<number> {
    const models = new Set<string>();
    let checked = 0;
    for await (const slice of this.#slices(rows)) {
      checked += slice.count;
      if (slice.known?.batch === undefined) for (const model of slice.models.keys()) models.add(model);
      await this.#options.onProgress?.(`checking the input, ${checked} requests`);
    }
    await this.#confirmModels(models);
    const refusal = this.#refusalOf(models);
    // Batches in flight are paid for: their results are fetched, also if the budget is used up.
    if (refusal && (refusal.spent < refusal.limit || this.#job.state.slices.length === 0)) throw refusal;
    return checked;
  }

  /** The error of a budget that does not cover another batch. */
  #refusalOf(models: Iterable<string>): BudgetError | undefined {
    try {
      for (const model of models) this.#budget?.checkBatch(model, this.#prices);
      return undefined;
    } catch (error) {
      if (isBudgetError(error)) return error;
      throw error;
    }
  }

  /** Asks once for a model that batches do not take. The list may be older than the service, and a model without a row in the catalogue newer. */
  async #confirmModels(models: Iterable<string>): Promise<void> {
    const catalogue = (await this.#cli.make.client()).models();
    const others = [...models].filter((model) => catalogue.isOutsideBatches(model) && !this.#asked.has(model));
    if (others.length === 0) return;
    await this.#cli.screen.confirm(`The vendor's list of models for batches lacks ${others.join(', ')}. Send the requests?`);
    for (const model of others) this.#asked.add(model);
  }

  /** Waits for a free place, creates the batch if there is none, and goes on in the background. */
  async #start(client: Client, slice: Slice): Promise<void> {
    while (this.#running.size >= this.#atOnce) await this.#one();
    if (slice.known?.batch === undefined) {
      await this.#confirmModels(slice.models.keys());
      if (this.#isRefused(slice)) return;
    }
    const state = slice.known ?? (await this.#job.state.add(slice.state()));
    if (state.batch !== undefined) this.#cli.screen.note(`continuing batch ${state.batch}`);
    const id = state.batch ?? (await this.#create(client, slice, state));
    if (id === undefined) return;
    if (this.#job.isStart) return void this.#left.push(id);
    const ended = this.#follow(client, slice, state, id)
      .catch((error: unknown) => this.#end.ask(error))
      .finally(() => this.#running.delete(slice));
    this.#running.set(slice, { ended, completed: 0, failed: 0 });
    await this.#show();
  }

  #isRefused(slice: Slice): boolean {
    this.#refusal ??= this.#refusalOf(slice.models.keys());
    return this.#refusal !== undefined;
  }

  #waits(): Promise<void>[] {
    return [...this.#running.values()].map(({ ended }) => ended);
  }

  /** Waits until a batch has ended. Throws if that ended the run. */
  async #one(): Promise<void> {
    await Promise.race(this.#waits());
    this.#end.check();
  }

  /** Undefined if the budget was used up meanwhile. */
  async #create(client: Client, slice: Slice, state: SliceState): Promise<string | undefined> {
    const file = slice.file();
    const ctx = withSignal(slowContext(this.#cli), this.#end.signal);
    const { id: input } = await client.files().upload(ctx, { file, purpose: 'batch' });
    const request = {
      input_file_id: input,
      endpoint: '/v4/chat/completions',
      // Older servers require it.
      completion_window: '24h',
      ...this.#job.fields,
      metadata: { ...this.#job.fields?.metadata, ...metadataOf(state) },
    } as const;
    for (;;) {
      try {
        // A retry after a lost reply would create a second batch. The next run finds the first one by its mark.
        const { id } = await client.with({ maxRetries: 0 }).batch().create(ctx, request);
        await this.#job.state.change(state, { batch: id });
        this.#cli.screen.note(`batch ${id}`);
        return id;
      } catch (error) {
        if (!isApiError(error) || error.status >= 500) throw error;
        const isFull = error.category === 'rate' && this.#running.size > 0;
        if (isFull) await this.#one();
        if (isFull && !this.#isRefused(slice)) continue;
        await this.#job.state.drop(state);
        if (isFull) return undefined;
        throw error;
      }
    }
  }

  /** Waits for a batch and stores its results. A batch that failed as a whole ends neither the others nor the reading. */
  async #follow(client: Client, slice: Slice, state: SliceState, id: string): Promise<void> {
    const ctx = withSignal(slowContext(this.#cli), this.#end.signal);
    const { interval, maxWait } = this.#options;
    const leftMs = maxWait === undefined ? undefined : Math.max(0, maxWait - (performance.now() - this.#started));
    try {
      const onProgress = (batch: Batch): Promise<void> => this.#progress(slice, batch);
      await client.batch().wait(ctx, id, { interval, maxWait: leftMs, onProgress });
      const fetched = this.#fetching.then(async () => {
        this.#end.check();
        const requests = slice.rows.map((row) => ({ custom_id: row.id, body: unread }));
        const outcome = await client.batch().run(ctx, requests, { resume: id, interval });
        checkLines(id, outcome);
        const failed = await this.#job.store(state, outcome, slice.rows);
        this.#budget?.chargeBatch(
          outcome.results.flatMap(({ response }, at) => (response ? [{ model: slice.rows[at]?.model ?? '', usage: response.usage }] : [])),
          this.#prices,
        );
        this.#batches.push(outcome.batch);
        this.#count(slice.count, failed);
        const strangers = outcome.unmatched.length + outcome.unreadable;
        if (strangers > 0) this.#cli.screen.warn(`${strangers} lines of the results of ${id} belong to no request`);
      });
      this.#fetching = fetched.catch(() => undefined);
      await fetched;
    } catch (error) {
      const incomplete = incompleteOf(id, error);
      if (incomplete) return void this.#failures.push(incomplete);
      if (!isTaskError(error) || error.status === 'timeout') throw error;
      await this.#job.state.drop(state);
      const next = `Run the same command again to start a new batch for its ${slice.count} requests.`;
      this.#failures.push(new CliError((await reportOf(error)).message, exitCodes.error, next));
    }
  }

  async #progress(slice: Slice, batch: Batch): Promise<void> {
    const place = this.#running.get(slice);
    const { completed = 0, failed = 0 } = batchCounts(batch);
    if (place) Object.assign(place, { completed, failed });
    await this.#show();
  }

  #count(rows: number, failed: number): void {
    this.#ended = { batches: this.#ended.batches + 1, rows: this.#ended.rows + rows, failed: this.#ended.failed + failed };
  }

  /** `2 batches done, 3 running, 120000 of 1000000 requests, 12 failed`. */
  async #show(): Promise<void> {
    let { rows, failed } = this.#ended;
    for (const place of this.#running.values()) {
      rows += place.completed;
      failed += place.failed;
    }
    const requests = `${rows}${this.#rows === undefined ? '' : ` of ${this.#rows}`} requests`;
    const failures = failed > 0 ? `, ${failed} failed` : '';
    await this.#options.onProgress?.(`${this.#ended.batches} batches done, ${this.#running.size} running, ${requests}${failures}`);
  }
}
