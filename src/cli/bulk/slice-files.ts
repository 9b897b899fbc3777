// The results of each slice, in files beside the output until all slices have ended.
import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { BatchOutcome, BatchResult, ModelsvcError } from 'modelsvc';
import { fileProblem } from '../../store/error.ts';
import { nameIt, unfinishedOf, writeBeside, writeWhole } from '../../store/output.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { reportOf } from '../reports/report.ts';
import type { Destination } from '../transfer/download.ts';
import type { SliceState, StateFile } from './state.ts';

export class SliceFiles {
  readonly #target: Destination;
  readonly #state: StateFile;
  /** Throws if another process owns the files. */
  readonly #check: () => void;

  constructor(target: Destination, state: StateFile, check: () => void) {
    this.#target = target;
    this.#state = state;
    this.#check = check;
  }

  /** Writes the results of a slice, in the order of its rows. Returns the number of failed ones. */
  async store(slice: SliceState, { results }: BatchOutcome): Promise<number> {
    const failed = results.filter(({ error }) => error !== undefined).length;
    await writeWhole(this.#pathOf(slice), blocksOf(results), this.#check);
    await this.#state.change(slice, { failed });
    return failed;
  }

  /** Writes the output from all slices in order, then removes their files and the state. Continues a merge that was interrupted. */
  async merge(): Promise<void> {
    const { path, force } = this.#target;
    if (!this.#state.isMerged) {
      await writeBeside(path, this.#merged());
      await this.#state.merged();
    }
    if (existsSync(unfinishedOf(path)))
      await nameIt(path, () => {
        this.#check();
        if (!force && existsSync(path)) throw usageError(`-O: ${path} was made by another program`, 'Pass --force to overwrite it.');
      });
    for (const slice of this.#state.slices) {
      const file = this.#pathOf(slice);
      for (const path of [file, unfinishedOf(file)]) await rm(path, { force: true });
    }
    await this.#state.remove();
  }

  async *#merged(): AsyncGenerator<Uint8Array> {
    const start = ({ ranges }: SliceState): number => ranges[0]?.[0] ?? 0;
    for (const slice of this.#state.slices.toSorted((one, other) => start(one) - start(other))) {
      const path = this.#pathOf(slice);
      try {
        yield* createReadStream(path);
      } catch (error) {
        throw new CliError(fileProblem(path, error as NodeJS.ErrnoException), exitCodes.error, `Delete ${this.#state.path} to start new batches.`);
      }
    }
  }

  /** The mark keeps it apart from files of other runs. */
  #pathOf({ mark }: SliceState): string {
    return `${this.#target.path}.${mark}.slice`;
  }
}

const blockLength = 64 * 1024;

async function* blocksOf(results: readonly BatchResult[]): AsyncGenerator<Uint8Array, void, undefined> {
  const encoder = new TextEncoder();
  let text = '';
  for (const { custom_id, response, error } of results) {
    const line = error === undefined ? { custom_id, response } : { custom_id, error: await errorOf(error) };
    text += `${JSON.stringify(line)}\n`;
    if (text.length < blockLength) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(text);
}

/** An error as `--json` prints it. */
async function errorOf(error: ModelsvcError): Promise<object> {
  const { message, details } = await reportOf(error);
  return { message, ...details };
}
