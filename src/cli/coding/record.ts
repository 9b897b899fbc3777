// The record of `coding`: every value that was set in a file of a tool, and the one before it. File `coding.json`, readable only by its owner.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { privateFolder, readOwn, realTarget, writePrivate } from '../../store/file.ts';
import { withLock } from '../../store/lock.ts';
import { CliError, exitCodes } from '../errors/exit.ts';
import { isFields, jsonValue } from '../files/json.ts';
import type { Undo } from './edits/edit.ts';
import type { Reversal } from './edits/reversal.ts';
import type { FileFormat } from './tool.ts';

/** A value that was set. */
export interface RecordedEdit extends Undo {
  /** Hash of the value that this program wrote. While a file is being written, also the hash of the earlier value. */
  readonly hashes: readonly string[];
  /** The tool replaces the value while it runs. */
  readonly isStamp?: boolean;
  /** The value contains the API key. */
  readonly hasKey?: boolean;
}

/** True if this program wrote the present value, or if the tool wrote it in place of that one. */
export function isOwn({ hashes, isStamp = false }: Pick<RecordedEdit, 'hashes' | 'isStamp'>, current: unknown): boolean {
  return hashes.includes(hashOf(current)) || (isStamp && current !== undefined);
}

/** The values of one part of a tool in one file. */
export interface RecordEntry {
  readonly tool: string;
  /** `load`, or `mcp:` and the name of a server. */
  readonly part: string;
  readonly file: string;
  readonly format: FileFormat;
  /** The tool takes a lock beside the file while it writes. */
  readonly hasLock?: boolean;
  /** `writing` from before the first byte is written until after the last: a killed process leaves it, and the values in the file decide. */
  readonly state: 'writing' | 'written';
  readonly account?: string | undefined;
  readonly root?: string | undefined;
  readonly keyMode: string;
  readonly model?: string | undefined;
  readonly smallModel?: string | undefined;
  readonly version: string;
  readonly time: string;
  readonly edits: readonly RecordedEdit[];
}

/** A file that did not exist before. */
export interface MadeFile {
  readonly file: string;
  /** Folders that were made for it, the innermost first. */
  readonly folders: readonly string[];
}

/** A file that only its owner can read while a key is in it. */
export interface NarrowedFile {
  readonly file: string;
  /** Its mode without the key. */
  readonly mode: number;
}

/** The texts of a file while it is written in place, when a kill leaves only a part of it. */
export interface Rescue {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** How a file gets every earlier byte back, if no other program has written it. */
export interface FileReversal extends Reversal {
  readonly file: string;
}

export interface RecordData {
  readonly entries: readonly RecordEntry[];
  readonly made: readonly MadeFile[];
  readonly narrowed: readonly NarrowedFile[];
  readonly rescues?: readonly Rescue[];
  readonly reversals?: readonly FileReversal[];
}

const formatVersion = 1;
const formats: readonly FileFormat[] = ['json', 'jsonc', 'toml', 'yaml'];
const empty: RecordData = { entries: [], made: [], narrowed: [] };

export class CodingRecord {
  readonly file: string;
  readonly #folder: string;
  readonly #signal: AbortSignal;

  constructor(folder: string, signal: AbortSignal) {
    this.#folder = folder;
    this.file = join(folder, 'coding.json');
    this.#signal = signal;
  }

  async read(): Promise<RecordData> {
    const text = await readOwn(this.file, true);
    if (text === undefined) return empty;
    const value = jsonValue(text);
    if (!isRecord(value))
      throw new CliError(
        `${this.file} is broken`,
        exitCodes.error,
        'It was not changed. Repair it; without it `coding unload` cannot restore files.',
      );
    if (value.version > formatVersion) throw new CliError(`${this.file} was written by a newer modelsvc`, exitCodes.error, 'Update modelsvc.');
    const { entries, made, narrowed = [], rescues = [], reversals = [] } = value;
    return { entries, made, narrowed, ...(rescues.length > 0 && { rescues }), ...(reversals.length > 0 && { reversals }) };
  }

  /** Runs `body` while no other process changes files of tools. `save` is durable when it returns. */
  async change<T>(body: (data: RecordData, save: (data: RecordData) => Promise<void>) => Promise<T>): Promise<T> {
    await privateFolder(this.#folder);
    return withLock(`${await realTarget(this.file)}.lock`, this.#signal, async (check) =>
      body(await this.read(), (data) => writePrivate(this.file, `${JSON.stringify({ version: formatVersion, ...data }, null, 2)}\n`, check)),
    );
  }
}

/** Identifies a value without storing it, because it may be a key. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? 'undefined')
    .digest('hex');
}

function isRecord(value: unknown): value is RecordData & { readonly version: number } {
  if (!isFields(value) || typeof value['version'] !== 'number') return false;
  // A newer version may have another form.
  if (value['version'] > formatVersion) return true;
  const isListOf = (name: string, isOne: (one: unknown) => boolean, list = value[name] ?? []): boolean => Array.isArray(list) && list.every(isOne);
  if (!Array.isArray(value['entries']) || !Array.isArray(value['made'])) return false;
  const isWhole = isListOf('entries', isEntry) && isListOf('made', isMade) && isListOf('narrowed', isNarrowed);
  return isWhole && isListOf('rescues', isRescue) && isListOf('reversals', isReversal);
}

function isEntry(value: unknown): boolean {
  if (!isFields(value) || !Array.isArray(value['edits'])) return false;
  const hasTexts = ['tool', 'part', 'file', 'keyMode'].every((name) => typeof value[name] === 'string');
  return hasTexts && formats.includes(value['format'] as FileFormat) && value['edits'].every(isEdit);
}

function isEdit(value: unknown): boolean {
  return isFields(value) && Array.isArray(value['path']) && value['path'].length > 0 && Array.isArray(value['hashes']);
}

function isMade(value: unknown): boolean {
  return isFields(value) && typeof value['file'] === 'string' && Array.isArray(value['folders']);
}

function isRescue(value: unknown): boolean {
  return isFields(value) && ['file', 'before', 'after'].every((name) => typeof value[name] === 'string');
}

function isNarrowed(value: unknown): boolean {
  return isFields(value) && typeof value['file'] === 'string' && Number.isInteger(value['mode']);
}

function isReversal(value: unknown): boolean {
  const hasTexts = isFields(value) && ['file', 'hash', 'before'].every((name) => typeof value[name] === 'string');
  return hasTexts && ['start', 'end'].every((name) => Number.isInteger(value[name]));
}
