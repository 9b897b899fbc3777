// Files and variables that come before the files of a wired tool.
import { readFile, stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { isFields } from '../files/json.ts';
import type { Finding } from '../reports/finding.ts';
import { EditProblem, hasFields, type Path } from './edits/edit.ts';
import { formatNamed } from './formats.ts';
import type { KeyMode } from './key-source.ts';
import type { Machine } from './machine.ts';
import { shownPath } from './masked.ts';
import { hashOf, type RecordEntry, type RecordedEdit } from './record.ts';
import type { CodingTool, Override } from './tool.ts';
import type { Winner, WinnerFacts } from './winners.ts';

/** Largest file that is searched for values, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/** Values without an effect on host, key and model. */
const sizes = /timeout|window|tokens|limit|length/i;

/** The findings for what comes before the wiring of these entries. */
export async function overrideFindings(tool: CodingTool, entries: readonly RecordEntry[], machine: Machine): Promise<Finding[]> {
  const loaded = entries.filter(({ part }) => part === 'load');
  const own = entries.map(({ file }) => file);
  // In the home folder, the file of a project is the user's file, which is wired itself.
  const overrides = (tool.overrides?.(machine, own) ?? []).filter(({ file }) => file === undefined || !own.includes(file));
  const findings = await Promise.all(overrides.map((override) => found(tool, loaded, override, machine)));
  return findings.filter((one) => one !== undefined);
}

async function found(tool: CodingTool, loaded: readonly RecordEntry[], override: Override, { env }: Machine): Promise<Finding | undefined> {
  const { file, variable, effect, when = (content) => isOverride(tool, loaded, content) } = override;
  const finding = (status: Finding['status'], text: string, next: string): Finding => ({
    check: 'tool',
    status,
    text: `${tool.name}: ${text}`,
    next,
  });
  if (variable !== undefined) return env[variable] ? finding('problem', `${variable} is set, and ${effect}`, `Unset ${variable}.`) : undefined;
  const format = override.format ?? loaded[0]?.format;
  const text = file === undefined || format === undefined ? undefined : await textOf(file);
  if (text === undefined || format === undefined) return undefined;
  try {
    return when(await contentAs(format, text)) ? finding('problem', `${file} exists, and ${effect}`, 'Check that file.') : undefined;
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    return finding('note', `${file} ${error.message}; if the tool reads it, ${effect}`, 'Check that file.');
  }
}

/** True if a file that comes first has another value at one of our paths, or a setting that chooses another model, provider or key. */
function isOverride({ winners }: CodingTool, loaded: readonly RecordEntry[], content: unknown): boolean {
  const edits = loaded.flatMap((entry) => entry.edits);
  if (edits.some((edit) => !sizes.test(String(edit.path.at(-1))) && isShadowed(content, edit))) return true;
  return loaded.some((entry) => {
    const facts = winnerFacts(entry);
    return facts !== undefined && winners?.(content, facts).some((one) => one.isPartial !== true && !isNeutral(content, one)) === true;
  });
}

/** True if the value of the wiring is in the place of the winner. */
export function isNeutral(content: unknown, { path, value }: Winner): boolean {
  return value !== undefined && isDeepStrictEqual(reached(content, path).value, value);
}

/** True if a document has another value at the path of an edit, or a value on the way that is no object. */
function isShadowed(content: unknown, { path, hashes }: RecordedEdit): boolean {
  const { value, isEnd } = reached(content, path);
  return value !== undefined && value !== null && (isEnd ? !hashes.includes(hashOf(value)) : true);
}

/** The value at a path, or the first value on the way that does not lead further; undefined if the path is absent. */
function reached(content: unknown, path: Path): { readonly value: unknown; readonly isEnd: boolean } {
  let value = content;
  for (const [at, step] of path.entries()) {
    if (typeof step === 'string' && isFields(value)) value = Object.hasOwn(value, step) ? value[step] : undefined;
    else if (typeof step !== 'string' && Array.isArray(value) && value.some((one) => hasFields(one, step)))
      value = value.find((one) => hasFields(one, step));
    else return { value: at === 0 ? undefined : value, isEnd: false };
    if (value === undefined) break;
  }
  return { value, isEnd: true };
}

async function contentAs(format: NonNullable<Override['format']>, text: string): Promise<unknown> {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*#/.test(line));
  if (format === 'words') return lines.map((line) => /^\s*([\w-]+)/.exec(line)?.[1]);
  if (format === 'env')
    return Object.fromEntries(
      lines.flatMap((line) => [/^\s*(?:export\s+)?(\w+)\s*=(.*)/.exec(line)?.slice(1) ?? []]).filter(({ length }) => length > 0),
    );
  return (await formatNamed(format)).read(text).value ?? {};
}

async function textOf(file: string): Promise<string | undefined> {
  const facts = await stat(file).catch(() => undefined);
  if (!facts?.isFile() || facts.size > maxBytes) return undefined;
  return (await readFile(file, 'utf8').catch(() => '')).replace(/^\uFEFF/, '');
}

/** The facts of an entry; undefined if it is not of `load`. */
function winnerFacts({ part, file, root, keyMode, model, smallModel }: RecordEntry): WinnerFacts | undefined {
  if (part !== 'load' || root === undefined || model === undefined || smallModel === undefined) return undefined;
  return { file, root, keyMode: keyMode as KeyMode, model, smallModel };
}

/** The findings for settings of a wired file that come before its wiring. */
export function winnerFindings(tool: CodingTool, entry: RecordEntry, content: unknown): Finding[] {
  const facts = winnerFacts(entry);
  const winners = facts === undefined ? [] : (tool.winners?.(content, facts) ?? []);
  return winners
    .filter((one) => !isNeutral(content, one))
    .map(({ path, value, effect, isPartial }) => ({
      check: 'tool',
      status: isPartial === true ? 'note' : 'problem',
      text: `${tool.name}: ${shownPath(path)} is set in ${entry.file}, and ${effect}`,
      next: value === undefined ? 'Check that setting.' : `Run \`modelsvc coding load ${tool.id}\` again.`,
    }));
}
