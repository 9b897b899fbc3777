// The mode of a file: while a key is in it, only its owner may read it.
import type { ConfigFile } from './files/read.ts';
import type { NarrowedFile } from './record.ts';

/** Windows has no modes: a file has the permissions of its folder. */
const hasModes = process.platform !== 'win32';

/** Who can read a file with a key, as a clause. */
export const readersText: string = hasModes ? 'which only you can read' : 'with the permissions of its folder';

export interface ModeUpdate {
  /** Mode to write the file with; undefined for a new file, which only its owner can read. */
  readonly mode: number | undefined;
  /** Entry of the record once the file is written. */
  readonly narrowed: NarrowedFile | undefined;
}

/** The mode of a file with or without a key. `known` is the entry of the record. If the mode was changed since that entry, it stays when the key goes. */
export function modeUpdate({ path, mode }: Pick<ConfigFile, 'path' | 'mode'>, hasKey: boolean, known: NarrowedFile | undefined): ModeUpdate {
  if (mode === undefined || !hasModes) return { mode, narrowed: undefined };
  if (hasKey) return isOpen(mode) ? { mode: ownersOnly(mode), narrowed: { file: path, mode } } : { mode, narrowed: known };
  return { mode: known && mode === ownersOnly(known.mode) ? known.mode : mode, narrowed: undefined };
}

/** True if users other than the owner have rights. */
export function isOpen(mode: number): boolean {
  return hasModes && mode !== ownersOnly(mode);
}

function ownersOnly(mode: number): number {
  return mode & 0o700;
}
