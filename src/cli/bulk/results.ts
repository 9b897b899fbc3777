// The result file of `map`: appended line by line, read again at the next run. A kill at any moment loses no complete line.
import { createReadStream, type Stats } from 'node:fs';
import { type FileHandle, open, readlink, stat } from 'node:fs/promises';
import { fileProblem } from '../../store/error.ts';
import { realTarget } from '../../store/file.ts';
import type { Lock } from '../../store/lock.ts';
import { outputLock } from '../../store/output.ts';
import { moveInto, removeLeftovers, replaceFile } from '../../store/replace.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { type InputLine, linesOf } from '../files/lines.ts';

export interface RowResult {
  /** Number of the row, from 0. */
  readonly index: number;
  /** Identifies the request of the row. */
  readonly hash: string;
  readonly output?: unknown;
  /** Text of an answer that is not usable, or the part of it that had arrived. It is next to `error`. */
  readonly answer?: string;
  readonly finish_reason?: string | undefined;
  readonly usage?: object | undefined;
  /** The model that answered, in a run with --fallback. */
  readonly model?: string | undefined;
  readonly error?: object;
}

/** The beginning of every line of the file. */
const beginning = '{"index":';

export function resultLine({ index, hash, ...rest }: RowResult): string {
  return `${JSON.stringify({ index, hash, ...rest })}\n`;
}

/** The file that results are written to. */
export interface OutputFile {
  /** The file of `-O`, as it was given. */
  readonly given: string;
  /** The same file, at the end of its links: a link stays a link. */
  readonly target: string;
  /** True with --force: results are in a file next to the target until every row has an answer. */
  readonly isNew: boolean;
  readonly path: string;
  /** The path for messages. */
  readonly name: string;
  /** Name of the file that a run with --force has left next to the target. */
  readonly unfinished?: string | undefined;
}

/** The place of results for `-O`. Throws a CliError for anything but a regular file. */
export async function placeOf(given: string, isNew: boolean): Promise<OutputFile> {
  await factsOf(given, given);
  const target = await realTarget(given);
  const isLink = await readlink(given).then(
    () => true,
    () => false,
  );
  const path = `${target}.new`;
  const name = isLink ? path : `${given}.new`;
  const isThere = (await factsOf(path, name)) !== undefined;
  return isNew ? { given, target, isNew, path, name } : { given, target, isNew, path: target, name: given, unfinished: isThere ? name : undefined };
}

/** The results of a run that has not ended, as a sentence without a full stop. */
export function whereText({ given, name, isNew }: OutputFile): string {
  return `${name} has the results so far${isNew ? `, and replaces ${given} once every row has an answer` : ''}`;
}

export class ResultFile implements AsyncDisposable {
  readonly place: OutputFile;
  /** Hashes of the answered rows, by index. */
  readonly done: ReadonlyMap<number, string>;
  readonly #file: FileHandle;
  readonly #lock: Lock;
  #added = 0;
  #isBeside: boolean;

  private constructor(place: OutputFile, file: FileHandle, done: ReadonlyMap<number, string>, lock: Lock) {
    this.place = place;
    this.#file = file;
    this.done = done;
    this.#lock = lock;
    this.#isBeside = place.isNew;
  }

  /** True while the results are in a file next to the file of `-O`. */
  get isBeside(): boolean {
    return this.#isBeside;
  }

  /**
   * Opens a file for more results. Removes failed rows, which are sent again, and a last line that was cut off by a kill. Throws a CliError if
   * another run writes the file.
   */
  static async open(place: OutputFile, signal: AbortSignal): Promise<ResultFile> {
    const { given, target, path, name } = place;
    const lock = await outputLock(target, given, signal);
    try {
      // Another run may have ended since the place was chosen. Results are as private as those that they replace.
      const facts = (await factsOf(path, name)) ?? (await factsOf(target, given));
      const { done, isClean } = await storedIn(place);
      removeLeftovers(path);
      if (!isClean) await replaceFile(path, keptLines(place), { mode: facts && facts.mode & 0o7777, check: () => lock.check() });
      const file = await open(path, 'a', facts?.mode).catch((error: NodeJS.ErrnoException) => {
        throw usageError(`-O: ${fileProblem(name, error)}`);
      });
      return new ResultFile(place, file, done, lock);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  async add(result: RowResult): Promise<void> {
    this.#lock.check();
    await this.#file.appendFile(resultLine(result)).catch((error: NodeJS.ErrnoException) => {
      const kept = `${this.done.size + this.#added} results are in ${this.place.name}.`;
      throw new CliError(`-O: ${fileProblem(this.place.name, error)}`, exitCodes.error, `${kept} Run the same command again to continue.`);
    });
    this.#added++;
  }

