// Prints an answer as it arrives: text to stdout, reasoning to stderr.
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import type { Context } from 'modelsvc';
import type { Cli } from '../cli.ts';
import type { Input } from '../input/input.ts';
import type { ProgressLine } from '../terminal/progress.ts';
import { type Paint, PieceCleaner, painted, plain as unpainted, wantsColor } from '../terminal/terminal.ts';
import { firstCodeBlock } from './extract.ts';
import type { TalkAnswer, TalkExchange } from './surface.ts';

/** Characters that are laid out before the program looks for Ctrl-C. */
const longestSlice = 4096;

export interface PrintOptions {
  readonly showsReasoning: boolean;
  /** Print only the first code block. */
  readonly extract: boolean;
  /** Print the text as it is. On a terminal, markdown is laid out otherwise. */
  readonly plain: boolean;
  /** Shown until the first piece arrives. */
  readonly waiting: ProgressLine;
}

export function printOptions(input: Input): Omit<PrintOptions, 'waiting'> {
  return { showsReasoning: !input.flag('hide-reasoning'), extract: input.flag('extract'), plain: input.flag('plain') };
}

/** Reads an exchange to its end and prints its answer in the form of --output. Text that arrived before an error stays on stdout. */
export async function printAnswer(cli: Cli, exchange: TalkExchange, options: PrintOptions, ctx: Context): Promise<TalkAnswer> {
  const { output } = cli;
  if (output.format === 'jsonl') {
    for await (const { item } of exchange.pieces) await output.event(item);
    return exchange.answer();
  }
  if (output.isText) return printText(cli, exchange, options, ctx);
  for await (const _piece of exchange.pieces);
  const answer = exchange.answer();
  await output.result(answer.response, () => '');
  return answer;
}

async function printText(
  cli: Cli,
  { pieces, answer }: TalkExchange,
  { showsReasoning, extract, plain, waiting }: PrintOptions,
  { signal = [] }: Context,
): Promise<TalkAnswer> {
  const { output } = cli;
  const reasoning = new Reasoning(cli, showsReasoning);
  const lead = new Lead();
  let table: ProgressLine | undefined;
  const printed = (): void => {
    table?.done();
    table = undefined;
  };
  await output.piecesAre(plain || extract ? 'plain' : 'markdown');
  waiting.show('waiting for the model');
  try {
    for await (const piece of pieces) {
      if (piece.text === '' && piece.reasoning === '') continue;
      waiting.done();
      reasoning.add(piece.reasoning);
      const text = lead.add(piece.text);
      if (text === '') continue;
      reasoning.end();
      for (let at = 0; !extract && at < text.length; at += longestSlice) {
        if (at > 0) {
          // A complete answer is one piece, and Ctrl-C arrives between turns of the loop.
          await turnOfLoop();
          for (const one of [signal].flat()) one.throwIfAborted();
        }
        await output.piece(text.slice(at, at + longestSlice), printed);
      }
      if (output.holdsTable && !table) {
        table = cli.progress();
        table.show('receiving a table');
      }
    }
  } finally {
    waiting.done();
    printed();
    reasoning.end();
    await output.endPieces();
  }
  const given = answer();
  if (extract) {
    const block = firstCodeBlock(given.text);
    if (block === undefined) output.note('The answer has no code block.');
    await output.piece(block ?? given.text);
    await output.endPieces();
  }
  for (const call of given.calls) await output.event(call);
  if (given.text + given.reasoning === '' && given.calls.length === 0 && !given.problem) await output.odd(given.response);
  return given;
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
    this.#write(`${this.#cleaner.end()}\n${this.#cli.io.stderr.isTTY === true && this.#paint === unpainted ? '\n' : ''}`);
  }

  get #paint(): Paint {
    const { stderr, env } = this.#cli.io;
    return wantsColor({ when: this.#cli.values.color, env, isTTY: stderr.isTTY === true }) ? painted : unpainted;
  }

  #write(text: string): void {
    if (text !== '') this.#cli.io.stderr.write(this.#paint('dim', text));
  }
}
