// The file that `-O` names. A run of hours holds its lock.
import { dirname } from 'node:path';
import { fileProblem, isSystemError, PlainError } from './error.ts';
import { type Lock, lockOrFail } from './lock.ts';

/** Takes the lock of a file that `-O` names, for a run of hours. Throws a PlainError if another run has it. `given` is the path for messages. */
export function outputLock(path: string, given: string, signal: AbortSignal): Promise<Lock> {
  const heldBy = (pid: string): PlainError =>
    new PlainError(`-O: process ${pid} is writing ${given}`, 1, 'Wait for it or end it, or pass another file.');
  return lockOrFail(`${path}.lock`, signal, heldBy).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    throw new PlainError(`-O: ${given} cannot be locked: ${fileProblem(dirname(path), error)}`, 2, 'Pass another file.');
  });
}
