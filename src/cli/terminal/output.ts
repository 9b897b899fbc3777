// The result on stdout, in the form that `--output` asks for. Everything else goes to stderr.
import type { Format } from '../table/global-options.ts';
import { columnsOf, type Io, writeTo } from './io.ts';
import type { Markdown } from './markdown/markdown.ts';
import { attempted, cellText, oddReply } from './reply.ts';
import type { TableColumn } from './table-text.ts';
import { cleaned, cleanedInColor, escaped, hasMarks, type Paint, PieceCleaner, plain } from './terminal.ts';
import { forScreen } from './wrap.ts';

export interface Column<T> extends TableColumn {
  /** A value of the service, whatever its type is. */
  readonly text: (item: T) => unknown;
}

export class Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Drops all output while true. */
  isSilent = false;
  /** True once a reply was printed as JSON because it cannot be laid out. */
  hasOddReply = false;
  readonly #io: Io;
  readonly #quiet: boolean;
  readonly #keepsControls: boolean;
  readonly #pieces = new PieceCleaner();
  #markdown: Markdown | undefined;
  #endsLine = true;

  constructor(io: Io, options: { readonly format: Format; readonly quiet: boolean; readonly rawOutput: boolean; readonly paint: Paint }) {
    this.#io = io;
    this.format = options.format;
    this.paint = options.paint;
    this.#quiet = options.quiet;
    // A pipe gets the text as it is; a terminal would obey its control characters.
    this.#keepsControls = options.rawOutput || io.stdout.isTTY !== true;
  }

  /** True if the result is for people: text or a table. */
  get isText(): boolean {
    return this.format === 'text' || this.format === 'table';
  }

  /** The columns that a line may have; without a bound in a pipe. */
  get width(): number {
    return this.#io.stdout.isTTY ? columnsOf(this.#io.stdout) : Number.POSITIVE_INFINITY;
  }

  /**
   * Prints the result of a command: `value` as JSON or YAML, or `text()` for people. Pass foreign text in `text()` through `clean`. If `text()` throws,
   * the value is not a reply of the expected shape, and is printed as JSON.
   */
  async result(value: unknown, text: () => string): Promise<void> {
    if (this.isText) {
      const laidOut = attempted(text);
      if (laidOut === undefined) return this.odd(value);
      return this.#line(this.#keepsControls ? laidOut : cleanedInColor(laidOut));
    }
    if (this.format === 'yaml') return this.#write(await this.#yaml(value));
    await this.#line(this.json(value, this.format === 'json' ? 2 : undefined));
  }

  /** Prints a reply that cannot be laid out, since it was billed. The exit code of the command is then at least 1. */
  async odd(value: unknown, indent: number | undefined = 2): Promise<void> {
    this.hasOddReply = true;
    await this.#line(this.json(value, indent));
    this.warn(oddReply);
  }

  /** JSON for stdout. On a terminal, control characters and marks are escapes, so that its value stays the same. */
  json(value: unknown, indent?: number): string {
    const text = JSON.stringify(value, null, indent) ?? 'null';
    return this.#keepsControls ? text : escaped(text);
  }

  async #yaml(value: unknown): Promise<string> {
    const { Document, visit } = await import('yaml');
    const document = new Document(value);
    if (this.#keepsControls) return document.toString();
    // Only strings in double quotes can contain escapes.
    visit(document, { Scalar: (_key, node) => void (typeof node.value === 'string' && hasMarks(node.value) && (node.type = 'QUOTE_DOUBLE')) });
    return escaped(document.toString());
  }

  /** Prints a list: a table on a terminal, values separated by tabs in a pipe, one object a line as jsonl, otherwise the list. */
  async list<T>(items: readonly T[], columns: readonly Column<T>[]): Promise<void> {
    if (this.format === 'jsonl') {
      for (const item of items) await this.event(item);
      return;
    }
    if (!this.isText) return this.result(items, () => '');
    const rows = attempted(() => items.map((item) => columns.map((column) => cellText(column.text(item)))));
    if (!rows || rows.some((row) => row.every((cell) => cell === ''))) return this.odd(items);
    if (this.format === 'table' || this.#io.stdout.isTTY) {
      const { table } = await import('./table-text.ts');
      const cells = rows.map((row) => row.map((cell) => this.clean(cell)));
      const { text, hidden } = table(columns, cells, this.paint, this.width);
      await this.#line(text);
      if (hidden.length > 0) this.note(`Too narrow for ${hidden.join(', ')}; --json has all.`);
      return;
    }
    for (const row of rows) await this.#line(row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t'));
  }

  /** Prints one event of a stream as a line of JSON. */
  event(value: unknown): Promise<void> {
    return this.#line(this.json(value));
  }

  /** Prints the next pieces as markdown if stdout is a terminal with colors, or as they are. */
  async piecesAre(form: 'markdown' | 'plain'): Promise<void> {
    this.#markdown = undefined;
    if (form === 'plain' || this.#keepsControls || this.paint === plain) return;
    const module = await import('./markdown/markdown.ts');
    this.#markdown = new module.Markdown(this.paint, () => this.width);
  }

  /** True while a table of the pieces is held until its end. */
  get holdsTable(): boolean {
    return this.#markdown?.hasTable === true;
  }

  /** Prints a piece of a text, as it arrives. Calls `before` if that changes the screen. */
  piece(text: string, before?: () => void): Promise<void> {
    const clean = this.#keepsControls ? text : this.#pieces.push(text);
    const shown = this.#markdown ? this.#markdown.push(clean) : clean;
    if (shown !== '') before?.();
    return this.#piece(shown);
  }

  /** Prints the text of an item of a stream as a piece, or the item as JSON if it cannot be laid out. */
  async item(value: unknown, text: () => string): Promise<void> {
    const laidOut = attempted(text);
    if (laidOut !== undefined) return this.piece(laidOut);
    await this.endPieces();
    await this.odd(value, 0);
  }

  /** Ends a text that was printed in pieces, with a line feed unless it has one. */
  async endPieces(): Promise<void> {
    const rest = this.#pieces.end();
    await this.#piece(this.#markdown ? this.#markdown.push(rest) + this.#markdown.end() : rest);
    if (!this.#endsLine) await this.#piece('\n');
  }

  #piece(text: string): Promise<void> {
    if (text !== '') this.#endsLine = text.endsWith('\n');
    return this.#write(text);
  }

  /** Prints an escape sequence of a command. The caller makes sure that stdout is a terminal. */
  control(sequence: string): Promise<void> {
    return this.#write(sequence);
  }

  /** Prints bytes. The caller makes sure that stdout is not a terminal. */
  bytes(data: Uint8Array): Promise<void> {
    return this.isSilent ? Promise.resolve() : writeTo(this.#io.stdout, data);
  }

  /**
   * Foreign text for a terminal: without control characters, unless stdout is a pipe or `--raw-output` is set. A value of another type becomes text.
   * Throws for one that is absent: the reply is then printed whole.
   */
  clean(value: unknown): string {
    if (value === undefined || value === null) throw new TypeError('the reply lacks a value');
    const text = cellText(value);
    return this.#keepsControls ? text : cleaned(text);
  }

  /** A remark on stderr; none with `--quiet`. */
  note(text: string): void {
    if (!this.#quiet && !this.isSilent) this.#tell(text);
  }

  /** A warning on stderr, with `--quiet` too. */
  warn(text: string): void {
    if (!this.isSilent) this.#tell(`modelsvc: ${text}`);
  }

  /** A warning amid the pieces of a text: it ends their line. */
  async warnBetween(text: string): Promise<void> {
    // Without a reader, the next piece reports that.
    await this.endPieces().catch(() => undefined);
    this.warn(text);
  }

  #tell(text: string): void {
    const { stderr } = this.#io;
    stderr.write(`${forScreen(cleaned(text), stderr)}\n`);
  }

  #line(text: string): Promise<void> {
    return this.#write(text.endsWith('\n') ? text : `${text}\n`);
  }

  #write(text: string): Promise<void> {
    if (text === '' || this.isSilent) return Promise.resolve();
    return writeTo(this.#io.stdout, text);
  }
}
