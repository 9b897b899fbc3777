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
export function pathIn(place: Machine, folder: string, ...names: string[]): string {
  return (place.platform === 'win32' ? win32 : posix).join(folder, ...names);
}

/** A path below the home folder. */
export function inHome(place: Machine, ...names: string[]): string {
  return pathIn(place, place.home, ...names);
}

/** A folder that a variable names, if it is absolute; otherwise the default. */
export function folderOf(place: Machine, variable: string, standard: string): string {
  const named = place.env[variable];
  return named && (place.platform === 'win32' ? win32 : posix).isAbsolute(named) ? named : standard;
}

/** `$XDG_CONFIG_HOME/NAME`, or `~/.config/NAME`, on every system. */
export function xdgConfig(place: Machine, name: string): string {
  return pathIn(place, folderOf(place, 'XDG_CONFIG_HOME', inHome(place, '.config')), name);
}

/** `$XDG_DATA_HOME/NAME`, or `~/.local/share/NAME`, on every system. */
export function xdgData(place: Machine, name: string): string {
  return pathIn(place, folderOf(place, 'XDG_DATA_HOME', inHome(place, '.local', 'share')), name);
}

/** `%APPDATA%` of Windows. */
export function appData(place: Machine): string {
  return folderOf(place, 'APPDATA', inHome(place, 'AppData', 'Roaming'));
}

/** The first of these paths that exists, otherwise the fallback. */
export function firstExisting(place: Machine, paths: readonly string[], fallback: string): string {
  return paths.find((path) => place.exists(path)) ?? fallback;
}
