// `map --via batch`: the rows as batches, with the results that calls would give.
import { existsSync } from 'node:fs';
import { answerOf, type BatchOutcome, type BatchResult, isValidationError } from 'modelsvc';
import { type Numbers, numbersOf, runBatches } from '../../bulk/engine.ts';
import type { OutputFile, ResultFile, RowResult } from '../../bulk/results.ts';
import type { BulkRow, KeptRow } from '../../bulk/slices.ts';
import { type SliceState, StateFile } from '../../bulk/state.ts';
import type { Cli } from '../../cli.ts';
import { usageError } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { budgetOf } from '../../talk/budget.ts';
import type { AnswerOptions } from '../../talk/question.ts';
import { chatRequest } from '../../talk/surfaces/chat.ts';
import { failureOf, type RowForm, resultOf } from './answers.ts';
import type { MapRow } from './rows.ts';

/** The numbers of `--via batch`. Undefined without it. Throws for options that do not go together. */
export function batchNumbers(input: Input, model: string | undefined): Numbers | undefined {
  const numbers = numbersOf(input);
  if (input.text('via') !== 'batch') {
    if (numbers.words.length > 0) throw usageError(`${numbers.words[0]} needs --via batch`);
    return undefined;
  }
  if (input.text('out') === undefined) throw usageError('--via batch needs -O', 'The batches in flight are kept beside its file.');
  if (model === undefined) throw usageError('--via batch needs --model', 'Batches take older models only, such as glm-5.1 and glm-5-turbo.');
  if (input.flag('ordered')) throw usageError('--via batch and --ordered exclude each other', 'Results have the index of their row.');
  if (input.number('concurrency') !== undefined) throw usageError('--via batch and --concurrency exclude each other', 'Pass --batches.');
  return numbers;
}

/** Throws if an earlier run has left batches in flight: calls would ask their rows again. */
export function refuseOpenBatches({ path, name }: OutputFile): void {
  if (existsSync(`${path}.state`))
    throw usageError(`-O: rows of ${name} are in batches`, `Continue with --via batch, or delete ${name}.state to ask these rows again.`);
}

interface BatchTask {
  rows(): AsyncIterable<MapRow>;
  readonly isRepeatable: boolean;
  readonly place: OutputFile;
  /** Undefined in a dry run. */
  readonly file: ResultFile | undefined;
  readonly form: RowForm;
  readonly options: AnswerOptions;
  /** Where the results are, and the command that continues. */
  readonly resume: string;
  skip(): void;
  add(result: RowResult): Promise<void>;
  show(text: string): void;
}

export async function answerByBatch(cli: Cli, input: Input, numbers: Numbers, task: BatchTask): Promise<void> {
  const { place, file, form, options, isRepeatable } = task;
  const client = await cli.make.client();
  const state = await StateFile.open(place.path, cli.isDryRun, () => file?.check());
  // Rows that do not fit the template and results of a batch may come at the same time.
  let added: Promise<void> = Promise.resolve();
  const add = (result: RowResult): Promise<void> => {
    added = added.then(() => task.add(result));
    return added;
  };
  async function* rows(isCheck: boolean): AsyncGenerator<BulkRow> {
    for await (const row of task.rows()) {
      const { index, hash, isAnswered, question, problem } = row;
      if (isAnswered && !isCheck) task.skip();
      const id = `request-${index}`;
      if (question) yield { index, id, hash, isAnswered, model: options.model, line: () => lineOf({ custom_id: id, body: chatRequest(question) }) };
      else if (!isAnswered && !isCheck) await add({ index, hash, error: { message: problem } });
    }
  }
  const lineOf = (request: Parameters<ReturnType<typeof client.batch>['inputLine']>[0]): string => {
    try {
      return client.batch().inputLine(request);
    } catch (error) {
      if (!isValidationError(error)) throw error;
      const path = error.path.replace(/^request\.body\./, '');
      throw usageError(`${input.originOf(path)?.name ?? path} ${error.problem}`);
    }
  };
  const rowResult = async (row: KeptRow, { response, error }: BatchResult): Promise<RowResult> => {
    if (!response) return failureOf(row, error, form);
    return resultOf(row, answerOf(response), form);
  };
  const store = async (slice: SliceState, { results }: BatchOutcome, kept: readonly KeptRow[]): Promise<number> => {
    let failed = 0;
    for (const [at, result] of results.entries()) {
      const row = kept[at];
      // A run that was killed here has stored some of the rows.
      if (!row || row.isAnswered) continue;
      const line = await rowResult(row, result);
      if (line.error) failed++;
      await add(line);
    }
    await file?.sync();
    await state.drop(slice);
    return failed;
  };
  const onProgress = (text: string): void => {
    task.show(text);
    cli.run.interruptNote = `${text}. The batches go on. ${task.resume}`;
  };
  const check = isRepeatable ? (): AsyncGenerator<BulkRow> => rows(true) : undefined;
  await runBatches(cli, { state, rows: () => rows(false), check, store, ...budgetOf(input) }, numbers, { onProgress });
}
