// The result file of `map`: appended line by line, read again at the next run. A kill at any moment loses no whole line.
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { CliError, exitCodes, usageError } from '../../errors/exit.ts';
import { fileProblem } from '../../input/input.ts';
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

  private constructor(file: FileHandle, path: string, done: ReadonlyMap<number, string>) {
    this.#file = file;
    this.#path = path;
    this.done = done;
  }

  /** Opens a file for more results. Removes failures, which are asked again, and a last line that a kill has cut off. */
  static async open(given: string, startsOver: boolean): Promise<ResultFile> {
    // A link stays a link.
    const path = await realpath(given).catch(() => given);
    const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw usageError(`-O: ${fileProblem(given, error)}`);
    });
    if (facts && !facts.isFile()) throw usageError(`-O: ${given} is not a regular file`, 'Pass the path of a file.');
    const { done, isClean } = facts && !startsOver ? await scan(path, given) : { done: new Map<number, string>(), isClean: true };
    if (!isClean) await rewrite(path, given, facts?.mode);
    const file = await open(path, startsOver ? 'w' : 'a').catch((error: NodeJS.ErrnoException) => {
      throw usageError(`-O: ${fileProblem(given, error)}`);
    });
    return new ResultFile(file, given, done);
  }

  async add(result: Result): Promise<void> {
    await this.#file.appendFile(resultLine(result)).catch((error: NodeJS.ErrnoException) => {
      throw new CliError(`-O: ${fileProblem(this.#path, error)}`, exitCodes.error, 'Run the same command again to continue.');
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.sync().catch(() => undefined);
    await this.#file.close();
  }
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

async function scan(path: string, given: string): Promise<{ readonly done: ReadonlyMap<number, string>; readonly isClean: boolean }> {
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
