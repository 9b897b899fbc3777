// Prints an answer as it arrives: text to stdout, reasoning to stderr.
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Context, OutputError } from 'modelsvc';
import type { Cli } from '../cli.ts';
import type { Input } from '../input/input.ts';
import type { ProgressLine } from '../terminal/progress.ts';
import { type Paint, PieceCleaner, painted, plain as unpainted, wantsColor } from '../terminal/terminal.ts';
import { type AnswerCheck, checked, type OutputForm } from './checked.ts';
import type { TalkAnswer, TalkExchange } from './exchange.ts';
import { firstCodeBlock } from './extract.ts';

/** After this many milliseconds, a note names the reason for a stream that is not printed. */
const slowCheckMs = 2000;

/** Characters that are laid out before the program looks for Ctrl-C. */
const longestSlice = 4096;

export interface PrintOptions extends OutputForm {
  readonly showsReasoning: boolean;
  readonly stream: boolean;
  /** Print the text as it is. On a terminal, markdown is laid out otherwise. */
  readonly plain: boolean;
  /** Shown until the first piece arrives. */
  readonly waiting: ProgressLine;
}

/** An answer that was printed, and why it is not JSON of the kind that was asked for. */
export interface PrintedAnswer {
  readonly answer: TalkAnswer;
  readonly misfit: OutputError | undefined;
}

export function printOptions(input: Input): Omit<PrintOptions, 'waiting' | 'format' | 'stream'> {
  return { showsReasoning: !input.flag('hide-reasoning'), extract: input.flag('extract'), plain: input.flag('plain') };
}

/**
 * Reads an exchange to its end and prints its answer in the form of --output. Text that arrived before an error stays on stdout. JSON that was
 * asked for is printed once it is checked: the value as compact JSON, or the text of a misfit as it came.
 */
export async function printAnswer(cli: Cli, exchange: TalkExchange, options: PrintOptions, ctx: Context): Promise<PrintedAnswer> {
  const { screen } = cli;
  if (screen.isText) await printPieces(cli, exchange, options, ctx);
  else for await (const { item } of exchange.pieces) if (screen.format === 'jsonl') await screen.event(item);
  const answer = exchange.answer();
  const outcome = await checked(answer, options);
  if (screen.isText) await printRest(cli, answer, options, outcome);
  else if (screen.format !== 'jsonl') await screen.result(answer.response, () => '');
  return { answer, misfit: outcome && 'misfit' in outcome ? outcome.misfit : undefined };
}

/** Prints text and reasoning as they arrive, but no text that is a code block or JSON to be checked. */
async function printPieces(
  cli: Cli,
  { pieces, text: arrived }: TalkExchange,
  { showsReasoning, extract, format, stream, plain, waiting }: PrintOptions,
  { signal = [] }: Context,
): Promise<void> {
  const { screen } = cli;
  const isHeld = extract || format !== undefined;
  const reasoning = new Reasoning(cli, showsReasoning);
  const lead = new Lead();
  let table: ProgressLine | undefined;
  const printed = (): void => {
    table?.done();
    table = undefined;
  };
  await screen.piecesAre(plain || isHeld ? 'plain' : 'markdown');
  waiting.show('waiting for the model');
  const note = (): void => {
    waiting.hide();
    reasoning.end();
    screen.note('The answer is printed once it is complete and checked.');
  };
  const slow = format && stream ? setTimeout(note, slowCheckMs) : undefined;
  try {
    for await (const piece of pieces) {
      if (piece.text === '' && piece.reasoning === '') continue;
      waiting.done();
      reasoning.add(piece.reasoning);
      const text = lead.add(piece.text);
      if (text === '') continue;
      reasoning.end();
      for (let at = 0; !isHeld && at < text.length; at += longestSlice) {
        if (at > 0) {
          // A complete answer is one piece, and Ctrl-C arrives between turns of the loop.
          await turnOfLoop();
          for (const one of [signal].flat()) one.throwIfAborted();
        }
        await screen.piece(text.slice(at, at + longestSlice), printed);
      }
      if (screen.holdsTable && !table) {
        table = cli.screen.progress();
        table.show('receiving a table');
      }
    }
  } catch (error) {
    waiting.done();
    reasoning.end();
    if (format) await screen.piece(arrived());
    throw error;
  } finally {
    clearTimeout(slow);
    waiting.done();
    printed();
    reasoning.end();
    await screen.endPieces();
  }
}

/** Prints what an answer has in addition to its pieces. */
async function printRest(cli: Cli, answer: TalkAnswer, { extract, format }: PrintOptions, outcome: AnswerCheck | undefined): Promise<void> {
  const { screen } = cli;
  const { text, reasoning, calls, problem, response } = answer;
  if (outcome && 'value' in outcome) return screen.event(outcome.value);
  if (extract || format) {
    const block = extract && !outcome ? firstCodeBlock(text) : undefined;
    if (extract && !format && block === undefined) screen.note('The answer has no code block.');
    await screen.piece(block ?? text);
    await screen.endPieces();
  }
  for (const call of calls) await screen.event(call);
  if (text + reasoning === '' && calls.length === 0 && !problem) await screen.odd(response);
}

/** A text in pieces, without the blank lines that it begins with. */
export class Lead {
  #isOver = false;
  #indent = '';

  add(piece: string): string {
    if (this.#isOver) return piece;
    const start = piece.search(/\S/);
    const blank = start < 0 ? piece : piece.slice(0, start);
    const feed = blank.lastIndexOf('\n');
    this.#indent = feed < 0 ? this.#indent + blank : blank.slice(feed + 1);
    if (start < 0) return '';
    this.#isOver = true;
    return this.#indent + piece.slice(start);
  }
}

/** The reasoning on stderr, dimmed on a terminal, without blank lines around it. */
class Reasoning {
  readonly #cli: Cli;
  readonly #isShown: boolean;
  readonly #cleaner = new PieceCleaner();
  #lead = new Lead();
  #tail = '';
  #isOpen = false;

  constructor(cli: Cli, isShown: boolean) {
    this.#cli = cli;
    this.#isShown = isShown && cli.values.quiet !== true;
  }

  add(text: string): void {
    const begun = this.#isShown ? this.#lead.add(text) : '';
    const body = begun.trimEnd();
    if (body === '') return void (this.#tail += this.#isOpen ? begun : '');
    this.#isOpen = true;
    this.#write(this.#cleaner.push(this.#tail + body));
    this.#tail = begun.slice(body.length);
  }

  /** Ends the block, before text or an error. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#lead = new Lead();
    this.#tail = '';
    // Without colors, a blank line separates it from the answer.
    this.#write(`${this.#cleaner.end()}\n${this.#cli.screen.io.stderr.isTTY === true && this.#paint === unpainted ? '\n' : ''}`);
  }

  get #paint(): Paint {
    const { stderr, env } = this.#cli.screen.io;
    return wantsColor({ when: this.#cli.values.color, env, isTTY: stderr.isTTY === true }) ? painted : unpainted;
  }

  #write(text: string): void {
    if (text !== '') this.#cli.screen.io.stderr.write(this.#paint('dim', text));
  }
}
