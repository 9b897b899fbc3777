// The input of the repl: lines become messages and commands. Ctrl-C stops an answer; twice at the prompt, it ends the input.
import { createInterface, type Interface } from 'node:readline';
import type { Cli } from '../../cli.ts';
import { cleaned } from '../../terminal/terminal.ts';

export type Message =
  | { readonly kind: 'text'; readonly text: string }
  /** `/model glm-5.2` has the name `model` and the text `glm-5.2`. */
  | { readonly kind: 'command'; readonly name: string; readonly text: string };

/** Joins lines to messages: `"""` begins and ends several lines, `//` begins a text with a slash. */
export class MessageReader {
  #open: string[] | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Forgets the lines of a text that is not closed. */
  clear(): void {
    this.#open = undefined;
  }

  add(line: string): Message | undefined {
    if (this.#open) {
      const end = line.trimEnd().endsWith('"""');
      const text = end ? line.trimEnd().slice(0, -3) : line;
      if (!end || text !== '') this.#open.push(text);
      return end ? this.end() : undefined;
    }
    const text = line.trim();
    if (text.startsWith('"""')) {
      const rest = text.slice(3);
      if (rest.endsWith('"""')) return { kind: 'text', text: rest.slice(0, -3) };
      this.#open = rest === '' ? [] : [rest];
      return undefined;
    }
    if (text.startsWith('//')) return { kind: 'text', text: text.slice(1) };
    const [, name, words = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
    return name === undefined ? { kind: 'text', text: line } : { kind: 'command', name, text: words };
  }

  /** The text of a block that the end of the input closes. */
  end(): Message | undefined {
    const lines = this.#open;
    this.#open = undefined;
    return lines === undefined ? undefined : { kind: 'text', text: lines.join('\n') };
  }
}

export class ReplLines implements Disposable {
  readonly #cli: Cli;
  readonly #lines: Interface;
  readonly #isTerminal: boolean;
  readonly #reader = new MessageReader();
  readonly #waiting: string[] = [];
  #stop: AbortController | undefined;
  #isOver = false;
  #interrupts = 0;
  #wake: (() => void) | undefined;

  constructor(cli: Cli) {
    this.#cli = cli;
    const { stdin, stderr } = cli.io;
    this.#isTerminal = cli.isInteractive;
    // The prompt is not part of the result, so it goes to stderr.
    this.#lines = this.#isTerminal
      ? createInterface({ input: stdin, output: stderr, terminal: true, historySize: 500 })
      : createInterface({ input: stdin, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines.on('line', (line) => {
      this.#interrupts = 0;
      this.#waiting.push(line);
      // A pipe is read as fast as its questions are answered.
      if (!this.#isTerminal) this.#lines.pause();
      this.#wake?.();
    });
    this.#lines.on('close', () => this.#end());
    this.#lines.on('SIGINT', () => this.#interrupt());
    cli.signal.addEventListener('abort', () => this.#end());
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Message> {
    while (true) {
      const line = await this.#next();
      if (line === undefined) break;
      const message = this.#reader.add(line);
      if (message) yield message;
    }
    const last = this.#cli.signal.aborted ? undefined : this.#reader.end();
    if (last) yield last;
    this.#cli.signal.throwIfAborted();
  }

  /** Runs the work of an answer. Ctrl-C aborts its signal. */
  async answering(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#stop = new AbortController();
    try {
      await work(AbortSignal.any([this.#cli.signal, this.#stop.signal]));
    } finally {
      this.#stop = undefined;
    }
  }

  /** Asks a question, which may quote foreign text. Two readers of one terminal would share its keys, so the next line is the answer. */
  async ask(question: string): Promise<boolean> {
    const line = await this.#next(`${cleaned(question)} [y/N] `);
    return /^y(es)?$/i.test(line?.trim() ?? '');
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }

  async #next(prompt?: string): Promise<string | undefined> {
    while (true) {
      const line = this.#cli.signal.aborted ? undefined : this.#waiting.shift();
      if (line !== undefined) return line;
      if (this.#isOver || this.#cli.signal.aborted) return undefined;
      if (this.#isTerminal) {
        this.#lines.setPrompt(prompt ?? (this.#reader.isOpen ? '… ' : '> '));
        this.#lines.prompt();
      } else this.#lines.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #interrupt(): void {
    if (this.#stop) return this.#stop.abort();
    if (this.#reader.isOpen || this.#lines.line !== '') {
      this.#reader.clear();
      this.#lines.write(null, { ctrl: true, name: 'u' });
      this.#lines.write(null, { ctrl: true, name: 'k' });
      return this.#wake?.();
    }
    if (++this.#interrupts > 1) return this.#lines.close();
    this.#cli.output.note('\nPress Ctrl-C again to leave.');
    this.#wake?.();
  }

  #end(): void {
    this.#isOver = true;
    this.#wake?.();
  }
}
