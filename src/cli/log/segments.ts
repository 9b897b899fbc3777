// The files of the log, one a month. Writers append without a lock; a removal renames a file before it rewrites it.
import { closeSync, fstatSync, openSync, readdirSync, readSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileProblem } from '../../store/error.ts';
import { withLock } from '../../store/lock.ts';
import { removeLeftovers, replaceFile } from '../../store/replace.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import { factsOf, newId } from './entry.ts';

const blockBytes = 96 * 1024;
const lineFeed = 10;

/** `2026-11.jsonl` gets new entries, and `2026-11.ID.jsonl` no more. */
const namePattern = /^(\d{4}-\d\d)(\.[0-9a-z]+)?\.jsonl$/;

/**
 * Appends a line to the file of a month, with one write: lines of several processes do not mix. A removal may have renamed the file in between,
 * and then the line is written again, because the removal may not have seen it. Readers drop the second one by its id.
 */
export function append(folder: string, month: string, line: string): void {
  const path = join(folder, `${month}.jsonl`);
  const bytes = Buffer.from(line);
  for (;;) {
    const file = openSync(path, 'a', 0o600);
    try {
      // After a partial write, the next one fails with the reason.
      if (writeSync(file, bytes) < bytes.length) continue;
      const [own, named] = [fstatSync(file, { bigint: true }), statSync(path, { bigint: true, throwIfNoEntry: false })];
      if (named?.ino === own.ino && named.dev === own.dev) return;
    } finally {
      closeSync(file);
    }
  }
}

