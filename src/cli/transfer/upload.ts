// Files that commands send: checked before the first request, streamed from the disk, with progress on stderr.
import { constants } from 'node:fs';
import { access, open, stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { FileSource, OnProgress } from 'modelsvc/types';
import { fileProblem } from '../../store/error.ts';
import { usageError } from '../errors/exit.ts';
import { wholeFile } from '../files/blocks.ts';
import { textOrFile } from '../input/input.ts';
import { transferText } from '../terminal/progress.ts';
import type { Screen } from '../terminal/screen.ts';

/** A file to send, and its name. */
export interface Source {
  readonly file: FileSource;
  readonly filename: string;
}

/** Media types that a command accepts, each with its endings. The first is given to a file without one of them. */
export type Endings = Readonly<Record<string, readonly string[]>>;

export const sounds: Endings = { 'audio/wav': ['.wav'], 'audio/mpeg': ['.mp3'] };
export const pictures: Endings = { 'image/png': ['.png'], 'image/jpeg': ['.jpg', '.jpeg'], 'image/webp': ['.webp'] };
export const documents: Endings = { 'application/pdf': ['.pdf'], 'image/png': ['.png'], 'image/jpeg': ['.jpg', '.jpeg'] };

/** The file of an argument; `-` is stdin. A missing or empty file and a directory are usage errors. */
export async function sourceOf(screen: Screen, path: string, stdinName = 'stdin'): Promise<Source> {
  if (path === '-') return { file: await stdinBytes(screen), filename: stdinName };
  await checkFile(path);
  const { fileFromPath } = await import('modelsvc/node');
  return { file: fileFromPath(path), filename: basename(path) };
}

/**
 * As `sourceOf`, for a file that the service reads by the ending of its name: the name follows the first bytes. A file of another known type is a
 * usage error, and so is an unknown one on stdin, unless `stdinName` has an ending.
 */
export async function mediaOf(screen: Screen, path: string, endings: Endings, stdinName: string): Promise<Source> {
  const given = await sourceOf(screen, path, stdinName);
  // A pipe can be read only once.
  const piped = given.file instanceof Uint8Array || (await stat(path)).isFile() ? undefined : await pipeBytes(path);
  const source = piped ? { file: piped, filename: extname(path) === '' ? stdinName : given.filename } : given;
  const bytes = source.file instanceof Uint8Array ? source.file : await firstBytes(path);
  const type = await acceptedType(path === '-' ? 'stdin' : path, bytes, endings, extname(source.filename) !== '');
  const own = extname(source.filename);
  const [ending = own, ...others] = (type && endings[type]) || [];
  return [ending, ...others].includes(own.toLowerCase()) ? source : { ...source, filename: basename(source.filename, own) + ending };
}

/** The media type of bytes. Refuses one that is not accepted, and an unknown one unless `mayBeUnknown`. */
async function acceptedType(place: string, bytes: Uint8Array, endings: Endings, mayBeUnknown = false): Promise<string | undefined> {
  const { mediaTypeOf } = await import('modelsvc/node');
  const type = mediaTypeOf(bytes);
  if (type === undefined ? mayBeUnknown : Object.hasOwn(endings, type)) return type;
  const names = Object.values(endings).map(([ending = '']) => ending.slice(1).toUpperCase());
  const found = type === undefined ? '' : `; its first bytes look like ${type}`;
  throw usageError(`${place} must be a ${names.join(' or ')} file${found}`, 'Convert the file.');
}

async function pipeBytes(path: string): Promise<Uint8Array> {
  const bytes = await wholeFile(path, await stat(path));
  if (bytes.length === 0) throw usageError(`${path} is empty`);
  return bytes;
}

async function firstBytes(path: string): Promise<Uint8Array> {
  await using file = await open(path, 'r');
  const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
  return buffer.subarray(0, bytesRead);
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
  return wholeFile(path, await stat(path));
}

/** A file as the API takes it inside JSON. Links and data URIs stay as they are; a file becomes a data URI, with the media type of its first bytes. */
export async function fileLink(value: string, endings: Endings): Promise<string> {
  if (/^(https?:|data:)/i.test(value)) return value;
  const bytes = await fileBytes(value, 50);
  return `data:${await acceptedType(value, bytes, endings)};base64,${bytes.toString('base64')}`;
}

async function stdinBytes(screen: Screen): Promise<Uint8Array> {
  if (screen.io.stdin.isTTY) throw usageError('-: stdin is a terminal', 'Redirect a file to stdin, or pass its path.');
  const bytes = await screen.stdinBytes();
  if (bytes.length === 0) throw usageError('stdin is empty');
  return bytes;
}

/** Shows the progress of an upload while `work` runs. */
export async function uploading<T>(screen: Screen, name: string, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const progress = screen.progress();
  try {
    return await work(({ bytes, total }) =>
      progress.show(bytes === total ? `sent ${name}, waiting for the reply` : `uploading ${name}: ${transferText(bytes, total)}`),
    );
  } finally {
    progress.done();
  }
}

/** The text of a command: its arguments, `@FILE`, or stdin for `-` and without arguments. */
export async function promptText(screen: Screen, place: string, words: readonly string[]): Promise<string> {
  const given = words.join(' ');
  const isStdin = given === '-' || (words.length === 0 && screen.hasStdin);
  const text = isStdin ? await screen.stdinText() : await textOrFile(place, given, () => screen.stdinText());
  if (text.trim() === '')
    throw usageError(`${place} is missing${isStdin ? ', and stdin is empty' : ''}`, 'Pass it as an argument or through a pipe.');
  return text;
}
