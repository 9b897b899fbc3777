// The texts that were typed into the repl, kept between sessions in a file that only the user can read.
import { join } from 'node:path';
import { withoutSecrets } from 'modelsvc';
import { readPrivate } from '../../accounts/file.ts';
import { stateFolder } from '../../accounts/folder.ts';
import type { Cli } from '../../cli.ts';
import { jsonValue } from '../../files/json.ts';
import { withLock } from '../../files/lock.ts';
import { makeFolder } from '../../files/make-folder.ts';
import { replaceFile } from '../../files/replace-file.ts';

const maxEntries = 500;
/** Longer texts are pastes, which are not worth a key press to see again. */
const maxCharacters = 4000;

export class TypedHistory implements AsyncDisposable {
  readonly #cli: Cli;
  readonly #folder: string;
  readonly #path: string;
  #isOn: boolean;
  #writing: Promise<void> = Promise.resolve();

  /** `isOn: false` reads and writes no file. */
  constructor(cli: Cli, isOn: boolean) {
    this.#cli = cli;
    this.#isOn = isOn;
    this.#folder = stateFolder(cli.io.env);
    this.#path = join(this.#folder, 'repl-history.jsonl');
  }

  /** The texts, the newest first. */
  async texts(): Promise<string[]> {
    const texts = this.#isOn ? await this.#read().catch((error: Error) => this.#giveUp(error)) : undefined;
    return (texts ?? []).reverse();
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
    if (!this.#isOn || withoutSecrets(text, [(await this.#cli.credential()).apiKey]) !== text) return;
    await makeFolder(this.#folder);
    // The lock is held for moments, and the last text is kept after an abort too.
    await withLock(`${this.#path}.lock`, undefined, async () => {
      const texts = (await this.#read()).filter((one) => one !== text);
      const kept = [...texts, text].slice(-maxEntries);
      await replaceFile(this.#path, kept.map((one) => `${JSON.stringify(one)}\n`).join(''));
    });
  }

  /** The oldest first. Lines that are no texts are left out. */
  async #read(): Promise<string[]> {
    const lines = (await readPrivate(this.#path))?.split('\n') ?? [];
    return lines.map(jsonValue).filter((value) => typeof value === 'string');
  }

  #giveUp(error: Error): undefined {
    this.#isOn = false;
    this.#cli.output.warn(`what is typed is not kept: ${error.message}`);
  }
}
