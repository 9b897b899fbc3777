// The screen of a person: results, remarks, progress, questions and stdin.
import { CliError, exitCodes, usageError } from '../errors/exit.ts';
import { decoded } from '../files/text.ts';
import type { Format, GlobalValues } from '../table/global-options.ts';
import { bytesOf, type Io, stdinBlocks } from './io.ts';
import { Output } from './output.ts';
import { type ProgressLine, progressLine } from './progress.ts';
import type { Consent, Questions } from './questions.ts';
import { painted, plain, wantsColor } from './terminal.ts';

export class Screen extends Output {
  readonly io: Io;
  readonly #values: GlobalValues;
  readonly #controller: AbortController;
  #stdin: Promise<Buffer> | undefined;
  #questions: Promise<Questions> | undefined;

  constructor(values: GlobalValues, io: Io, controller: AbortController, format: Format) {
    const color = wantsColor({ when: values.color, env: io.env, isTTY: io.stdout.isTTY === true });
    super(io, { format, quiet: values.quiet === true, rawOutput: values.rawOutput === true, paint: color ? painted : plain });
    this.io = io;
    this.#values = values;
    this.#controller = controller;
    // Reading stdin takes no signal, so an abort ends the stream.
    controller.signal.addEventListener('abort', () => void io.stdin.destroy());
  }

  /** All of stdin as text; can be called more than once. `imageCure` is the advice for an image. */
  async stdinText(imageCure?: string): Promise<string> {
    return decoded('stdin', await this.stdinBytes(), imageCure);
  }

  /** All of stdin; can be called more than once. */
  stdinBytes(): Promise<Buffer> {
    if (this.#values.apiKeyStdin === true)
      return Promise.reject(usageError('stdin contains the API key already (--api-key-stdin)', 'Use --api-key-file for the key.'));
    this.#stdin ??= bytesOf(this.stdin());
    return this.#stdin;
  }

  /** Stdin as it arrives, with a note during a long wait. It can be read once. */
  stdin(): AsyncIterable<Buffer> {
    return stdinBlocks(this.io.stdin, () => this.note('Waiting for stdin. Pass < /dev/null if it has no input.'));
  }

  /** True if stdin is a pipe or a file, and not the source of the API key. */
  get hasStdin(): boolean {
    return this.io.stdin.isTTY !== true && this.#values.apiKeyStdin !== true;
  }

  /** True if questions may be asked. A terminal that was read to its end as stdin gives no more answers. */
  get isInteractive(): boolean {
    const { stdin, stderr, env } = this.io;
    return this.#values.input !== false && !env['CI'] && stdin.isTTY === true && stdin.readable && stderr.isTTY === true;
  }

  /** A line of progress. `plainEveryMs` is for work of hours: the time between two plain lines if stderr is not a terminal. */
  progress(plainEveryMs?: number): ProgressLine {
    const isWanted = this.#values.progress !== false && this.#values.quiet !== true && !this.io.env['CI'];
    return progressLine(this.io.stderr, isWanted, plainEveryMs);
  }

  /** Asks before something is deleted. Without a terminal `--yes` is needed. */
  async confirm(question: string): Promise<void> {
    if (this.#values.yes === true || this.#values.dryRun !== undefined) return;
    if (!this.isInteractive) throw usageError(question, 'Confirm with --yes.');
    if ((await this.ask(question)) !== 'yes') throw new CliError('not confirmed', exitCodes.error);
  }

  /** Asks a question on the terminal, which may quote foreign text. Ctrl-C ends the command. `always` offers consent for what it names. */
  async ask(question: string, always?: string): Promise<Consent> {
    const answer = await (await this.questions()).consent(question, always);
    if (answer === 'interrupted') this.#controller.abort(new CliError('interrupted', exitCodes.interrupted));
    this.#controller.signal.throwIfAborted();
    return answer;
  }

  /** The one reader of answers. Check `isInteractive` first. */
  questions(): Promise<Questions> {
    this.#questions ??= import('./questions.ts').then((module) => new module.Questions(this.io, this.#controller.signal));
    return this.#questions;
  }
}
