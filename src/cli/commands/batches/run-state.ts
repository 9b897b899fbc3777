// The state of `batches run`, in a file beside the results: a run that was killed continues the same batch.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { fileProblem } from '../../files/text.ts';
import { writeWhole } from '../../transfer/download.ts';

export interface RunState {
  readonly version: 1;
  /** Hash of the input. */
  readonly input: string;
  /** Sent as metadata of the batch, so that it is found if the process ends before the reply to its creation. */
  readonly run: string;
  /** Process that creates the batch. */
  readonly pid: number;
  /** Absent until the batch is created. */
  readonly batch?: string;
}

/** Name of the metadata that contains `run`. */
export const runMark = 'modelsvc_run';

export class StateFile {
  readonly path: string;
  readonly #isDryRun: boolean;

  /** A dry run reads the state but never writes it. */
  constructor(out: string, isDryRun: boolean) {
    this.path = `${out}.state`;
    this.#isDryRun = isDryRun;
  }

  /** The state of an earlier run of the same input; undefined if there is none. Throws for a file that cannot be used, and leaves it unchanged. */
  async read(input: string): Promise<RunState | undefined> {
    const text = await readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new CliError(fileProblem(this.path, error), exitCodes.error);
    });
    if (text === undefined) return undefined;
    const state = stateIn(text);
    if (!state) throw new CliError(`${this.path} is not a state of this command`, exitCodes.error, 'Delete it to start a new batch.');
    if (state.input !== input)
      throw usageError(
        `${this.path} belongs to other requests`,
        'Run with the same file, choose another -O, or delete the state to start a new batch.',
      );
    return state;
  }

  /** Starts a run. Fails if another process has just started one. */
  async start(input: string): Promise<RunState> {
    const state: RunState = { version: 1, input, run: randomUUID(), pid: process.pid };
    await this.write(state, false).catch((error: unknown) => {
      throw existsSync(this.path) ? new CliError('another process has just started this run', exitCodes.error, 'Wait until it has ended.') : error;
    });
    return state;
  }

  async write(state: RunState, force: boolean = true): Promise<void> {
    if (!this.#isDryRun) await writeWhole(this.path, force, `${JSON.stringify(state)}\n`);
  }

  async remove(): Promise<void> {
    if (!this.#isDryRun) await rm(this.path, { force: true });
  }
}

function stateIn(text: string): RunState | undefined {
  try {
    const { version, input, run, pid, batch } = JSON.parse(text) as Partial<Record<keyof RunState, unknown>>;
    const isValid = version === 1 && typeof input === 'string' && typeof run === 'string' && typeof pid === 'number';
    return isValid ? { version, input, run, pid, ...(typeof batch === 'string' && { batch }) } : undefined;
  } catch {
    return undefined;
  }
}

/** True if a process with this id runs on this machine. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