/** Names of the files, oldest first. */
function segmentNames(folder: string): string[] {
  // The file that gets new entries is the last one of its month.
  const order = (name: string): string => name.replace(namePattern, (_, month: string, sealed: string | undefined) => month + (sealed ?? '~'));
  try {
    return readdirSync(folder)
      .filter((name) => namePattern.test(name))
      .sort((a, b) => (order(a) < order(b) ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw unreadable(folder, error);
  }
}

interface Segment {
  readonly name: string;
  readonly file: number;
}

/** All files at one moment. A removal renames files, so the names are compared once they are open. */
function openSegments(folder: string): Segment[] {
  for (;;) {
    const segments: Segment[] = [];
    const names = segmentNames(folder);
    try {
      for (const name of names) segments.push({ name, file: openSync(join(folder, name), 'r') });
    } catch (error) {
      closeAll(segments);
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue;
      throw unreadable(folder, error);
    }
    if (segmentNames(folder).join() === names.join()) return segments;
    closeAll(segments);
  }
}

function closeAll(segments: readonly Segment[]): void {
  for (const { file } of segments) closeSync(file);
}

function unreadable(folder: string, error: unknown): CliError {
  return new CliError(`cannot read the log: ${fileProblem(folder, error as NodeJS.ErrnoException)}`, exitCodes.error);
}

export interface LineOrder {
  readonly newestFirst: boolean;
  /** Months to read, such as `2026-11`. */
  readonly from: string;
  readonly to: string;
}

/** The lines of the files, each with the name of its file. A line is valid until the next one. */
export function* linesIn(folder: string, { newestFirst, from, to }: LineOrder): Generator<{ readonly line: Buffer; readonly name: string }, void> {
  const segments = openSegments(folder);
  try {
    const chosen = segments.filter(({ name }) => name.slice(0, 7) >= from && name.slice(0, 7) <= to);
    for (const { file, name } of newestFirst ? chosen.reverse() : chosen)
      for (const line of linesOfFile(file, newestFirst)) if (line.length > 0) yield { line, name };
  } finally {
    closeAll(segments);
  }
}

/** The number of the first line of a file that is `wanted`, from 1. Undefined if there is none. */
export function numberOfLine(path: string, isWanted: (line: Buffer) => boolean): number | undefined {
  let number = 0;
  for (const line of linesAt(path)) {
    number++;
    if (line.length > 0 && isWanted(line)) return number;
  }
  return undefined;
}

function* linesOfFile(file: number, newestFirst: boolean): Generator<Buffer, void, undefined> {
  for (const block of blocksOf(file, newestFirst)) {
    const lines: Buffer[] = [];
    for (let start = 0; start < block.length; ) {
      const found = block.indexOf(lineFeed, start);
      const end = found < 0 ? block.length : found;
      lines.push(block.subarray(start, end));
      start = end + 1;
    }
    yield* newestFirst ? lines.reverse() : lines;
  }
}

/** Blocks of whole lines. A block is valid until the next one. */
function* blocksOf(file: number, newestFirst: boolean): Generator<Buffer, void, undefined> {
  const ends = lineEnds(file, fstatSync(file).size);
  const ranges = ends.map((end, at) => [ends[at - 1] ?? 0, end] as const);
  let buffer = Buffer.allocUnsafe(0);
  for (const [start, end] of newestFirst ? ranges.reverse() : ranges) {
    if (buffer.length < end - start) buffer = Buffer.allocUnsafe(end - start);
    yield buffer.subarray(0, readSync(file, buffer, 0, end - start, start));
  }
}

/** Ends of lines at distances of about a block. The last one is the end of the file. */
function lineEnds(file: number, size: number): number[] {
  const ends: number[] = [];
  const piece = Buffer.allocUnsafe(4096);
  for (let at = blockBytes; at < size; ) {
    const read = readSync(file, piece, 0, piece.length, at);
    if (read === 0) break;
    const found = piece.subarray(0, read).indexOf(lineFeed);
    at += found < 0 ? read : found + 1;
    if (found < 0) continue;
    // The file may have grown since.
    if (at < size) ends.push(at);
    at += blockBytes;
  }
  return size === 0 ? [] : [...ends, size];
}

/**
 * Rewrites the files that have a line to remove, and drops lines that were cut off. Other processes may append meanwhile: a file is renamed first,
 * and a writer that finds its file renamed writes its line again.
 */
export async function removeLines(folder: string, signal: AbortSignal, isRemoved: (line: Buffer) => boolean): Promise<void> {
  if (segmentNames(folder).length === 0) return;
  await withLock(join(folder, 'remove.lock'), signal, async (check) => {
    for (const name of segmentNames(folder)) {
      removeLeftovers(join(folder, name));
      if (!hasLine(join(folder, name), isRemoved)) continue;
      const [, month = '', sealed] = namePattern.exec(name) ?? [];
      const path = join(folder, sealed === undefined ? `${month}.${newId()}.jsonl` : name);
      check();
      if (sealed === undefined) renameSync(join(folder, name), path);
      if (keptBlocks(path, isRemoved).next().done === true) rmSync(path);
      else await replaceFile(path, keptBlocks(path, isRemoved), { check });
    }
  });
}

function hasLine(path: string, isWanted: (line: Buffer) => boolean): boolean {
  for (const line of linesAt(path)) if (isWanted(line)) return true;
  return false;
}

/** The lines of a file. Some are empty. */
function* linesAt(path: string): Generator<Buffer, void, undefined> {
  const file = openSync(path, 'r');
  try {
    yield* linesOfFile(file, false);
  } finally {
    closeSync(file);
  }
}

/** The lines that are kept, in blocks. Lines that were cut off are left out. */
function* keptBlocks(path: string, isRemoved: (line: Buffer) => boolean): Generator<Buffer, void, undefined> {
  let lines: Buffer[] = [];
  let length = 0;
  for (const line of linesAt(path)) {
    if (isRemoved(line) || !factsOf(line)) continue;
    // A copy: the block of the line is read over.
    lines.push(Buffer.concat([line, Buffer.of(lineFeed)]));
    length += line.length;
    if (length < blockBytes) continue;
    yield Buffer.concat(lines);
    [lines, length] = [[], 0];
  }
  if (lines.length > 0) yield Buffer.concat(lines);
}
