// Whether a tool is on this machine, and its version.
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Machine } from './machine.ts';
import type { CodingTool } from './tool.ts';

const versionMs = 10_000;

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

/** The version that a program prints; undefined if it prints none. The program sees an empty stdin, and has ten seconds. */
export function versionOf(path: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      path,
      ['--version'],
      { env, timeout: versionMs, windowsHide: true, shell: /\.(?:cmd|bat)$/i.test(path) },
      (error, stdout) => resolve(error ? undefined : /\d+\.\d+(?:\.\d+)?[\w.-]*/.exec(stdout)?.[0]),
    );
    child.stdin?.on('error', () => undefined).end();
  });
}
