// The record of `coding`: every value that was set in a file of a tool, and the one before it. File `coding.json`, readable only by its owner.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as v from 'valibot';
import { type Form, KeptFile } from '../../store/document.ts';
import type { WiringBasis } from './basis.ts';
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

/** True if this program wrote the present value, or if the tool wrote it instead of that one. */
export function isOwn({ hashes, isStamp = false }: Pick<RecordedEdit, 'hashes' | 'isStamp'>, current: unknown): boolean {
  return hashes.includes(hashOf(current)) || (isStamp && current !== undefined);
}

/** The values of one part of a tool in one file. */
export interface RecordEntry extends WiringBasis {
  readonly tool: string;
  /** `load`, or `mcp:` and the name of a server. */
  readonly part: string;
  readonly file: string;
  readonly format: FileFormat;
  /** The tool takes a lock next to the file while it writes. */
  readonly hasLock?: boolean;
  /** `writing` from before the first byte is written until after the last: a killed process leaves it, and the values in the file decide. */
  readonly state: 'writing' | 'written';
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

/** The fields that undoing needs. */
const entry = v.looseObject({
  tool: v.string(),
  part: v.string(),
  file: v.string(),
  keyMode: v.string(),
  format: v.picklist(['json', 'jsonc', 'toml', 'yaml']),
  edits: v.array(v.looseObject({ path: v.pipe(v.array(v.unknown()), v.minLength(1)), hashes: v.array(v.string()) })),
});

const whole = v.pipe(v.number(), v.integer());

const form: Form<RecordData> = {
  version: 1,
  shape: v.looseObject({
    entries: v.array(v.custom<RecordEntry>((value) => v.is(entry, value))),
    made: v.array(v.looseObject({ file: v.string(), folders: v.array(v.string()) })),
    narrowed: v.optional(v.array(v.looseObject({ file: v.string(), mode: whole })), []),
    reversals: v.optional(v.array(v.looseObject({ file: v.string(), hash: v.string(), before: v.string(), start: whole, end: whole })), []),
    rescues: v.optional(v.array(v.looseObject({ file: v.string(), before: v.string(), after: v.string() })), []),
  }),
  isPrivate: true,
  cure: 'It was not changed. Repair it; without it `coding unload` cannot restore files.',
};

const empty: RecordData = { entries: [], made: [], narrowed: [] };

export class CodingRecord {
  readonly file: string;
  readonly #document: KeptFile<RecordData>;
  readonly #signal: AbortSignal;

  constructor(folder: string, signal: AbortSignal) {
    this.file = join(folder, 'coding.json');
    this.#document = new KeptFile(this.file, form);
    this.#signal = signal;
  }

  async read(): Promise<RecordData> {
    return (await this.#document.draft()) ?? empty;
  }

  /** Runs `body` while no other process changes files of tools. `save` is durable when it returns. */
  change<T>(body: (data: RecordData, save: (data: RecordData) => Promise<void>) => Promise<T>): Promise<T> {
    return this.#document.hold(this.#signal, (data = empty, save) => body(data, save));
  }
}

/** Identifies a value without storing it, because it may be a key. */
export function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? 'undefined')
    .digest('hex');
}
