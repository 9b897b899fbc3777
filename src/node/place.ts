// The place of a file on disk: checked before a request is sent, and written completely or not at all.
import { constants } from 'node:fs';
import { access, type FileHandle, link, lstat, open, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { validated } from '../overlay/errors/problem.ts';
import { checkFields } from '../overlay/json/known-fields.ts';
import { Problem } from '../overlay/json/problem.ts';
import { pipeWriter } from '../store/pipe.ts';
import { moveInto } from '../store/replace.ts';
import { partName } from './file-name.ts';
import { pathError } from './path-error.ts';

/** A place that can be written. */
export interface FilePlace {
  /** A pipe is a `device` too. */
  readonly kind: 'file' | 'folder' | 'device';
  /** The path. For a symbolic link to a file, the path of that file. */
  readonly path: string;
}

/** How to treat a file that exists. */
export interface PlaceOptions {
  /** Replace a file that exists. Default: false, which throws an error with the code `EEXIST`. */
  readonly overwrite?: boolean | undefined;
}

/**
 * Checks the path of a later `download`, before a call that costs money. Throws a ValidationError with `path` and the `code` of the file system: if the file
 * exists, if its folder does not, or if one of them cannot be written. A link to a file that does not exist is refused too.
 *
 * @example
 * await checkPlace('lighthouse.png');
 */
export async function checkPlace(path: string | URL, options: PlaceOptions = {}): Promise<FilePlace> {
  const operation = 'checkPlace';
  const name = validated(operation, () => {
    checkFields<PlaceOptions>(options, { overwrite: 1 }, 'options');
    return checkedPath(path, options);
  });
  return placeOf(operation, name, options);
}

/** A path as text. Throws a Problem for a path or an `overwrite` of the wrong kind. */
export function checkedPath(path: string | URL, { overwrite = false }: PlaceOptions): string {
  if (typeof overwrite !== 'boolean') throw new Problem('options.overwrite', 'must be true or false');
  const name = path instanceof URL && path.protocol === 'file:' ? fileURLToPath(path) : path;
  if (typeof name !== 'string' || name === '') throw new Problem('path', 'must be the path of a file or a folder');
  return name;
}

/** The place of a path. `operation` is the name in errors. */
export async function placeOf(operation: string, name: string, { overwrite = false }: PlaceOptions): Promise<FilePlace> {
  const facts = await stat(name).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cannotWrite(operation, name, cause);
  });
  // A write would fail after the call, because the link has the name.
  if (!facts && (await lstat(name).catch(() => undefined))?.isSymbolicLink())
    throw cannotWrite(operation, name, Object.assign(new Error('it is a link to a file that does not exist'), { code: 'ENOENT' }));
  if (facts && !facts.isDirectory() && !facts.isFile()) return { kind: 'device', path: name };
  if (facts?.isFile() && !overwrite) throw existing(operation, name);
  const folder = facts?.isDirectory() || /[\\/]$/.test(name) ? name : dirname(name);
  await access(folder, constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    throw cannotWrite(operation, folder, cause);
  });
  if (facts?.isDirectory()) return { kind: 'folder', path: name };
  // A link to the file stays; the file that it points to is replaced.
  return { kind: 'file', path: facts ? await realpath(name) : name };
}

/** Writes blocks to a file or a device. The file is there once it is complete. Returns the number of bytes. */
export function writeBlocks(
  { kind, path }: FilePlace,
  overwrite: boolean,
  blocks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<number> {
  return kind === 'device' ? toDevice(path, blocks, signal) : toFile(path, overwrite, blocks);
}

async function toDevice(path: string, blocks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<number> {
  if ((await stat(path)).isFIFO()) return toPipe(path, blocks, signal);
  const handle = await writing(path, open(path, 'w'));
  try {
    return await append(path, handle, blocks);
  } finally {
    await handle.close();
  }
}

async function toPipe(path: string, blocks: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<number> {
  const pipe = await writing(path, pipeWriter(path, signal));
  let bytes = 0;
  try {
    for await (const block of blocks) {
      await writing(path, writeAll(pipe, block));
      bytes += block.length;
    }
    return bytes;
  } finally {
    pipe.destroy();
  }
}

function writeAll(pipe: Writable, block: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => void pipe.write(block, (error) => (error ? reject(error) : resolve())));
}

async function toFile(path: string, overwrite: boolean, blocks: AsyncIterable<Uint8Array>): Promise<number> {
  // Two downloads may have the same target at once.
  const part = join(dirname(path), partName(basename(path)));
  // Opened before the first block is read: a reply can still be read if its file cannot be written.
  const handle = await writing(path, open(part, 'wx'));
  try {
    let bytes: number;
    try {
      bytes = await append(path, handle, blocks);
      await writing(path, handle.sync());
    } finally {
      await handle.close();
    }
    await (overwrite ? writing(path, moveInto(part, path)) : settle(part, path));
    return bytes;
  } finally {
    await rm(part, { force: true });
  }
}

async function append(path: string, handle: FileHandle, blocks: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const block of blocks) {
    await writing(path, handle.appendFile(block));
    bytes += block.length;
  }
  return bytes;
}

/** Gives the part its name. Throws if another process has made a file with that name in the meantime. */
async function settle(part: string, path: string): Promise<void> {
  const error = await link(part, path).then(
    () => undefined,
    (failure: NodeJS.ErrnoException) => failure,
  );
  if (error?.code === 'EEXIST') throw existing('download', path);
  // Some file systems have no hard links.
  if (error) await writing(path, moveInto(part, path));
}

function writing<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((cause: NodeJS.ErrnoException) => {
    throw cannotWrite('download', path, cause);
  });
}

/** The error of a file that exists. */
function existing(operation: string, path: string): Error {
  return pathError(operation, path, 'written', Object.assign(new Error('it exists already'), { code: 'EEXIST' }));
}

function cannotWrite(operation: string, path: string, cause: NodeJS.ErrnoException): Error {
  return pathError(operation, path, 'written', cause);
}
