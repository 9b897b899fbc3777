// The state of a run of many batches, in a file beside its results: a run that was killed continues the same batches.
import { randomUUID } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import type { Client } from 'modelsvc';
import { fileProblem } from '../../store/error.ts';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { jsonValue } from '../files/json.ts';
import { writeWhole } from './write-whole.ts';

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
  readonly version: 2;
  readonly slices: readonly SliceState[];
  /** True once the results of all slices are in one file, which may not have its name yet. */
  readonly isMerged?: boolean;
}

/** Name of the metadata that contains the mark. */
const markName = 'modelsvc_run';

export function metadataOf({ mark }: SliceState): Record<string, string> {
  return { [markName]: mark };
}

export class StateFile {
  readonly path: string;
  readonly #isDryRun: boolean;
  readonly #check: () => void;
  #state: RunState;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, isDryRun: boolean, check: () => void, state: RunState) {
    this.path = path;
    this.#isDryRun = isDryRun;
    this.#check = check;
    this.#state = state;
  }

  /**
   * The state beside a file of results; empty without an earlier run. Throws for a state that cannot be used, and leaves it unchanged. `check` throws
   * if another process owns the files. A dry run never writes.
   */
  static async open(out: string, isDryRun: boolean, check: () => void): Promise<StateFile> {
    const path = `${out}.state`;
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CliError(fileProblem(path, error), exitCodes.error);
    });
    return new StateFile(path, isDryRun, check, text === undefined ? { version: 2, slices: [] } : stateIn(text, path));
  }

  get slices(): readonly SliceState[] {
    return this.#state.slices;
  }

  get isMerged(): boolean {
    return this.#state.isMerged === true;
  }

  /** The error for an input whose rows are not those of the state. */
  foreign(): CliError {
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
    this.#state = { version: 2, slices: [] };
    if (this.#isDryRun) return;
    await this.#writing;
    for (const path of [this.path, `${this.path}.tmp`]) await rm(path, { force: true });
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
    const written = this.#writing.then(() => {
      async function* text(): AsyncGenerator<Uint8Array> {
        yield new TextEncoder().encode(`${JSON.stringify(state)}\n`);
      }
      return writeWhole(this.path, text(), this.#check);
    });
    this.#writing = written.catch(() => undefined);
    return written;
  }
}

function stateIn(text: string, path: string): RunState {
  const { version, slices, batch, isMerged } = (jsonValue(text) ?? {}) as Readonly<Record<string, unknown>>;
  if (version === 1) {
    const results = typeof batch === 'string' ? `Get the results with \`modelsvc batches results ${batch}\`, or delete` : 'Delete';
    throw new CliError(`${path} is a state of an earlier version`, exitCodes.error, `${results} the state to start new batches.`);
  }
  if (version !== 2 || !Array.isArray(slices) || !slices.every(isSlice))
    throw new CliError(`${path} is not a state of this command`, exitCodes.error, 'Delete it to start new batches.');
  return { version, slices, isMerged: isMerged === true };
}

function isSlice(value: unknown): value is SliceState {
  const { mark, hash, rows, ranges } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof mark === 'string' && typeof hash === 'string' && typeof rows === 'number' && Array.isArray(ranges) && ranges.every(Array.isArray);
}
