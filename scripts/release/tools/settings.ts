/** The settings files of a program before, during and after it was wired. */
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { formatNamed } from '../../../src/cli/coding/formats.ts';
import type { FileFormat } from '../../../src/cli/coding/tool.ts';
import type { Home } from './home.ts';
import type { Files } from './programs.ts';
import { type Cell, failed } from './request.ts';

export type Texts = ReadonlyMap<string, string | undefined>;

/** Files that `coding` has values in, relative to the home. */
export async function wiredFiles(home: Home): Promise<string[]> {
  const rows = JSON.parse(await home.modelsvc('coding', 'status', '--json')) as readonly { readonly file: string }[];
  return [...new Set(rows.map(({ file }) => relative(home.folder, file)))];
}

export async function textsOf(home: Home, files: readonly string[]): Promise<Texts> {
  return new Map(await Promise.all(files.map(async (file) => [file, await home.read(file)] as const)));
}

/** Judges the settings after `unload`: the bytes of the user, or their values where the program rewrote the file itself. */
export async function unloadCell(original: Files, during: Texts, rewritten: readonly string[], after: Texts, ours: readonly string[]): Promise<Cell> {
  for (const [file] of during) {
    const text = after.get(file);
    const before = original[file];
    const left = ours.find((one) => text?.includes(one));
    if (left !== undefined) return failed(`${file} still has a value of ours: ${JSON.stringify(text?.slice(0, 600))}`);
    if (text === before) continue;
    if (!rewritten.includes(file)) return failed(`${file} has other bytes: ${JSON.stringify(text)}`);
    if (before !== undefined && (text === undefined || !contains(await parsed(file, text), await parsed(file, before))))
      return failed(`${file} lost values: ${text}`);
  }
  const changed = [...during.keys()].filter((file) => after.get(file) !== original[file]);
  return changed.length === 0
    ? { ok: true, text: 'same bytes' }
    : { ok: true, text: `same values; the program itself rewrote ${changed.map((file) => `\`${file}\``).join(', ')}` };
}

async function parsed(file: string, text: string): Promise<unknown> {
  return (await formatNamed(formatOf(file))).read(text).value ?? {};
}

function formatOf(file: string): FileFormat {
  if (file.endsWith('.toml')) return 'toml';
  return file.endsWith('.yaml') ? 'yaml' : 'jsonc';
}

/** True if each leaf of `part` is in `whole`. */
function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return isDeepStrictEqual(whole, part);
  if (typeof whole !== 'object' || whole === null) return false;
  return Object.entries(part).every(([key, value]) => contains((whole as Record<string, unknown>)[key], value));
}
