// The result on stdout, in the form that `--output` asks for. Everything else goes to stderr.
import type { Format } from '../table/global-options.ts';
import { type Io, writeTo } from './io.ts';
import { cleaned, cleanedInColor, escaped, hasMarks, type Paint, PieceCleaner } from './terminal.ts';

export interface Column<T> {
  readonly title: string;
  readonly text: (item: T) => string | number | boolean | null | undefined;
}

export class Output {
  readonly format: Format;
  readonly paint: Paint;
  /** Drops all output while true. */
  isSilent = false;
  readonly #io: Io;
  readonly #quiet: boolean;
  readonly #keepsControls: boolean;
  readonly #pieces = new PieceCleaner();
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

  /** Prints the result of a command: `value` as JSON or YAML, or `text()` for people. Pass foreign text in `text()` through `clean`. */
  async result(value: unknown, text: () => string): Promise<void> {
    if (this.isText) return this.#line(this.#keepsControls ? text() : cleanedInColor(text()));
    if (this.format === 'yaml') return this.#write(await this.#yaml(value));
    await this.#line(this.json(value, this.format === 'json' ? 2 : undefined));
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
    const rows = items.map((item) => columns.map((column) => String(column.text(item) ?? '')));
    if (this.format === 'table' || this.#io.stdout.isTTY) {
      const { table } = await import('./table-text.ts');
      return this.#line(
        table(
          columns.map((column) => column.title),
          rows.map((row) => row.map((cell) => this.clean(cell))),
          this.paint,
        ),
      );
    }
    for (const row of rows) await this.#line(row.map((cell) => cell.replace(/[\t\r\n]+/g, ' ')).join('\t'));
  }

  /** Prints one event of a stream as a line of JSON. */
  event(value: unknown): Promise<void> {
    return this.#line(this.json(value));
  }

  /** Prints a piece of a text, as it arrives. */
  piece(text: string): Promise<void> {
    return this.#piece(this.#keepsControls ? text : this.#pieces.push(text));
  }

  /** Ends a text that was printed in pieces, with a line feed unless it has one. */
  async endPieces(): Promise<void> {
    await this.#piece(this.#pieces.end());
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

  /** Foreign text for a terminal: without control characters, unless stdout is a pipe or `--raw-output` is set. */
  clean(text: string): string {
    return this.#keepsControls ? text : cleaned(text);
  }

  /** A remark on stderr; none with `--quiet`. */
  note(text: string): void {
    if (!this.#quiet && !this.isSilent) this.#io.stderr.write(`${cleaned(text)}\n`);
  }

  /** A warning on stderr, with `--quiet` too. */
  warn(text: string): void {
    if (!this.isSilent) this.#io.stderr.write(`modelsvc: ${cleaned(text)}\n`);
  }

  #line(text: string): Promise<void> {
    return this.#write(text.endsWith('\n') ? text : `${text}\n`);
  }

  #write(text: string): Promise<void> {
    if (text === '' || this.isSilent) return Promise.resolve();
    return writeTo(this.#io.stdout, text);
  }
}
