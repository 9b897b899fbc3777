import { isAbsolute } from 'node:path';

/** An error in words for people. The command line calls it CliError. */
export class PlainError extends Error {
  override readonly name = 'CliError';
  /** Of a program that ends with it: 1, or 2 if the user's input is at fault. The command line has more. */
  readonly exitCode: number;
  /** The next step for the user, as a sentence. */
  readonly next: string | undefined;

  constructor(message: string, exitCode: number = 1, next?: string) {
    super(message);
    this.exitCode = exitCode;
    this.next = next;
  }
}

/** True for an error of the file system. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** A sentence about a failed file operation. */
export function fileProblem(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `${path} does not exist${isAbsolute(path) ? '' : ` in ${process.cwd()}`}`;
  if (code === 'EACCES' || code === 'EPERM') return `no permission for ${path}`;
  if (code === 'EISDIR') return `${path} is a directory`;
  if (code === 'ENOSPC') return `the disk of ${path} is full`;
  return `${path}: ${message}`;
}
