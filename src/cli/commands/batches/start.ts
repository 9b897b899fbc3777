// The batch of a run: the one that exists, or a new one. A creation is never repeated, because a second batch is billed too.
import { type Batch, type BatchRequest, type Client, isApiError, isModelsvcError } from 'modelsvc';
import type { BatchState, BatchStateFile } from '../../bulk/batch-state.ts';
import type { Cli } from '../../cli.ts';
import { CliError, exitCodes } from '../../errors/exit.ts';
import type { Input } from '../../input/input.ts';
import { resumeNote, slowContext } from '../../transfer/waiting.ts';
import { batchesOf, type Mark } from './mark.ts';
import { stateText } from './state-text.ts';

/** A run, for each of its steps. */
export interface BatchJob {
  readonly client: Client;
  readonly requests: readonly BatchRequest[];
  readonly mark: Mark;
  readonly state: BatchStateFile;
  /** Throws if another process has taken over the file of `-O`. */
  readonly check: () => void;
  /** The words of the command that continues a batch. */
  readonly words: (id: string) => readonly string[];
}

/** The id of the batch: of `--resume`, of the state, or of a new batch. */
export async function batchOf(cli: Cli, input: Input, job: BatchJob): Promise<string> {
  const { mark, state, check } = job;
  const resume = input.text('resume');
  const known = await state.of(mark.rows, resume);
  const id = resume ?? known?.batch;
  if (id !== undefined) {
    if (known && known.batch === undefined) await state.write({ ...known, batch: id }, check);
    cli.screen.note(`continuing batch ${id}${known ? ` of ${state.path}` : ''}`);
    return id;
  }
  if (known) await refuseSecond(cli, known, job);
  await confirmModels(cli, job);
  return create(cli, input, job, known);
}

/** A run was killed before it had the reply to its creation. Throws if the service has the batch. */
async function refuseSecond(cli: Cli, known: BatchState, { client, state, words }: BatchJob): Promise<void> {
  const found = await batchesOf(cli, client, known);
  const [first] = found;
  if (!first) return;
  const texts = found.map((batch) => `${batch.id} (${stateText(batch)})`);
  throw new CliError(
    `a batch of these rows exists: ${texts.join(', ')}`,
    exitCodes.error,
    `${resumeNote(cli, words(first.id))}\nTo start another, which is billed too, delete ${state.path} first.`,
  );
}

async function confirmModels(cli: Cli, { client, requests }: BatchJob): Promise<void> {
  const others = [...new Set(requests.map(({ body }) => body.model))].filter((model) => client.models().isOutsideBatches(model));
  if (others.length > 0) await cli.screen.confirm(`The vendor's list of models for batches lacks ${others.join(', ')}. Send the requests?`);
}

/** The id of a new batch. The state is written before the creation, and again with the id. `known` is the state of an earlier creation without a reply. */
async function create(
  cli: Cli,
  input: Input,
  { client, requests, mark, state, check, words }: BatchJob,
  known: BatchState | undefined,
): Promise<string> {
  const facts = { rows: mark.rows, input: mark.input };
  const options = {
    metadata: { ...Object.fromEntries(input.pairs('metadata')), ...mark.metadata },
    ...(input.flag('keep-input') && { auto_delete_input_file: false }),
    filename: mark.input,
    createOnce: true,
  };
  await state.write(facts, check);
  setWay(cli, 'There may be a batch. Run the same command again: it looks for one before it creates another.');
  let batch: Batch;
  try {
    batch = await client.batch().start(slowContext(cli), requests, options);
  } catch (error) {
    if (!isUncreated(error)) throw error instanceof Error ? cli.run.keeping(error) : error;
    setWay(cli, undefined);
    // The earlier creation may still have made one.
    if (!known) await state.remove();
    throw error;
  }
  setWay(cli, resumeNote(cli, words(batch.id)));
  cli.screen.note(`batch ${batch.id}`);
  await state.write({ ...facts, batch: batch.id }, check).catch((error: Error) => {
    throw cli.run.keeping(error);
  });
  return batch.id;
}

/** How to continue, for Ctrl-C and for errors that leave a batch. */
function setWay(cli: Cli, way: string | undefined): void {
  cli.run.interruptNote = way;
  cli.run.freeWay = way;
}

/** True for a failure after which the service has no batch: of the upload, or a refusal. */
function isUncreated(error: unknown): boolean {
  if (isModelsvcError(error, 'validation') || (isModelsvcError(error) && 'operation' in error && error.operation === 'files.upload')) return true;
  return isApiError(error) && error.status >= 400 && error.status < 500;
}
