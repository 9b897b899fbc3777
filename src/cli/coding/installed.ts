// Whether a tool is on this machine.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Machine } from './machine.ts';
import type { CodingTool } from './tool.ts';

/** Path of a program on the PATH. */
export function programPath(program: string, { env, platform }: Pick<Machine, 'env' | 'platform'>): string | undefined {
  const endings = platform === 'win32' ? (env['PATHEXT'] ?? '.EXE;.CMD;.BAT').split(';') : [''];
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Path of the program of a tool, or of one of its files. Undefined if the tool is not on this machine. */
export function foundAt({ program, traces }: CodingTool, machine: Machine): string | undefined {
  return (program === undefined ? undefined : programPath(program, machine)) ?? traces(machine).find((path) => machine.exists(path));
}
