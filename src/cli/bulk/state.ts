// The state of a run of many batches, in a file beside its results: a run that was killed continues the same batches.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Client } from 'modelsvc';
import * as v from 'valibot';
import { type Form, KeptFile } from '../../store/document.ts';
import type { PlainError } from '../../store/error.ts';
import type { Cli } from '../cli.ts';
import { usageError } from '../errors/exit.ts';

/** A slice of the input, which is one batch. */
export interface SliceState {
  /** Sent as metadata of the batch, so that it is found if the process ends before the reply to its creation. */
  readonly mark: string;
  /** Hash of its rows. */
  readonly hash: string;
  /** Number of its rows. */
  readonly rows: number;
  /** First and last row of each range. Rows that are not asked, such as blank lines, may be in between. */
  readonly ranges: readonly (readonly [first: number, last: number])[];
  /** Absent until the batch is created. */
  readonly batch?: string;
  /** Number of failed rows. Absent until the results are stored. */
  readonly failed?: number;
}

interface RunState {
  readonly slices: readonly SliceState[];
  /** True once the results of all slices are in one file, which may not have its name yet. */
  readonly isMerged?: boolean;
}

const form: Form<RunState> = {
  version: 2,
  shape: v.looseObject({
    slices: v.array(
      v.looseObject({
        mark: v.string(),
        hash: v.string(),
        rows: v.number(),
        ranges: v.array(v.tuple([v.number(), v.number()])),
        batch: v.exactOptional(v.string()),
        failed: v.exactOptional(v.number()),
      }),
    ),
    isMerged: v.exactOptional(v.boolean()),
  }),
  // Written at each change of a slice, of which there may be thousands.
  text: (state) => `${JSON.stringify({ version: 2, ...state })}\n`,
  isPrivate: false,
  cure: 'Delete it to start new batches.',
  earlierCure: ({ batch }) =>
    `${typeof batch === 'string' ? `Get the results with \`modelsvc batches results ${batch}\`, or delete` : 'Delete'} the state to start new batches.`,
};

/** Name of the metadata that contains the mark. */
const markName = 'modelsvc_run';

export function metadataOf({ mark }: SliceState): Record<string, string> {
  return { [markName]: mark };
}

export class StateFile {
  readonly #file: KeptFile<RunState>;
  readonly #isDryRun: boolean;
  readonly #check: () => void;
  #state: RunState;
  #writing: Promise<void> = Promise.resolve();

  private constructor(file: KeptFile<RunState>, isDryRun: boolean, check: () => void, state: RunState) {
    this.#file = file;
    this.#isDryRun = isDryRun;
    this.#check = check;
    this.#state = state;
  }

  /**
   * The state beside a file of results; empty without an earlier run. Throws for a state that cannot be used, and leaves it unchanged. `check` throws
   * if another process owns the files. A dry run never writes.
   */
  static async open(out: string, isDryRun: boolean, check: () => void): Promise<StateFile> {
    const file = new KeptFile(`${out}.state`, form);
    return new StateFile(file, isDryRun, check, (await file.draft()) ?? { slices: [] });
  }

  get path(): string {
    return this.#file.path;
  }

  get slices(): readonly SliceState[] {
    return this.#state.slices;
  }

  get isMerged(): boolean {
    return this.#state.isMerged === true;
  }

  /** The error for an input whose rows are not those of the state. */
  foreign(): PlainError {
    return usageError(
      `${this.path} belongs to other requests`,
      'Run with the same input, choose another -O, or delete the state to start new batches.',
    );
  }

  /** Writes a slice before its batch is created. */
  async add(slice: Omit<SliceState, 'mark'>): Promise<SliceState> {
    const added = { mark: randomUUID(), ...slice };
    await this.#write({ ...this.#state, slices: [...this.slices, added] });
    return added;
  }

  async change({ mark }: SliceState, facts: Pick<SliceState, 'batch' | 'failed'>): Promise<void> {
    await this.#write({ ...this.#state, slices: this.slices.map((slice) => (slice.mark === mark ? { ...slice, ...facts } : slice)) });
  }

  /** Forgets a slice: its rows count as new. */
  async drop({ mark }: SliceState): Promise<void> {
    const slices = this.slices.filter((slice) => slice.mark !== mark);
    if (slices.length === 0) await this.remove();
    else await this.#write({ ...this.#state, slices });
  }

  async merged(): Promise<void> {
    await this.#write({ ...this.#state, isMerged: true });
  }

  async remove(): Promise<void> {
    this.#state = { slices: [] };
    if (this.#isDryRun) return;
    await this.#writing;
    await rm(this.path, { force: true });
  }

  /** Finds the batches of slices whose creation was not confirmed. */
  async find(cli: Cli, client: Client): Promise<void> {
    const lost = new Map(this.slices.filter(({ batch }) => batch === undefined).map((slice) => [slice.mark, slice]));
    if (lost.size === 0) return;
    for await (const { id, metadata } of client.batch().listAll(cli.ctx)) {
      const slice = lost.get(metadata?.[markName] ?? '');
      if (slice && lost.delete(slice.mark)) await this.change(slice, { batch: id });
      if (lost.size === 0) return;
    }
  }

  /** Slices change at once, but the file is written by one at a time. */
  #write(state: RunState): Promise<void> {
    this.#state = state;
    if (this.#isDryRun) return Promise.resolve();
    const written = this.#writing.then(() => this.#file.write(state, this.#check));
    this.#writing = written.catch(() => undefined);
    return written;
  }
}
