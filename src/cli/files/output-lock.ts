import { dirname } from 'node:path';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { type Lock, lockOrFail } from './lock.ts';
import { fileProblem } from './text.ts';

/** Takes the lock of a file that `-O` names, for a run of hours. Throws a CliError if another run has it. `given` is the path for messages. */
export function outputLock(path: string, given: string, signal: AbortSignal): Promise<Lock> {
  const heldBy = (pid: string): CliError =>
    new CliError(`-O: process ${pid} is writing ${given}`, exitCodes.error, 'Wait for it or end it, or pass another file.');
  return lockOrFail(`${path}.lock`, signal, heldBy).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof CliError || error.syscall === undefined) throw error;
    throw usageError(`-O: ${given} cannot be locked: ${fileProblem(dirname(path), error)}`);
  });
}
