// Text files, read whole, and the words for a failed file operation.
import { readFile, stat } from 'node:fs/promises';
import { usageError } from '../errors/exit.ts';

/** Largest text that a command reads into memory, in bytes. */
export const maxTextBytes: number = 32 * 1024 * 1024;

/** Reads a text file. A missing file, a directory and a file beyond the limit are usage errors that name `place`. */
export async function readText(place: string, path: string): Promise<string> {
  const facts = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${place}: ${fileProblem(path, error)}`);
  });
  if (facts.isDirectory()) throw usageError(`${place}: ${path} is a directory`, 'Pass the path of a file.');
  if (facts.size > maxTextBytes) throw usageError(`${place}: ${path} has ${facts.size} bytes; the limit is ${maxTextBytes}`);
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw usageError(`${place}: ${fileProblem(path, error)}`);
  });
  return decoded(`${place}: ${path}`, bytes);
}

/** Bytes as text. Bytes that are not UTF-8 are a usage error that names `place`. */
export function decoded(place: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${place} is not UTF-8 text`, 'Convert it to UTF-8 first.');
  }
}

/** A sentence about a failed file operation. */
export function fileProblem(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `${path} does not exist`;
  if (code === 'EACCES' || code === 'EPERM') return `no permission for ${path}`;
  if (code === 'EISDIR') return `${path} is a directory`;
  if (code === 'ENOSPC') return `the disk of ${path} is full`;
  return `${path}: ${message}`;
}
