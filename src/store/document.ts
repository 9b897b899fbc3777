// A file that the program keeps, as a value: its version, its shape, and its change.
import { dirname } from 'node:path';
import * as v from 'valibot';
import { isSystemError, PlainError } from './error.ts';
import { privateFolder, readOwn, realTarget, unwritable, writePrivate } from './file.ts';
import { withLock } from './lock.ts';

type FileFields = Readonly<Record<string, unknown>>;

export interface Form<T extends object> {
  /** The version that is written. */
  readonly version: number;
  /** The version of a file without that field. Default: such a file is broken. */
  readonly versionIfAbsent?: number;
  /** A file of a newer version is read if it has this shape. It is never written. */
  readonly readsNewer?: boolean;
  readonly shape: v.GenericSchema<unknown, T>;
  /** A file that other users can read is refused. */
  readonly isPrivate: boolean;
  /** The next step for a file that is broken. */
  readonly cure: string;
  /** The fields of a text. Default: the fields of a JSON object. */
  readonly fields?: (text: string) => FileFields;
  /** The text of a value. Default: JSON, with the version. */
  readonly text?: (value: T) => string;
  /** Exit code for such a file. Default: 1. Use 2 for a file that users write. */
  readonly exitCode?: number;
}

export interface StoredValue<T> {
  /** With the fields that this version does not know. */
  readonly value: T;
  readonly version: number;
  readonly isNewer: boolean;
}

/** The value of a text. Throws a PlainError, which has no value of the file. */
export function storedIn<T extends object>(path: string, form: Form<T>, text: string): StoredValue<T> {
  const fields = (form.fields ?? jsonObject)(text);
  if (!fields) throw broken(path, form, text.trim() === '' ? 'is empty' : 'is not a JSON object');
  return storedAs(path, form, fields);
}

/** The value of fields, whatever the format of their file. */
export function storedAs<T extends object>(path: string, form: Form<T>, fields: FileFields): StoredValue<T> {
  const { version = form.versionIfAbsent } = fields;
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) throw broken(path, form, 'has no valid version');
  const isNewer = version > form.version;
  if (version < form.version) throw new OtherVersion(`${path} was written by an earlier modelsvc (version ${version})`, form.exitCode, form.cure);
  const { success, output, issues } = v.safeParse(form.shape, fields);
  if (isNewer && !(form.readsNewer === true && success)) throw newer(path, version, 'Update modelsvc to use it.');
  if (success) return { value: output, version, isNewer };
  // The message of an issue quotes the value.
  throw broken(path, form, `has no valid ${(issues[0].path ?? []).map(({ key }) => String(key).slice(0, 80)).join('.')}`);
}

export function broken(path: string, { cure, exitCode }: Pick<Form<object>, 'cure' | 'exitCode'>, problem: string): PlainError {
  return new PlainError(`${path} is broken: it ${problem}`, exitCode, cure);
}

/** The file belongs to another version of the program. */
export class OtherVersion extends PlainError {}

function newer(path: string, version: number, next: string): OtherVersion {
  return new OtherVersion(`${path} was written by a newer modelsvc (version ${version})`, 1, next);
}

function jsonObject(text: string): FileFields | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as FileFields) : undefined;
  } catch {
    // The message of JSON.parse quotes the text, which may be a key.
    return undefined;
  }
}

export function jsonText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

export class KeptFile<T extends object> {
  readonly path: string;
  readonly #form: Form<T>;

  constructor(path: string, form: Form<T>) {
    this.path = path;
    this.#form = form;
  }

  /** Undefined without a file. Throws a PlainError for a file that cannot be used. */
  async find(): Promise<StoredValue<T> | undefined> {
    const text = await readOwn(this.path, this.#form);
    return text === undefined ? undefined : storedIn(this.path, this.#form, text);
  }

  /** The value of a file that may be replaced. Undefined without a file. Throws a PlainError for one of a newer version too. */
  async draft(): Promise<T | undefined> {
    const found = await this.find();
    if (found?.isNewer === true) throw newer(this.path, found.version, 'Update modelsvc to change it. Reading works.');
    return found?.value;
  }

  /** The value of a file that may be replaced. Undefined also for a broken one. Throws for one of another version. */
  async usable(): Promise<T | undefined> {
    return this.draft().catch((error: unknown) => {
      if (error instanceof OtherVersion) throw error;
      return undefined;
    });
  }

  /** Replaces the file. Only the holder of its lock may call it. `check` runs right before the replacement. */
  write(value: T, check: () => void): Promise<void> {
    const { version, text = (fields) => jsonText({ version, ...fields }) } = this.#form;
    return writePrivate(this.path, text(value), check);
  }

  /** Writes the value that `edit` makes of the present one, while no other process changes it. If it returns undefined, the file stays. */
  async change(signal: AbortSignal | undefined, edit: (value: T | undefined) => T | undefined): Promise<void> {
    await this.hold(signal, async (value, save) => {
      const edited = edit(value);
      if (edited !== undefined) await save(edited);
    });
  }

  /** Runs `body` while no other process changes the file. The value is on the disk when `save` returns. */
  async hold<R>(
    signal: AbortSignal | undefined,
    body: (value: T | undefined, save: (value: T) => Promise<void>, check: () => void) => Promise<R>,
  ): Promise<R> {
    let isHeld = false;
    try {
      await privateFolder(dirname(this.path));
      return await withLock(`${await realTarget(this.path)}.lock`, signal, async (check) => {
        isHeld = true;
        return body(await this.draft(), (value) => this.write(value, check), check);
      });
    } catch (error) {
      throw !isHeld && isSystemError(error) ? unwritable(this.path, error) : error;
    }
  }
}
