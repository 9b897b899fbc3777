// Stored conversations: the last one, and those with a name. One file each, readable only by the user.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutSecrets } from 'modelsvc';
import * as v from 'valibot';
import { type Form, KeptFile, OtherVersion } from '../../store/document.ts';
import { fileProblem } from '../../store/error.ts';
import { makeFolder } from '../../store/folder.ts';
import { withLock } from '../../store/lock.ts';
import { stateFolder } from '../accounts/folder.ts';
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { isFields } from '../files/json.ts';
import { merged } from './continuation.ts';
import { type SurfaceName, surfaceNames, type WireMessage } from './question.ts';

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
  /** The working folder of its last question. Absent in files of earlier versions. */
  readonly folder?: string | undefined;
}

const form: Form<Conversation> = {
  version: 1,
  shape: v.looseObject({
    id: v.optional(v.string()),
    surface: v.picklist(surfaceNames),
    model: v.string(),
    system: v.optional(v.string()),
    messages: v.array(v.custom<WireMessage>(isFields)),
    stopped: v.optional(v.literal(true)),
    name: v.optional(v.string()),
    folder: v.optional(v.string()),
  }),
  isPrivate: false,
  cure: 'Move the file away, then start a new conversation.',
};

export class ConversationStore {
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.#folder = join(stateFolder(env), 'conversations');
  }

  /** The conversation of a name, or the last one. Throws a CliError if there is none or its file is broken. */
  async load(name: string | undefined): Promise<Conversation> {
    const found = await this.#file(name).find();
    if (found) return found.value;
    throw name === undefined
      ? new CliError('there is no conversation to continue', exitCodes.notFound, 'Start one with `modelsvc chat PROMPT`.')
      : new CliError(`there is no conversation named ${name}`, exitCodes.notFound, 'Store one with --save NAME.');
  }

  /**
   * Stores the last conversation, and the one of its name, and returns it. `before` is the stored one that it continues: exchanges that other
   * processes have added since are kept. A file of another version is not replaced, a broken one is. The files have no credentials: neither
   * `secrets` nor texts that look like a key. The returned conversation goes on as it is.
   */
  async save(conversation: Conversation, before: Conversation | undefined, secrets: readonly string[]): Promise<Conversation> {
    const { name } = conversation;
    const files = [...(name === undefined ? [] : [this.#file(name)]), this.#file(undefined)];
    return this.#locked(async (check) => {
      const [present] = await Promise.all(files.map(usable));
      const kept = before && present ? merged(conversation, before, present, (message) => withoutSecrets(message, secrets)) : conversation;
      for (const file of files) await file.write(withoutSecrets(kept, secrets), check);
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
    await this.#locked(async (check) => {
      const conversation = { ...(await this.load(from)), name: to };
      if (from === to) return;
      if ((await this.storedAt(to)) !== undefined) throw usageError(`there is a conversation named ${to} already`, 'Choose another name.');
      const isLast = (await this.#lastName()) === from;
      for (const name of isLast ? [to, undefined] : [to]) await this.#file(name).write(withoutSecrets(conversation), check);
      await rm(this.#path(from));
    });
  }

  /** One change at a time. The lock is held for moments, and an abort must not prevent the last save. */
  async #locked<T>(work: (check: () => void) => Promise<T>): Promise<T> {
    makeFolder(this.#folder);
    return withLock(join(this.#folder, 'lock'), undefined, work);
  }

  /** Undefined also if the last conversation cannot be read. */
  async #lastName(): Promise<string | undefined> {
    return (await this.load(undefined).catch(() => undefined))?.name;
  }

  #file(name: string | undefined): KeptFile<Conversation> {
    return new KeptFile(this.#path(name), form);
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

/** The value of a file that may be replaced. Undefined if it is missing or broken. */
async function usable(file: KeptFile<Conversation>): Promise<Conversation | undefined> {
  return file.draft().catch((error: unknown) => {
    if (error instanceof OtherVersion) throw error;
    return undefined;
  });
}
