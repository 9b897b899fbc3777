// Lines from the keyboard of a terminal, edited by readline. A paste is one text.
import { createInterface, type Interface, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Io } from './io.ts';

export interface EditorEvents {
  /** A line, or a paste with the line that ends it. */
  readonly onText: (text: string) => void;
  /** Ctrl-C. */
  readonly onInterrupt: () => void;
  /** Ctrl-D, or the end of the terminal. */
  readonly onEnd: () => void;
}

/** The keys as readline reads them. Pastes are marked exactly while the terminal is raw, so the end of raw mode ends the marks too. */
class Keys extends PassThrough {
  readonly #io: Io;
  isRaw = false;

  constructor(io: Io) {
    super();
    this.#io = io;
  }

  setRawMode(isRaw: boolean): void {
    if (isRaw === this.isRaw) return;
    this.isRaw = isRaw;
    const { stdin, stderr, env } = this.#io;
    stdin.setRawMode(isRaw);
    if (env['TERM'] !== 'dumb') stderr.write(isRaw ? '\x1b[?2004h' : '\x1b[?2004l');
  }
}

export class LineEditor implements Disposable {
  readonly #io: Io;
  readonly #keys: Keys;
  readonly #lines: Interface;
  readonly #feed = (keys: Buffer): void => void this.#keys.write(keys);
  readonly #restore = (): void => this.#keys.setRawMode(false);
  /** Lines of a paste above the one that is being edited. */
  #pasted: string[] = [];
  #isPasting = false;

  constructor(io: Io, { onText, onInterrupt, onEnd }: EditorEvents) {
    this.#io = io;
    this.#keys = new Keys(io);
    // The prompt is not part of the result, so it goes to stderr.
    this.#lines = createInterface({ input: this.#keys, output: io.stderr, terminal: true, historySize: 500 });
    this.#lines.on('line', (line) => {
      if (this.#isPasting) {
        this.#pasted.push(line);
        return this.prompt('');
      }
      const text = [...this.#pasted, line].join('\n');
      this.#pasted = [];
      onText(text);
    });
    this.#keys.on('keypress', (_text: unknown, { name }: Key) => {
      if (name === 'paste-start' || name === 'paste-end') this.#isPasting = name === 'paste-start';
    });
    this.#lines.on('SIGINT', onInterrupt).on('close', onEnd);
    // Readline pauses its input when the program is continued after Ctrl-Z.
    this.#lines.on('SIGCONT', () => this.#lines.resume());
    // Reading a closed terminal fails.
    io.stdin.on('data', this.#feed).on('end', onEnd).on('error', onEnd);
    process.on('exit', this.#restore);
  }

  /** Shows a prompt, with what is typed so far. */
  prompt(text: string): void {
    this.#lines.setPrompt(this.#pasted.length > 0 ? '… ' : text);
    this.#lines.prompt(true);
  }

  /** Drops text that is typed but not entered. Returns false if there is none. */
  clear(): boolean {
    const hasText = this.#lines.line !== '' || this.#pasted.length > 0;
    this.#pasted = [];
    this.#isPasting = false;
    if (this.#lines.line !== '') {
      // Readline redraws the line, which may be in the middle of an answer.
      this.#lines.setPrompt('');
      for (const name of ['u', 'k']) this.#lines.write(null, { ctrl: true, name });
    }
    return hasText;
  }

  /** Gives the keys to another reader while `work` runs. */
  async aside<T>(work: () => Promise<T>): Promise<T> {
    const { stdin } = this.#io;
    stdin.off('data', this.#feed);
    try {
      return await work();
    } finally {
      stdin.on('data', this.#feed);
    }
  }

  /** Gives the terminal to another program while `work` runs. */
  leave<T>(work: () => Promise<T>): Promise<T> {
    return this.aside(async () => {
      this.#io.stdin.pause();
      this.#keys.setRawMode(false);
      try {
        return await work();
      } finally {
        this.#keys.setRawMode(true);
        this.#io.stdin.resume();
      }
    });
  }

  close(): void {
    this.#lines.close();
  }

  [Symbol.dispose](): void {
    this.close();
    this.#restore();
    this.#io.stdin.off('data', this.#feed).pause();
    process.off('exit', this.#restore);
  }
}
