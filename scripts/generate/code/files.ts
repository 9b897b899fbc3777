/** The files of the tree: which are stale or strange, and their replacement, all or none. */
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { SpecError } from '../document/source.ts';

async function currentText(root: string, path: string): Promise<string | undefined> {
  return readFile(join(root, path), 'utf8').catch(() => undefined);
}

/** The files whose text in the tree is another one, or that the tree lacks. */
export async function staleFiles(root: string, files: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const stale = new Map<string, string>();
  for (const [path, text] of files) if ((await currentText(root, path)) !== text) stale.set(path, text);
  return stale;
}

/** Files below `src/generated` that the generator does not write. */
export async function strays(root: string, files: ReadonlyMap<string, string>): Promise<string[]> {
  const present = await readdir(join(root, 'src/generated'), { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = present.filter((one) => !one.isDirectory()).map((one) => relative(root, join(one.parentPath, one.name)).replaceAll('\\', '/'));
  return paths.filter((path) => !files.has(path)).sort();
}

/** Replaces all files or none: each is written next to its place first, and one that cannot be put there brings the others back. */
export async function replaceFiles(root: string, files: ReadonlyMap<string, string>): Promise<void> {
  const before = new Map<string, string | undefined>();
  let now = '';
  try {
    for (const [path, text] of files) {
      now = path;
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(`${join(root, path)}.new`, text);
    }
    for (const path of files.keys()) {
      now = path;
      const text = await currentText(root, path);
      await rename(`${join(root, path)}.new`, join(root, path));
      before.set(path, text);
    }
  } catch (error) {
    for (const [path, text] of before) await (text === undefined ? rm(join(root, path)) : writeFile(join(root, path), text));
    for (const path of files.keys()) await rm(`${join(root, path)}.new`, { force: true }).catch(() => undefined);
    throw new SpecError(`${now}: cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)}); no file is changed`);
  }
}
