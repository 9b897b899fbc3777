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
    if (code !== 'ENOENT' || above === folder) throw error;
    if ((await stat(above).catch(() => undefined)) === undefined) await makeFolder(above);
    // Another one may have made either folder in between.
    await mkdir(folder, { mode: 0o700 }).catch((second: NodeJS.ErrnoException) => {
      if (second.code !== 'EEXIST') throw second;
    });
    return true;
  }
}
