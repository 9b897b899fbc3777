// The batch of `-O`, in a file next to it until its results are stored: the same command again goes on with it.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import * as v from 'valibot';
import { type Form, KeptFile } from '../../store/document.ts';
import type { PlainError } from '../../store/error.ts';
import { realTarget } from '../../store/file.ts';
import { usageError } from '../errors/exit.ts';

export interface BatchState {
  /** Identifies the rows. */
  readonly rows: string;
  /** Name of the input file at the service. */
  readonly input: string;
  /** Absent until the reply to the creation. Until then there may be a batch. */
  readonly batch?: string;
}

const form: Form<BatchState> = {
  version: 3,
  shape: v.looseObject({ rows: v.string(), input: v.string(), batch: v.exactOptional(v.string()) }),
  isPrivate: false,
  cure: 'If it may have a batch, `modelsvc batches list` finds it. Then delete the file.',
};

export class BatchStateFile {
  readonly #file: KeptFile<BatchState>;
  readonly #isDryRun: boolean;
  readonly #out: string;

  private constructor(out: string, target: string, isDryRun: boolean) {
    this.#out = out;
    this.#isDryRun = isDryRun;
    this.#file = new KeptFile(`${target}.state`, form);
  }

  /** The state next to a file of results, which need not exist. A dry run never writes it. */
  static async beside(out: string, isDryRun: boolean): Promise<BatchStateFile> {
    return new BatchStateFile(out, await realTarget(out), isDryRun);
  }

  get path(): string {
    return this.#file.path;
  }

  /** Undefined without a file. Throws for a file of another version. */
  find(): Promise<BatchState | undefined> {
    return this.#file.draft();
  }

  /** The state of these rows. Throws if it belongs to others, or has another batch than the one that `--resume` names. */
  async of(rows: string, resume: string | undefined): Promise<BatchState | undefined> {
    const state = await this.find();
    if (state && state.rows !== rows) throw this.#foreign(state, 'belongs to other requests', 'Run with the same input');
    if (state?.batch !== undefined && resume !== undefined && state.batch !== resume)
      throw this.#foreign(state, `has batch ${state.batch}, not ${resume}`, 'Leave out --resume');
    return state;
  }

  /** Throws if there is a state and the file of `-O` exists: the run may have been killed right after it had stored the results. */
  async refuseStored(): Promise<void> {
    if (!existsSync(this.#out) || !existsSync(this.path)) return;
    const { batch = 'a batch without an id' } = (await this.find()) ?? {};
    throw usageError(
      `-O: ${this.#out} already exists, and ${this.path} has ${batch}`,
      `Delete ${this.path} if ${this.#out} has the results. Otherwise pass --force: it fetches them again, and creates no batch.`,
    );
  }

  /** Throws if there is a state: `-O` waits for the results of a batch. */
  async refuseAny(): Promise<void> {
    const state = await this.find();
    if (state) throw this.#foreign(state, 'is of `modelsvc batches run`', 'Run that command again');
  }

  /** `check` throws if another process has taken over the file of `-O`. */
  async write(state: BatchState, check: () => void): Promise<void> {
    if (!this.#isDryRun) await this.#file.write(state, check);
  }

  async remove(): Promise<void> {
    if (!this.#isDryRun) await rm(this.path, { force: true });
  }

  #foreign({ batch }: BatchState, problem: string, way: string): PlainError {
    const results = batch === undefined ? '`modelsvc batches list` shows its batch, if there is one' : `its batch is ${batch}`;
    return usageError(`${this.path} ${problem}`, `${way}, or choose another -O. To give the batch up, delete the state: ${results}.`);
  }
}
