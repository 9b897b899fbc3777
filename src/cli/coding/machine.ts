// The machine as the definitions of tools see it, so that they can be tested for every system.
import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { homeFolder } from '../accounts/folder.ts';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly cwd: string;
  exists(path: string): boolean;
}

export function thisMachine(env: NodeJS.ProcessEnv): Machine {
  return { platform: process.platform, env, home: homeFolder(), cwd: process.cwd(), exists: existsSync };
}

/** Joins names below a folder, with the separator of the system. */
export function pathIn(machine: Machine, folder: string, ...names: string[]): string {
  return (machine.platform === 'win32' ? win32 : posix).join(folder, ...names);
}

/** A path below the home folder. */
export function inHome(machine: Machine, ...names: string[]): string {
  return pathIn(machine, machine.home, ...names);
}

/** A folder that a variable names, if it is absolute; otherwise the default. */
export function folderOf(machine: Machine, variable: string, standard: string): string {
  const named = machine.env[variable];
  return named && (machine.platform === 'win32' ? win32 : posix).isAbsolute(named) ? named : standard;
}

/** `$XDG_CONFIG_HOME/NAME`, or `~/.config/NAME`, on every system. */
export function xdgConfig(machine: Machine, name: string): string {
  return pathIn(machine, folderOf(machine, 'XDG_CONFIG_HOME', inHome(machine, '.config')), name);
}

/** `$XDG_DATA_HOME/NAME`, or `~/.local/share/NAME`, on every system. */
export function xdgData(machine: Machine, name: string): string {
  return pathIn(machine, folderOf(machine, 'XDG_DATA_HOME', inHome(machine, '.local', 'share')), name);
}

/** `%APPDATA%` of Windows. */
export function appData(machine: Machine): string {
  return folderOf(machine, 'APPDATA', inHome(machine, 'AppData', 'Roaming'));
}

/** A file of a project: in the working folder, and in those above it up to the root of the Git repository. */
export function inProject(machine: Machine, ...names: string[]): readonly string[] {
  const { dirname } = machine.platform === 'win32' ? win32 : posix;
  const folders = [machine.cwd];
  for (let folder = machine.cwd; !machine.exists(pathIn(machine, folder, '.git')); folders.push(folder)) {
    if (dirname(folder) === folder) return [pathIn(machine, machine.cwd, ...names)];
    folder = dirname(folder);
  }
  return folders.map((folder) => pathIn(machine, folder, ...names));
}

/** The first of these paths that exists, otherwise the fallback. */
export function firstExisting(machine: Machine, paths: readonly string[], fallback: string): string {
  return paths.find((path) => machine.exists(path)) ?? fallback;
}
