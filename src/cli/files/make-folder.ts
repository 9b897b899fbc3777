import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, with mode 0700. Returns false if it exists. The recursive mkdir of Node is not used: it never ends below a
 * folder in which none can be made, such as /proc.
 */
export async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return false;
    const above = dirname(folder);
    const isAboveMissing = code === 'ENOENT' && above !== folder && (await stat(above).catch(() => undefined)) === undefined;
    if (!isAboveMissing) throw error;
    await makeFolder(above);
    // Another process may have made it in between.
    await mkdir(folder, { mode: 0o700 }).catch((second: NodeJS.ErrnoException) => {
      if (second.code !== 'EEXIST') throw second;
    });
    return true;
  }
}
