// Settings that come before the wiring of a tool: one list for each tool, in the order of precedence, and its one reader.
import { readFile, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../files/json.ts';
import { EditProblem, type Leaf, type Path, pathKey } from './edits/edit.ts';
import { find, follow } from './edits/values.ts';
import { formatNamed } from './formats.ts';
import type { KeyMode } from './key-source.ts';
import type { Machine } from './machine.ts';
import { shownPath } from './masked.ts';
import { planModels } from './plan.ts';
import { hashOf, type RecordEntry, type RecordedEdit } from './record.ts';
import type { Aim, Rival } from './tool.ts';

/** A rival that is there: its path in a file. */
export interface FoundRival extends Pick<Rival, 'effect' | 'isPartial'> {
  readonly path: Path;
  /** The path for messages. */
  readonly name: string;
  readonly value?: Leaf;
}

export const sentHeaders = 'these headers, and a key in them, go to the service';
export const otherModel = 'it chooses another model';

export function isTrue(now: unknown): boolean {
  return now === true;
}

/** The texts of a list; none for another value. */
export function texts(now: unknown): readonly string[] {
  return Array.isArray(now) ? now.filter((one) => typeof one === 'string') : [];
}

export function hasTexts(now: unknown): boolean {
  return texts(now).length > 0;
}

/** Rows for settings with the same consequence. */
export function each(paths: readonly Path[], rival: Omit<Rival, 'path'>): Rival[] {
  return paths.map((path) => ({ path, ...rival }));
}

/** Rows for files of projects with one of these names. */
export function eachFile(lists: readonly (readonly string[])[], effect: string): Rival[] {
  return lists.map((files) => ({ files, effect }));
}

export function aimOf({ root = '', model = planModels.main, smallModel = planModels.small, keyMode }: RecordEntry, machine: Machine): Aim {
  return { machine, root, model, smallModel, keyMode: keyMode as KeyMode };
}

/** The rivals in the content of a file of `load`, each path once. The content may have any form. */
export function rivalsIn(content: unknown, rivals: readonly Rival[], file?: string): FoundRival[] {
  const found = new Map<string, FoundRival>();
  for (const { path, variable, files, in: end, value, effect, isPartial, ...rival } of rivals) {
    if (path === undefined || variable !== undefined || files !== undefined || (end !== undefined && file?.endsWith(end) === false)) continue;
    for (const at of pathsOf(content, path, rival)) {
      const wanted = typeof value === 'function' ? value(find(content, at)) : value;
      const one = { path: at, name: shownPath(at, path), effect, ...(wanted !== undefined && { value: wanted }), ...(isPartial && { isPartial }) };
      if (!found.has(pathKey(at))) found.set(pathKey(at), one);
    }
  }
  return [...found.values()];
}

/** True if the value of the wiring is in the place of the rival. */
export function isNeutral(content: unknown, { path, value }: FoundRival): boolean {
  return value !== undefined && isDeepStrictEqual(find(content, path), value);
}

/** The paths with a value that a path with `*` means. */
function pathsOf(content: unknown, path: Path, { when = () => true }: Pick<Rival, 'when'>): Path[] {
  const ways = path.reduce<Path[]>(
    (all, step) =>
      all.flatMap((way): Path[] => (step === '*' ? Object.keys(fields(find(content, way))).map((key) => [...way, key]) : [[...way, step]])),
    [[]],
  );
  return ways.filter((way) => {
    const now = find(content, way);
    return now !== undefined && now !== null && when(now, way, content);
  });
}

function fields(value: unknown): object {
  return isFields(value) ? value : {};
}

/** A file of `load`: as the record or a task has it. */
export interface WiredFile extends Pick<RecordEntry, 'file' | 'format'> {
  readonly edits: readonly Pick<RecordedEdit, 'path' | 'hashes'>[];
}

/** A rival outside of the files of `load`. */
export interface Elsewhere extends Pick<Rival, 'isPartial'> {
  readonly text: string;
  readonly next: string;
}

/** The rivals in variables and other files. `own` are the files that this program has written. */
export async function rivalsElsewhere(
  rivals: readonly Rival[],
  loaded: readonly WiredFile[],
  own: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Elsewhere[]> {
  const found = rivals.map(async (rival): Promise<Elsewhere[]> => {
    const { variable, files = [], effect, isPartial, path } = rival;
    if (variable !== undefined)
      return env[variable] ? [{ text: `${variable} is set, and ${effect}`, next: `Unset ${variable}.`, ...(isPartial && { isPartial }) }] : [];
    // A file with servers of this program can have another setting that is asked for.
    const wired = path === undefined ? own : loaded.map(({ file }) => file);
    const end = files.findIndex((file) => wired.includes(file));
    const before = files.slice(0, end < 0 ? files.length : end);
    return (await Promise.all(before.map((file) => inFile(file, rival, rivals, loaded)))).flat();
  });
  return (await Promise.all(found)).flat();
}

async function inFile(file: string, rival: Rival, rivals: readonly Rival[], loaded: readonly WiredFile[]): Promise<Elsewhere[]> {
  const { format = loaded[0]?.format, path, effect } = rival;
  const text = await textOf(file);
  if (text === undefined || format === undefined) return [];
  const next = 'Check that file.';
  try {
    const content = await contentAs(format, text);
    const isRival = path === undefined ? hasOtherValue(content, rivals, loaded) : pathsOf(content, path, rival).length > 0;
    return isRival ? [{ text: `${file} exists, and ${effect}`, next }] : [];
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    return [{ text: `${file} ${error.message}; if the tool reads it, ${effect}`, next, isPartial: true }];
  }
}

/** Values without an effect on host, key and model. */
const sizes = /timeout|window|tokens|limit|length/i;

/** True if a file has another value at a path of the wiring, or a setting that chooses another model, provider or key. */
function hasOtherValue(content: unknown, rivals: readonly Rival[], loaded: readonly WiredFile[]): boolean {
  const edits = loaded.flatMap((entry) => entry.edits).filter(({ path }) => !sizes.test(String(path.at(-1))));
  return (
    edits.some((edit) => isShadowed(content, edit)) || rivalsIn(content, rivals).some((one) => one.isPartial !== true && !isNeutral(content, one))
  );
}

/** True if a document has another value at the path of an edit, or a value on the way that is not an object. */
function isShadowed(content: unknown, { path, hashes }: WiredFile['edits'][number]): boolean {
  const { place, value } = follow(content, path);
  if (value === undefined || value === null || place.length === 0) return false;
  if (place.length === path.length) return !hashes.includes(hashOf(value));
  // An object without the key leaves the value of the wiring; a list has other items.
  return typeof path[place.length] !== 'string' || !isFields(value);
}

async function contentAs(format: NonNullable<Rival['format']>, text: string): Promise<unknown> {
  if (format !== 'words' && format !== 'env') return (await formatNamed(format)).read(text).value ?? {};
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  const name = format === 'words' ? /^\s*([\w-]+)/ : /^\s*(?:export\s+)?(\w+)\s*=/;
  return Object.fromEntries(lines.flatMap((line) => (name.exec(line)?.[1] === undefined ? [] : [[name.exec(line)?.[1], true]])));
}

/** Largest file that is searched for values, in bytes. */
const maxBytes = 4 * 1024 * 1024;

async function textOf(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isFile() || facts.size > maxBytes) return undefined;
  return (await readFile(file, 'utf8').catch(() => '')).replace(/^\uFEFF/, '');
}
