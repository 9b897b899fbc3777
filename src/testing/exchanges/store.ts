// The file of a cassette: read once, and merged with each exchange that ended.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../../overlay/json/problem.ts';
import { isSystemError, PlainError } from '../../store/error.ts';
import { makeFolder } from '../../store/folder.ts';
import { withLockSync } from '../../store/lock.ts';
import { replaceFileSync } from '../../store/replace.ts';
import type { ExchangeFile, RecordedExchange } from './form.ts';
import { parsedFile } from './read.ts';
import { writeExchanges } from './write.ts';

/** The exchanges of a file. Undefined if there is no file. Throws a Problem. */
export function readFile(file: string): ExchangeFile | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileProblem(file, error);
  }
  return parsedFile(text, file);
}

/** Makes the folder of a file, and shows that it can be written. Throws a Problem. */
export function prepareFolder(file: string): void {
  attempt(file, () => {
    makeFolder(dirname(file), 0o777);
    withLockSync(lockOf(file), () => undefined);
  });
}

/** Replaces the exchanges of the file by those that `merge` makes of them. Processes take turns, so none loses what another wrote. */
export function updateFile(file: string, merge: (present: readonly RecordedExchange[]) => readonly RecordedExchange[]): void {
  attempt(file, () =>
    withLockSync(lockOf(file), (check) => {
      const present = readFile(file);
      replaceFileSync(file, writeExchanges({ ...present, exchanges: merge(present?.exchanges ?? []) }), check);
    }),
  );
}

function lockOf(file: string): string {
  return `${file}.lock`;
}

function attempt(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (error instanceof PlainError) throw new Problem('file', `${file}: ${error.message}`, undefined, error.next);
    throw isSystemError(error) ? fileProblem(file, error) : error;
  }
}

function fileProblem(file: string, error: unknown): Problem {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const words: Readonly<Record<string, string>> = {
    EACCES: 'no permission',
    EPERM: 'no permission',
    ENOENT: 'its folder cannot be made',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of its path is not a folder',
    ENOSPC: 'the disk is full',
    EROFS: 'the disk can only be read',
  };
  return new Problem('file', `${file} cannot be used: ${words[code] ?? code}`);
}
