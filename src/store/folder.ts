import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. Returns false if it exists. The recursive mkdir of Node is not used: it never ends below a folder in which none
 * can be made, such as /proc.
 */
export function makeFolder(folder: string, mode: number = 0o700): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return false;
    const above = dirname(folder);
    if (code !== 'ENOENT' || above === folder) throw error;
    if (!existsSync(above)) makeFolder(above, mode);
    try {
      mkdirSync(folder, { mode });
    } catch (second) {
      // Another process may have made it in between.
      if ((second as NodeJS.ErrnoException).code !== 'EEXIST') throw second;
    }
    return true;
  }
}