  /** Call it when every row has an answer. With --force, the results then replace the file of `-O`, with its mode and owner. */
  async complete(): Promise<void> {
    const { given, target, path } = this.place;
    if (!this.#isBeside) return;
    try {
      await this.#file.sync();
      await this.#file.close();
      const facts = await factsOf(target, given);
      await moveInto(path, target, facts ? { mode: facts.mode & 0o7777, owner: facts, check: () => this.#lock.check() } : {});
    } catch (error) {
      throw error instanceof CliError ? error : new CliError(`-O: ${fileProblem(given, error as NodeJS.ErrnoException)}`);
    }
    this.#isBeside = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.sync().catch(() => undefined);
    await this.#file.close();
    this.#lock.release();
  }
}

/** The results in the file, for a run that changes no file. */
export async function storedResults(place: OutputFile): Promise<ReadonlyMap<number, string>> {
  return (await storedIn(place)).done;
}

/** Undefined for a file that does not exist. */
async function factsOf(path: string, name: string): Promise<Stats | undefined> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw usageError(`-O: ${fileProblem(name, error)}`);
  });
  if (facts && !facts.isFile()) throw usageError(`-O: ${name} is not a regular file`, 'Pass the path of a file.');
  return facts;
}

async function* storedLines({ path, name }: OutputFile): AsyncGenerator<{ readonly line: InputLine; readonly result: RowResult | undefined }> {
  let count = 0;
  for await (const { text, isWhole } of linesOf(createReadStream(path), { place: name, strict: false })) {
    count++;
    const line = { text: isWhole ? text : withoutZeros(text), isWhole };
    const result = resultIn(line.text);
    const isCutOff = !isWhole && (line.text.startsWith(beginning) || beginning.startsWith(line.text));
    if (!result && !isCutOff)
      throw usageError(`-O: line ${count} of ${name} is not a result of map`, 'Pass another file; this one is left as it is.');
    yield { line, result };
  }
}

/** A power cut can leave zeros instead of the last bytes. */
function withoutZeros(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}

interface Stored {
  readonly done: ReadonlyMap<number, string>;
  readonly isClean: boolean;
}

async function storedIn(place: OutputFile): Promise<Stored> {
  if (!(await factsOf(place.path, place.name))) return { done: new Map(), isClean: true };
  const done = new Map<number, string>();
  let isClean = true;
  for await (const { line, result } of storedLines(place)) {
    if (isKept(result, done)) done.set(result.index, result.hash);
    else isClean = false;
    isClean &&= line.isWhole;
  }
  return { done, isClean };
}

async function* keptLines(place: OutputFile): AsyncGenerator<string, void, undefined> {
  const kept = new Map<number, string>();
  for await (const { line, result } of storedLines(place)) {
    if (!isKept(result, kept)) continue;
    kept.set(result.index, result.hash);
    yield `${line.text}\n`;
  }
}

function isKept(result: RowResult | undefined, before: ReadonlyMap<number, string>): result is RowResult {
  return result !== undefined && result.error === undefined && !before.has(result.index);
}

function resultIn(text: string): RowResult | undefined {
  if (!text.startsWith(beginning)) return undefined;
  try {
    const value = JSON.parse(text) as Partial<RowResult>;
    return Number.isSafeInteger(value.index) && typeof value.hash === 'string' ? (value as RowResult) : undefined;
  } catch {
    return undefined;
  }
}
