// The result file of `map`: appended line by line, read again at the next run. A kill at any moment loses no whole line.
import { randomUUID } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { realTarget } from '../../accounts/file.ts';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { fileProblem } from '../../input/input.ts';
import { type Lock, lockOrFail } from '../../transfer/lock.ts';
import { type Line, linesOf } from './lines.ts';

export interface Result {
  /** Number of the row, from 0. */
  readonly index: number;
  /** Identifies the request of the row. */
  readonly hash: string;
  readonly output?: unknown;
  readonly finish_reason?: string | undefined;
  readonly usage?: object | undefined;
  readonly error?: object;
}

/** Every line of the file begins so. */
const beginning = '{"index":';

export function resultLine({ index, hash, ...rest }: Result): string {
  return `${JSON.stringify({ index, hash, ...rest })}\n`;
}

export class ResultFile implements AsyncDisposable {
  /** Hashes of the answered rows, by index. */
  readonly done: ReadonlyMap<number, string>;
  readonly #file: FileHandle;
  readonly #path: string;
  readonly #lock: Lock;

  private constructor(file: FileHandle, path: string, done: ReadonlyMap<number, string>, lock: Lock) {
    this.#file = file;
    this.#path = path;
    this.done = done;
    this.#lock = lock;
  }

  /**
   * Opens a file for more results. Removes failures, which are asked again, and a last line that a kill has cut off. Throws a CliError if another
   * run writes the file.
   */
  static async open(given: string, { startsOver, signal }: { readonly startsOver: boolean; readonly signal: AbortSignal }): Promise<ResultFile> {
    await factsOf(given);
    // A link stays a link.
    const path = await realTarget(given);
    const lock = await locked(path, given, signal);
    try {
      // Another run may have ended in between.
      const facts = await factsOf(given);
      const { done, isClean } = facts && !startsOver ? await scan(path, given) : noResults;
      if (!isClean) await rewrite(path, given, facts?.mode);
      const file = await open(path, startsOver ? 'w' : 'a').catch((error: NodeJS.ErrnoException) => {
        throw usageError(`-O: ${fileProblem(given, error)}`);
      });
      return new ResultFile(file, given, done, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async add(result: Result): Promise<void> {
    this.#lock.check();
    await this.#file.appendFile(resultLine(result)).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`-O: ${fileProblem(this.#path, error)}`, exitCodes.error, 'Run the same command again to continue.');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.sync().catch(() => undefined);
    await this.#file.close();
    this.#lock.release();
  }
}

const noResults: Stored = { done: new Map(), isClean: true };

/** Results that the file has, for a run that changes no file. */
export async function storedResults(given: string): Promise<ReadonlyMap<number, string>> {
  return (await factsOf(given)) ? (await scan(given, given)).done : noResults.done;
}

/** Undefined for a file that does not exist. */
async function factsOf(given: string): Promise<Stats | undefined> {
  const facts = await stat(given).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usageError(`-O: ${fileProblem(given, error)}`);
  });
  if (facts && !facts.isFile()) throw usageError(`-O: ${given} is not a regular file`, 'Pass the path of a file.');
  return facts;
}

async function locked(path: string, given: string, signal: AbortSignal): Promise<Lock> {
  const heldBy = (pid: string): CliError =>
    new CliError(`-O: process ${pid} is writing ${given}`, exitCodes.error, 'Wait for it or end it, or pass another file.');
  return lockOrFail(`${path}.lock`, signal, heldBy).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof CliError || error.syscall === undefined) throw error;
    throw usageError(`-O: ${given} cannot be locked: ${fileProblem(dirname(path), error)}`);
  });
}

async function* storedLines(path: string, given: string): AsyncGenerator<{ readonly line: Line; readonly result: Result | undefined }> {
  let count = 0;
  for await (const line of linesOf(createReadStream(path), { place: given, strict: false })) {
    count++;
    const result = resultIn(line.text);
    const isCutOff = !line.isWhole && (line.text.startsWith(beginning) || beginning.startsWith(line.text));
    if (!result && !isCutOff)
      throw usageError(`-O: line ${count} of ${given} is not a result of map`, 'Pass another file; this one is left as it is.');
    yield { line, result };
  }
}

interface Stored {
  readonly done: ReadonlyMap<number, string>;
  readonly isClean: boolean;
}

async function scan(path: string, given: string): Promise<Stored> {
  const done = new Map<number, string>();
  let isClean = true;
  for await (const { line, result } of storedLines(path, given)) {
    if (isKept(result, done)) done.set(result.index, result.hash);
    else isClean = false;
    isClean &&= line.isWhole;
  }
  return { done, isClean };
}

async function rewrite(path: string, given: string, mode: number | undefined): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    await using file = await open(temporary, 'wx', mode);
    const kept = new Map<number, string>();
    for await (const { line, result } of storedLines(path, given)) {
      if (!isKept(result, kept)) continue;
      kept.set(result.index, result.hash);
      await file.appendFile(`${line.text}\n`);
    }
    await file.sync();
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

function isKept(result: Result | undefined, before: ReadonlyMap<number, string>): result is Result {
  return result !== undefined && result.error === undefined && !before.has(result.index);
}

function resultIn(text: string): Result | undefined {
  if (!text.startsWith(beginning)) return undefined;
  try {
    const value = JSON.parse(text) as Partial<Result>;
    return Number.isSafeInteger(value.index) && typeof value.hash === 'string' ? (value as Result) : undefined;
  } catch {
    return undefined;
  }
}
