// Questions on the terminal. A key counts only if it was pressed after its question was shown.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Io } from './io.ts';
import { cleaned } from './terminal.ts';

export type Consent = 'yes' | 'always' | 'no' | 'interrupted';

const ctrlC = '\x03';
/** A long paste arrives in several reads. */
const quietMs = 50;

/** Asks the user, one question at a time. Only for a terminal. An abort of the signal ends a question with the reason. */
export class Questions {
  readonly #io: Io;
  readonly #signal: AbortSignal;
  /** True after a `y` alone: the Enter that some users add does not answer the next question. */
  #owesEnter = false;

  constructor(io: Io, signal: AbortSignal) {
    this.#io = io;
    this.#signal = signal;
  }

  /**
   * Asks for consent, which only the key `y` gives, and with `always` the key `a` for all that follow. Any other key, a word and a paste deny
   * it. The question may quote foreign text, and `always` is what the key `a` allows.
   */
  async consent(question: string, always?: string): Promise<Consent> {
    const { stderr } = this.#io;
    const choices = always === undefined ? '[y/N]' : `[y/N, a: always ${cleaned(always)}]`;
    const answer = await this.#ask(`${cleaned(question)} ${choices} `, async (): Promise<Consent> => {
      let keys = await this.#keys();
      if (this.#owesEnter && /^[\r\n]+$/.test(keys)) keys = await this.#keys();
      if (keys.includes(ctrlC)) return 'interrupted';
      const [, key] = /^([ya])[\r\n]*$/i.exec(keys) ?? [];
      const isAlways = always !== undefined && key?.toLowerCase() === 'a';
      const given = isAlways ? 'always' : key?.toLowerCase() === 'y' ? 'yes' : 'no';
      this.#owesEnter = given !== 'no' && keys.length === 1;
      stderr.write(given);
      return given;
    });
    return answer ?? 'interrupted';
  }

  /** Asks for a line that is not shown. Undefined after Ctrl-C, and at the end of the input. */
  secret(question: string): Promise<string | undefined> {
    return this.#line(question, new Writable({ write: (_text, _encoding, done) => done() }));
  }

  /** Asks for a line. Undefined after Ctrl-C, and at the end of the input. */
  line(question: string): Promise<string | undefined> {
    return this.#line(question, this.#io.stderr);
  }

  #line(question: string, output: NodeJS.WritableStream): Promise<string | undefined> {
    return this.#ask(`${question}: `, async () => {
      const { stdin: input } = this.#io;
      const lines = createInterface({ input, output, terminal: true, historySize: 0, signal: this.#signal });
      try {
        return await new Promise<string | undefined>((resolve) => {
          const none = (): void => resolve(undefined);
          lines.on('line', resolve).on('SIGINT', none).on('close', none);
        });
      } finally {
        lines.close();
        this.#signal.throwIfAborted();
      }
    });
  }

  /** Drops the keys that were pressed before, then shows a question. Undefined if Ctrl-C was among them. */
  async #ask<T>(question: string, answer: () => Promise<T>): Promise<T | undefined> {
    const { stdin, stderr } = this.#io;
    const [wasRaw, wasFlowing] = [stdin.isRaw, stdin.readableFlowing === true];
    // Without raw mode, the terminal would hold keys back until Enter.
    stdin.setRawMode(true).resume();
    try {
      if (await this.#dropKeys()) return undefined;
      stderr.write(question);
      return await answer();
    } finally {
      stderr.write('\n');
      stdin.setRawMode(wasRaw);
      if (!wasFlowing) stdin.pause();
    }
  }

  /** Drops keys until the terminal is quiet. True if Ctrl-C was among them. */
  async #dropKeys(): Promise<boolean> {
    const { stdin } = this.#io;
    let isQuiet = false;
    let isInterrupted = false;
    const drop = (keys: Buffer): void => {
      isQuiet = false;
      isInterrupted ||= keys.includes(ctrlC);
    };
    stdin.on('data', drop);
    try {
      while (!isQuiet && !this.#signal.aborted) {
        isQuiet = true;
        await sleep(quietMs);
        // On a busy machine the time may be over before the loop has polled.
        await turnOfLoop();
        await turnOfLoop();
      }
    } finally {
      stdin.off('data', drop);
    }
    this.#signal.throwIfAborted();
    return isInterrupted;
  }

  /** The next keys. A closed terminal counts as Ctrl-C. */
  async #keys(): Promise<string> {
    const { stdin } = this.#io;
    const isOver = new AbortController();
    const signal = AbortSignal.any([this.#signal, isOver.signal]);
    try {
      const [keys] = (await Promise.race([once(stdin, 'data', { signal }), once(stdin, 'close', { signal })])) as [Buffer?];
      return keys?.toString('latin1') ?? ctrlC;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error;
    } finally {
      isOver.abort();
    }
  }
}
