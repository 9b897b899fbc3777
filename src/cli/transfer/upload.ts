// Files that commands send: checked before the first request, streamed from the disk, with progress on stderr.
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { FileSource, OnProgress } from 'modelsvc';
import type { Cli } from '../cli.ts';
import { usageError } from '../errors/exit.ts';
import { fileProblem } from '../files/text.ts';
import { textOrFile } from '../input/input.ts';
import { transferText } from '../terminal/progress.ts';

/** A file to send, and its name. */
export interface Source {
  readonly file: FileSource;
  readonly filename: string;
}

/** The file of an argument; `-` is stdin. A missing or empty file and a directory are usage errors. */
export async function sourceOf(cli: Cli, path: string, stdinName: (bytes: Uint8Array) => string = () => 'stdin'): Promise<Source> {
  if (path === '-') {
    const bytes = await stdinBytes(cli);
    return { file: bytes, filename: stdinName(bytes) };
  }
  await checkFile(path);
  const { fileFromPath } = await import('modelsvc/node');
  return { file: fileFromPath(path), filename: basename(path) };
}

/** Checks a file before it is sent. Returns its size; undefined for a pipe. */
export async function checkFile(path: string): Promise<number | undefined> {
  const failed = (error: NodeJS.ErrnoException): never => {
    throw usageError(path === '' ? 'the name of the file is empty' : fileProblem(path, error));
  };
  const facts = await stat(path).catch(failed);
  if (facts.isDirectory()) throw usageError(`${path} is a directory`, 'Pass the path of a file.');
  await access(path, constants.R_OK).catch(failed);
  if (!facts.isFile()) return undefined;
  if (facts.size === 0) throw usageError(`${path} is empty`);
  return facts.size;
}

/** The bytes of a file that is sent inside JSON. */
export async function fileBytes(path: string, maxMB: number): Promise<Buffer> {
  const size = await checkFile(path);
  if (size !== undefined && size > maxMB * 1024 * 1024) throw usageError(`${path} has ${size} bytes; the limit is ${maxMB} MB`);
  return readFile(path);
}

const imageTypes: Readonly<Record<string, string>> = { '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.webp': 'image/webp' };

/** An image as the API takes it: links and data URIs unchanged, files as data URIs. */
export async function imageLink(value: string): Promise<string> {
  if (/^(https?:|data:)/i.test(value)) return value;
  const type = imageTypes[extname(value).toLowerCase()];
  const bytes = await fileBytes(value, 50);
  if (type === undefined) throw usageError(`${value} must end in .png, .jpg, .jpeg or .webp`);
  return `data:${type};base64,${bytes.toString('base64')}`;
}

async function stdinBytes(cli: Cli): Promise<Uint8Array> {
  if (cli.io.stdin.isTTY) throw usageError('-: stdin is a terminal', 'Redirect a file to stdin, or pass its path.');
  const bytes = await cli.stdinBytes();
  if (bytes.length === 0) throw usageError('stdin is empty');
  return bytes;
}

/** Shows the progress of an upload while `work` runs. */
export async function uploading<T>(cli: Cli, name: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const progress = cli.progress();
  try {
    return await work((bytes, total) =>
      progress.show(bytes === total ? `sent ${name}, waiting for the reply` : `uploading ${name}: ${transferText(bytes, total)}`),
    );
  } finally {
    progress.done();
  }
}

/** The text of a command: its arguments, `@FILE`, or stdin for `-` and without arguments. */
export async function promptText(cli: Cli, place: string, words: readonly string[]): Promise<string> {
  const given = words.join(' ');
  const isStdin = given === '-' || (words.length === 0 && cli.hasStdin);
  const text = isStdin ? await cli.stdinText() : await textOrFile(place, given, () => cli.stdinText());
  if (text.trim() === '') throw usageError(isStdin ? `${place} is missing, and stdin is empty` : `${place} is missing`);
  return text;
}
