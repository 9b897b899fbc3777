// Where a paid result goes if the place of -O has failed in the meantime.
import { chmod, mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { FilePlace } from 'modelsvc/node';

/** Writes to a path. Throws an error of the file system. */
type WriteTo = (path: string) => Promise<string[]>;

/**
 * Writes a result next to its place under a free name, else in the working folder, else in a private temporary folder. Returns the paths;
 * undefined if none of them can be written.
 */
export async function writtenElsewhere(
  { kind, path }: { readonly kind: FilePlace['kind'] | 'stdout'; readonly path: string },
  name: string,
  write: WriteTo,
): Promise<string[] | undefined> {
  const own = kind === 'folder' ? join(path, name) : path;
  const mode = (await stat(own).catch(() => undefined))?.mode;
  const folders = [async () => dirname(own), async () => process.cwd(), () => mkdtemp(join(tmpdir(), 'modelsvc-'))];
  for (const folderOf of kind === 'device' ? folders.slice(1) : folders) {
    const folder = await folderOf();
    for (let number = 1; number < 100; number++) {
      const file = join(folder, numbered(kind === 'device' ? name : basename(own), number));
      if (file === own) continue;
      try {
        const paths = await write(file);
        // A file that came in the meantime may be private.
        if (mode !== undefined && kind !== 'device') for (const one of paths) await chmod(one, mode & 0o777);
        return paths;
      } catch (error) {
        if (!isOfFiles(error)) throw error;
        if (error.code !== 'EEXIST') break;
      }
    }
  }
  return undefined;
}

/** `cat.png`, then `cat-2.png`. */
function numbered(name: string, number: number): string {
  return number === 1 ? name : name.replace(/(\.[^.]*)?$/, (extension) => `-${number}${extension}`);
}

/** True for an error of the file system as the library reports it. */
export function isOfFiles(error: unknown): error is Error & { readonly code: string; readonly path: string; readonly cause: NodeJS.ErrnoException } {
  return error instanceof Error && 'path' in error && 'code' in error;
}
