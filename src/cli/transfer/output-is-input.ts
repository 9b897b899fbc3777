// An output that is also an input: writing it would destroy what the command reads.
import { type BigIntStats, existsSync, fstatSync, lstatSync, statSync } from 'node:fs';
import { usageError } from '../errors/exit.ts';
import type { Input, InputFile } from '../input/input.ts';

/**
 * Throws if `-O` names a file that the command reads, or one of `more`. Links and other spellings of its path count. Throws also for a link to a file
 * that does not exist, because what was meant is not known.
 */
export function checkOutput(input: Input, out: string, more: readonly InputFile[] = []): void {
  if (isDangling(out)) throw usageError(`-O: ${out} is a link to a file that does not exist`, 'Remove the link, or pass another file to -O.');
  const name = nameOf(factsOf(out), [...input.files, ...more]);
  if (name !== undefined) throw usageError(`-O: ${out} is the same file as ${name}`, 'Pass another file to -O.');
}

/** Throws if stdout goes to a file that the command reads: it would read its own results endlessly. */
export function checkStdout(input: Input): void {
  const name = nameOf(factsOf(1), input.files);
  if (name !== undefined) throw usageError(`stdout is the same file as ${name}`, 'Redirect it to another file.');
}

function nameOf(target: BigIntStats | undefined, files: readonly InputFile[]): string | undefined {
  if (!target?.isFile()) return undefined;
  const isTarget = (facts: BigIntStats | undefined): boolean => facts?.dev === target.dev && facts.ino === target.ino;
  return files.find(({ path }) => isTarget(factsOf(path)))?.name ?? (isTarget(factsOf(0)) ? 'stdin' : undefined);
}

function isDangling(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && !existsSync(path);
  } catch {
    return false;
  }
}

/** Undefined for a file that does not exist and for a closed descriptor. */
function factsOf(file: string | number): BigIntStats | undefined {
  try {
    return typeof file === 'number' ? fstatSync(file, { bigint: true }) : statSync(file, { bigint: true });
  } catch {
    return undefined;
  }
}
