// The texts that were typed into the repl, kept between sessions in a file that only the user can read.
import { join } from 'node:path';
import { withoutSecrets } from 'modelsvc';
import * as v from 'valibot';
import { type Form, KeptFile } from '../../../store/document.ts';
import { stateFolder } from '../../accounts/folder.ts';
import type { Cli } from '../../cli.ts';
import { jsonValue } from '../../files/json.ts';

interface TypedTexts {
  /** The oldest first. */
  readonly texts: readonly string[];
}

/** A text a line, as JSON. Lines that are not texts are left out. */
const form: Form<TypedTexts> = {
  version: 1,
  versionIfAbsent: 1,
  shape: v.object({ texts: v.array(v.string()) }),
  fields: (text) => ({
    texts: text
      .split('\n')
      .map(jsonValue)
      .filter((value) => typeof value === 'string'),
  }),
  text: ({ texts }) => texts.map((one) => `${JSON.stringify(one)}\n`).join(''),
  isPrivate: true,
  cure: 'Remove the file.',
};

const maxEntries = 500;
/** Longer texts are pastes, which are not worth a key press to see again. */
const maxCharacters = 4000;

export class TypedHistory implements AsyncDisposable {
  readonly #cli: Cli;
  readonly #file: KeptFile<TypedTexts>;
  #isOn: boolean;
  #writing: Promise<void> = Promise.resolve();

  /** `isOn: false` reads and writes no file. */
  constructor(cli: Cli, isOn: boolean) {
    this.#cli = cli;
    this.#isOn = isOn;
    this.#file = new KeptFile(join(stateFolder(cli.screen.io.env), 'repl-history.jsonl'), form);
  }

  /** The texts, the newest first. */
  async texts(): Promise<string[]> {
    const typed = this.#isOn ? await this.#file.draft().catch((error: Error) => this.#giveUp(error)) : undefined;
    return typed?.texts.toReversed() ?? [];
  }

  /** Adds a text without waiting. A text with a key is left out. */
  add(text: string): void {
    if (!this.#isOn || text.trim() === '' || text.length > maxCharacters) return;
    this.#writing = this.#writing.then(() => this.#append(text)).catch((error: Error) => void this.#giveUp(error));
  }

  /** Waits for the last write. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#writing;
  }

  async #append(text: string): Promise<void> {
    if (!this.#isOn || withoutSecrets(text, [(await this.#cli.make.credential()).apiKey]) !== text) return;
    // The lock is held for moments, and the last text is kept after an abort too.
    await this.#file.change(undefined, ({ texts } = { texts: [] }) => ({
      texts: [...texts.filter((one) => one !== text), text].slice(-maxEntries),
    }));
  }

  #giveUp(error: Error): undefined {
    this.#isOn = false;
    this.#cli.screen.warn(`what is typed is not kept: ${error.message}`);
  }
}
