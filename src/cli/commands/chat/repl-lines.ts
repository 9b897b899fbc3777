// The input of the repl: lines become messages and commands. Ctrl-C stops an answer and drops queued lines; twice at the prompt, it ends the input.
import { createInterface, type Interface } from 'node:readline';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Cli } from '../../cli.ts';
import { type EditorEvents, LineEditor } from '../../terminal/line-editor.ts';
import type { Consent } from '../../terminal/questions.ts';

export type ReplMessage =
  | { readonly kind: 'text'; readonly text: string }
  /** `/model glm-5.3` has the name `model` and the text `glm-5.3`. */
  | { readonly kind: 'command'; readonly name: string; readonly text: string };

/** Joins lines to messages: `"""` begins and ends several lines, `//` begins a text with a slash. A pasted text of several lines is not a command. */
export class MessageReader {
  #open: string[] | undefined;

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Forgets the lines of a text that is not closed. */
  clear(): void {
    this.#open = undefined;
  }

  add(line: string): ReplMessage | undefined {
    if (this.#open) {
      const end = line.trimEnd().endsWith('"""');
      const text = end ? line.trimEnd().slice(0, -3) : line;
      if (!end || text !== '') this.#open.push(text);
      return end ? this.end() : undefined;
    }
    const text = line.trim();
    if (text.startsWith('"""')) {
      const rest = text.slice(3);
      if (rest.endsWith('"""')) return { kind: 'text', text: rest.slice(0, -3).replace(/^\n|\n$/g, '') };
      this.#open = rest === '' ? [] : [rest];
      return undefined;
    }
    if (text.includes('\n')) return { kind: 'text', text: line };
    if (text.startsWith('//')) return { kind: 'text', text: text.slice(1) };
    const [, name, words = ''] = /^\/(\S*)\s*(.*)$/s.exec(text) ?? [];
    return name === undefined ? { kind: 'text', text: line } : { kind: 'command', name, text: words };
  }

  /** The text of a block that the end of the input closes. */
  end(): ReplMessage | undefined {
    const lines = this.#open;
    this.#open = undefined;
    return lines === undefined ? undefined : { kind: 'text', text: lines.join('\n') };
  }
}

interface ReplLine {
  readonly text: string;
  /** Typed before the prompt asked for it. */
  readonly isAhead: boolean;
}

export class ReplLines implements Disposable {
  readonly #cli: Cli;
  readonly #editor: LineEditor | undefined;
  readonly #pipe: Interface | undefined;
  readonly #reader = new MessageReader();
  #queue: ReplLine[] = [];
  /** True while the prompt waits for a line. */
  #isAsking = false;
  #stop: AbortController | undefined;
  #isOver = false;
  #interrupts = 0;
  #wake: (() => void) | undefined;

  /** `editing` is for a terminal. */
  constructor(cli: Cli, editing: Pick<EditorEvents, 'history' | 'complete' | 'onText'>) {
    this.#cli = cli;
    const {
      screen: { io },
      signal,
    } = cli;
    const onText = (text: string): void => this.#arrived(text);
    const onEnd = (): void => this.#end();
    const onTyped = (text: string): void => {
      editing.onText(text);
      onText(text);
    };
    if (cli.screen.isInteractive) this.#editor = new LineEditor(io, { ...editing, onText: onTyped, onEnd, onInterrupt: () => this.#interrupt() });
    else this.#pipe = createInterface({ input: io.stdin, crlfDelay: Number.POSITIVE_INFINITY }).on('line', onText).on('close', onEnd);
    signal.addEventListener('abort', onEnd);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ReplMessage> {
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

  /** Asks for consent, after all that was typed ahead is dropped. Ctrl-C stops the answer. */
  async ask(question: string, always?: string): Promise<Consent> {
    if (!this.#editor) return this.#cli.screen.ask(question, always);
    // Keys on their way become lines first.
    await turnOfLoop();
    this.#dropTyped();
    const questions = await this.#cli.screen.questions();
    const answer = await this.#editor.aside(() => questions.consent(question, always));
    if (answer === 'interrupted') this.#interrupt();
    return answer;
  }

  /** Gives the terminal to another program while `work` runs. */
  aside<T>(work: () => Promise<T>): Promise<T> {
    return this.#editor ? this.#editor.leave(work) : work();
  }

  [Symbol.dispose](): void {
    this.#editor?.[Symbol.dispose]();
    this.#pipe?.close();
  }

  async #next(): Promise<string | undefined> {
    while (true) {
      if (this.#cli.signal.aborted) return undefined;
      const line = this.#queue.shift();
      if (line?.isAhead) this.#cli.screen.note(`> ${line.text}`);
      if (line) return line.text;
      if (this.#isOver) return undefined;
      this.#isAsking = true;
      this.#editor?.prompt(this.#reader.isOpen ? '… ' : '> ');
      this.#pipe?.resume();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #arrived(text: string): void {
    const isAhead = this.#editor !== undefined && !this.#isAsking && text.trim() !== '';
    this.#isAsking = false;
    this.#interrupts = 0;
    this.#queue.push({ text, isAhead });
    if (isAhead) this.#cli.screen.note(`queued: ${text}`);
    // A pipe is read as fast as its questions are answered.
    this.#pipe?.pause();
    this.#wake?.();
  }

  #interrupt(): void {
    const hadText = this.#dropTyped();
    if (this.#stop) return this.#stop.abort();
    if (!hadText) {
      if (++this.#interrupts > 1) return this.#editor?.close();
      this.#cli.screen.note('\nPress Ctrl-C again to leave.');
    }
    this.#wake?.();
  }

  /** Drops queued lines, and text that is not entered. Returns false if there is none. */
  #dropTyped(): boolean {
    const wasOpen = this.#reader.isOpen;
    this.#reader.clear();
    const hadText = this.#editor?.clear() === true;
    const count = this.#queue.filter(({ isAhead }) => isAhead).length;
    this.#queue = [];
    if (count > 0) this.#cli.screen.note(`${count} queued ${count === 1 ? 'line' : 'lines'} dropped`);
    return wasOpen || hadText || count > 0;
  }

  #end(): void {
    this.#isOver = true;
    this.#wake?.();
  }
}
