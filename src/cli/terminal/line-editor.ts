// Lines from the keyboard of a terminal, edited by readline. A paste is one text.
import { createInterface, type Interface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { Io } from './io.ts';
import { PasteCutter } from './pastes.ts';
import { cleaned } from './terminal.ts';

/** Longer pastes are shown by their size. */
const shownLines = 20;
const shownCharacters = 2000;
const ctrlR = Buffer.of(0x12);
/** Entries of the history. */
const historySize = 500;
/** After this many milliseconds, keys that might begin a mark are keys. */
const markMs = 500;

/** Candidates for the text before the cursor, and the part of it that they replace. */
export type Completer = (line: string) => Promise<readonly [candidates: readonly string[], part: string]>;

export interface EditorEvents {
  /** Texts of earlier sessions, the newest first. */
  readonly history: readonly string[];
  readonly complete: Completer;
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
  readonly #pastes = new PasteCutter();
  readonly #feed = (bytes: Buffer): void => this.#read(bytes);
  readonly #restore = (): void => this.#keys.setRawMode(false);
  /** Lines of a paste above the one that is being edited. */
  #pasted: string[] = [];
  #isPasting = false;
  /** The last of the lines is a long paste, which needs no empty line after it. */
  #isAfterLong = false;
  #markTimer: NodeJS.Timeout | undefined;
  /** The text that Ctrl-R searches, and the entry that it found last. */
  #found: { readonly wanted: string; readonly at: number; readonly line: string } | undefined;
  readonly #history: string[];
  /** The history as readline has it: with single lines of pastes. */
  #readlineHistory: string[];

  constructor(io: Io, { history, complete, onText, onInterrupt, onEnd }: EditorEvents) {
    this.#io = io;
    this.#keys = new Keys(io);
    this.#history = [...history];
    this.#readlineHistory = [...history];
    const completer = (line: string, done: (error: null, result: [string[], string]) => void): void =>
      void complete(line).then(([candidates, part]) => done(null, [[...candidates], part]));
    // The prompt is not part of the result, so it goes to stderr.
    const kept = { history: this.#readlineHistory, historySize };
    this.#lines = createInterface({ input: this.#keys, output: io.stderr, terminal: true, completer, ...kept });
    this.#lines.on('line', (line) => {
      if (this.#isPasting) {
        this.#pasted.push(line);
        this.#isAfterLong = false;
        return this.prompt('');
      }
      const text = (line === '' && this.#isAfterLong ? this.#pasted : [...this.#pasted, line]).join('\n');
      this.#pasted = [];
      this.#isAfterLong = false;
      this.#remember(text);
      onText(text);
    });
    this.#lines.on('history', (lines) => (this.#readlineHistory = lines));
    this.#lines.on('SIGINT', onInterrupt).on('close', onEnd);
    // Readline pauses its input when the program is continued after Ctrl-Z.
    this.#lines.on('SIGCONT', () => this.#lines.resume());
    // Reading a closed terminal fails.
    io.stdin.on('data', this.#feed).on('end', onEnd).on('error', onEnd);
    process.on('exit', this.#restore);
  }

  #read(bytes: Buffer): void {
    clearTimeout(this.#markTimer);
    for (const typed of this.#pastes.push(bytes)) {
      if (typed.kind === 'keys' && typed.bytes.equals(ctrlR)) this.#search();
      else if (typed.kind === 'keys') this.#keys.write(typed.bytes);
      else this.#paste(typed.text);
    }
    if (this.#pastes.holdsKeys) this.#markTimer = setTimeout(() => this.#keys.write(this.#pastes.flush()), markMs);
  }

  /** Shows the newest text of the history that has what is typed, and with each further Ctrl-R an older one. */
  #search(): void {
    const { line } = this.#lines;
    if (line !== this.#found?.line) this.#found = { wanted: line, at: -1, line };
    const { wanted, at: last } = this.#found;
    const at = this.#readlineHistory.findIndex((text, index) => index > last && text.includes(wanted) && text !== line);
    if (at < 0) return void this.#io.stderr.write('\x07');
    for (const name of ['e', 'u']) this.#lines.write(null, { ctrl: true, name });
    // As by the arrow key: a text of several lines cannot be written into the line.
    Object.assign(this.#lines, { historyIndex: at - 1 });
    this.#lines.write(null, { name: 'up' });
    this.#found = { wanted, at, line: this.#lines.line };
  }

  /** Adds a paste at the cursor. One that is long becomes lines of its own, which are not shown. */
  #paste(text: string): void {
    const count = text.split('\n').length;
    const { line, cursor } = this.#lines;
    const before = line.slice(0, cursor);
    const isLong = count > shownLines || text.length > shownCharacters;
    this.#isPasting = true;
    if (!isLong) this.#lines.write(text);
    else {
      this.#lines.write(null, { ctrl: true, name: 'u' });
      this.#io.stderr.write(`${cleaned(before)}[paste of ${count === 1 ? `${text.length} characters` : `${count} lines`}]\r\n`);
      this.#pasted.push(before + text);
      this.#isAfterLong = true;
      this.prompt('');
    }
    this.#isPasting = false;
  }

  /** Replaces the lines of a paste by its text. */
  #remember(text: string): void {
    if (text.trim() !== '' && text !== this.#history[0]) this.#history.unshift(text);
    this.#history.splice(historySize);
    this.#readlineHistory.splice(0, this.#readlineHistory.length, ...this.#history);
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
    clearTimeout(this.#markTimer);
    this.close();
    this.#restore();
    this.#io.stdin.off('data', this.#feed).pause();
    process.off('exit', this.#restore);
  }
}
