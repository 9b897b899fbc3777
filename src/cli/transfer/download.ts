// Results that go to a file: written beside the target, renamed at the end. A failed transfer leaves no file.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Cli } from '../cli.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { fileProblem } from '../files/text.ts';
import type { Input } from '../input/input.ts';
import { transferText } from '../terminal/progress.ts';
import { checkOutput } from './own-input.ts';

/** The place that `-O` names. A device or a pipe is written directly. */
export interface Destination {
  readonly kind: 'stdout' | 'file' | 'directory' | 'device';
  readonly path: string;
  /** True if an existing file may be replaced. */
  readonly force: boolean;
}

/** Blocks to save. */
export interface Transfer {
  readonly blocks: AsyncIterable<Uint8Array>;
  /** File name in a directory. */
  readonly name: string;
  /** Size in bytes, if known. */
  readonly size?: number | undefined;
}

/** The target of `-O`, checked before the command sends a request. Undefined without `-O`. */
export async function targetOf(cli: Cli, input: Input): Promise<Destination | undefined> {
  const path = input.text('out');
  if (path === undefined) return undefined;
  const force = input.flag('force');
  if (path !== '-') {
    checkOutput(input, path);
    return fileTarget(path, force);
  }
  if (cli.io.stdout.isTTY) throw usageError('-O -: stdout is a terminal', 'Redirect it, or pass a file name to -O.');
  if (!cli.output.isText) throw usageError(`-O - and --output ${cli.output.format} both write to stdout`, 'Pass a file name to -O.');
  return { kind: 'stdout', path, force };
}

async function fileTarget(path: string, force: boolean): Promise<Destination> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && path !== '') return undefined;
    throw usageError(`-O: ${fileProblem(path, error)}`);
  });
  if (facts?.isDirectory()) return { kind: 'directory', path, force };
  if (facts && !facts.isFile()) return { kind: 'device', path, force };
  if (facts && !force) throw existing(path);
  const folder = /[\\/]$/.test(path) ? path : dirname(path);
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`-O: ${fileProblem(folder, error)}`);
  });
  // A link to the file stays; the file that it points to is replaced.
  return { kind: 'file', path: facts ? await realpath(path) : path, force };
}

function existing(path: string): CliError {
  return usageError(`-O: ${path} already exists`, 'Pass --force to overwrite it, or another name.');
}

/** The words of a command line that name the target. */
export function targetWords(target: Destination | undefined): readonly string[] {
  return target ? ['-O', target.path, ...(target.force ? ['--force'] : [])] : [];
}

/** Saves blocks, with the progress on stderr. Returns the path; `-` for stdout. */
export async function save(cli: Cli, { blocks, name, size }: Transfer, target: Destination): Promise<string> {
  const progress = cli.progress();
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    let done = 0;
    for await (const block of blocks) {
      yield block;
      done += block.length;
      progress.show(`downloading ${name}: ${transferText(done, size)}`);
    }
  }
  try {
    if (target.kind === 'stdout') for await (const block of counted()) await cli.output.bytes(block);
    else if (target.kind === 'device') await toDevice(target.path, counted());
    else {
      const path = target.kind === 'directory' ? join(target.path, name) : target.path;
      await toFile(path, target.force, counted());
      return path;
    }
    return target.path;
  } finally {
    progress.done();
  }
}

export function saveText(cli: Cli, text: string, name: string, target: Destination): Promise<string> {
  return save(cli, { blocks: oneBlock(text), name }, target);
}

export async function* oneBlock(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  yield new TextEncoder().encode(text);
}

async function toDevice(path: string, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await writing(path, open(path, 'w'));
  try {
    for await (const block of blocks) await writing(path, handle.appendFile(block));
  } finally {
    await handle.close();
  }
}

/** Writes a file completely or not at all. An existing file is replaced only by force. */
export async function toFile(path: string, force: boolean, blocks: AsyncIterable<Uint8Array>): Promise<void> {
  // Two commands may save to the same target at once.
  const part = `${path}.${randomBytes(4).toString('hex')}.part`;
  const handle = await writing(path, open(part, 'wx'));
  try {
    try {
      for await (const block of blocks) await writing(path, handle.appendFile(block));
      await writing(path, handle.sync());
    } finally {
      await handle.close();
    }
    await (force ? writing(path, rename(part, path)) : settle(part, path));
  } finally {
    await rm(part, { force: true });
  }
}

/** Gives the part its name. Throws if another process has made a file with that name in the meantime. */
async function settle(part: string, path: string): Promise<void> {
  const error = await link(part, path).then(
    () => undefined,
    (failure: NodeJS.ErrnoException) => failure,
  );
  if (error?.code === 'EEXIST') throw existing(path);
  // Some file systems have no hard links.
  if (error) await writing(path, rename(part, path));
}

function writing<T>(path: string, work: Promise<T>): Promise<T> {
  return work.catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`cannot write ${path}: ${fileProblem(path, error)}`, exitCodes.error, 'Choose another place with -O.');
  });
}
