// Stored conversations: the last one, and those with a name. One file each, readable only by the user.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutSecrets } from 'modelsvc';
import { newer } from '../accounts/file.ts';
import { stateFolder } from '../accounts/folder.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { withLock } from '../files/lock.ts';
import { makeFolder } from '../files/make-folder.ts';
import { replaceFile } from '../files/replace-file.ts';
import { fileProblem } from '../files/text.ts';
import { merged } from './continuation.ts';
import { type SurfaceName, surfaceNames, type WireMessage } from './question.ts';

const formatVersion = 1;

export interface Conversation {
  /** Of the conversation in the log. Absent in files of earlier versions. */
  readonly id?: string | undefined;
  /** The messages have the form of this surface. */
  readonly surface: SurfaceName;
  readonly model: string;
  readonly system?: string | undefined;
  /** Oldest first, without the system prompt. */
  readonly messages: readonly WireMessage[];
  /** The last answer is incomplete, or missing. */
  readonly stopped?: true | undefined;
  /** The name given with --save. */
  readonly name?: string | undefined;
}

export class ConversationStore {
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.#folder = join(stateFolder(env), 'conversations');
  }

  /** The conversation of a name, or the last one. Throws a CliError if there is none or its file is broken. */
  async load(name: string | undefined): Promise<Conversation> {
    const path = this.#path(name);
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw new CliError(`cannot read ${path}: ${error.code ?? error.message}`);
      throw name === undefined
        ? new CliError('there is no conversation to continue', exitCodes.notFound, 'Start one with `modelsvc chat PROMPT`.')
        : new CliError(`there is no conversation named ${name}`, exitCodes.notFound, 'Store one with --save NAME.');
    });
    const { conversation, version } = stored(text);
    if (typeof version === 'number' && version > formatVersion) throw newer(path, version, 'Update modelsvc to use it.');
    if (!conversation) throw new CliError(`${path} is not a conversation`, exitCodes.error, 'Move the file away, then start a new conversation.');
    return conversation;
  }

  /**
   * Stores the last conversation, and the one of its name, and returns it. `before` is the stored one that it continues: exchanges that other
   * processes have added since are kept. A kill leaves the old file or the new one. The files have no credentials: neither `secrets` nor
   * texts that look like a key. The returned conversation goes on as it is.
   */
  async save(conversation: Conversation, before: Conversation | undefined, secrets: readonly string[]): Promise<Conversation> {
    await makeFolder(this.#folder);
    const { name } = conversation;
    return this.#locked(async () => {
      const present = before && stored(await readFile(this.#path(name), 'utf8').catch(() => '')).conversation;
      const kept = before && present ? merged(conversation, before, present, (message) => withoutSecrets(message, secrets)) : conversation;
      const text = textOf(kept, secrets);
      for (const path of [...(name === undefined ? [] : [this.#path(name)]), this.#path(undefined)]) await replaceFile(path, text);
      return kept;
    });
  }

  /** Names of the stored conversations, sorted. */
  async names(): Promise<string[]> {
    const files = await readdir(this.#folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw new CliError(`cannot read the conversations: ${fileProblem(this.#folder, error)}`);
    });
    return files.flatMap((file) => /^named-(.+)\.json$/.exec(file)?.[1] ?? []).sort();
  }

  /** When a conversation was stored. Undefined if there is none. */
  async storedAt(name: string | undefined): Promise<Date | undefined> {
    return (await stat(this.#path(name)).catch(() => undefined))?.mtime;
  }

  /** Removes the conversation of a name, or the last one. The last one goes with its name. */
  async remove(name: string | undefined): Promise<void> {
    await this.#locked(async () => {
      if (name !== undefined && (await this.#lastName()) === name) await rm(this.#path(undefined), { force: true });
      await rm(this.#path(name), { force: true });
    });
  }

  /** Gives a conversation another name. A kill in between leaves both names. */
  async rename(from: string, to: string): Promise<void> {
    await this.#locked(() => this.#rename(from, to));
  }

  async #rename(from: string, to: string): Promise<void> {
    const conversation = { ...(await this.load(from)), name: to };
    if (from === to) return;
    if ((await this.storedAt(to)) !== undefined) throw usageError(`there is a conversation named ${to} already`, 'Choose another name.');
    const isLast = (await this.#lastName()) === from;
    for (const name of isLast ? [to, undefined] : [to]) await replaceFile(this.#path(name), textOf(conversation, []));
    await rm(this.#path(from));
  }

  /** One change at a time. The lock is held for moments, and an abort must not prevent the last save. */
  #locked<T>(work: () => Promise<T>): Promise<T> {
    return withLock(join(this.#folder, 'lock'), undefined, work);
  }

  /** Undefined also if the last conversation cannot be read. */
  async #lastName(): Promise<string | undefined> {
    return (await this.load(undefined).catch(() => undefined))?.name;
  }

  #path(name: string | undefined): string {
    return join(this.#folder, name === undefined ? 'last.json' : `named-${checkedName(name)}.json`);
  }
}

/** A name that is safe as part of a file name. */
export function checkedName(name: string): string {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u.test(name))
    throw usageError(
      `${JSON.stringify(name)} is not a name`,
      'Use 1 to 64 letters, digits, dots, hyphens and underscores, beginning with a letter or digit.',
    );
  return name;
}

function textOf(conversation: Conversation, secrets: readonly string[]): string {
  return `${JSON.stringify({ version: formatVersion, ...withoutSecrets(conversation, secrets) })}\n`;
}

interface StoredFile {
  readonly version?: unknown;
  readonly conversation?: Conversation;
}

function stored(text: string): StoredFile {
  try {
    const value = JSON.parse(text) as Partial<Conversation> & { readonly version?: unknown };
    const { surface, model, messages, version } = value;
    const fits = version === formatVersion && surfaceNames.some((one) => one === surface) && typeof model === 'string' && Array.isArray(messages);
    return fits ? { version, conversation: value as Conversation } : { version };
  } catch {
    return {};
  }
}
