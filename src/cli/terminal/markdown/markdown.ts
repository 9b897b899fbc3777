// Markdown for a terminal, as it arrives. Printed text is never printed again: words, lines of code and tables wait until they are certain.
import type { Paint } from '../terminal.ts';
import { widthOf } from '../width.ts';
import { Wrapper } from '../wrap.ts';
import { Code } from './code.ts';
import { Inline } from './inline.ts';
import { type LineStart, lineStart } from './lines.ts';
import { tableLines } from './table.ts';
import { TimeLimit } from './time-limit.ts';

/** Longer lines of prose are hard to read. */
const widestProse = 100;
/** A line whose beginning is longer and still uncertain is text. */
const longestStart = 200;
/** More rows are printed as they are: they would be held for long. */
const mostRows = 500;

/** Turns pieces of a text into pieces of a screen. The screen does not depend on how the text is cut into pieces. */
export class Markdown {
  readonly #paint: Paint;
  readonly #columns: () => number;
  readonly #wrapper: Wrapper;
  /** The line, while it waits for more of it. */
  #line = '';
  #waitsForEnd = false;
  #half = '';
  #inline: Inline | undefined;
  readonly #limit: TimeLimit;
  #fence: { readonly mark: string; readonly code: Code } | undefined;
  #table: LineStart[] = [];

  constructor(paint: Paint, columns: () => number, limit: TimeLimit = new TimeLimit()) {
    this.#paint = paint;
    this.#limit = limit;
    this.#columns = columns;
    this.#wrapper = new Wrapper(paint, () => Math.min(columns(), widestProse));
  }

  /** True while a table is held, which may take long to arrive. */
  get hasTable(): boolean {
    return this.#table.length > 0;
  }

  push(piece: string): string {
    const text = this.#half + piece;
    // A pair of surrogates may be split between two pieces.
    this.#half = /[\ud800-\udbff]?$/.exec(text)?.[0] ?? '';
    return this.#whole(this.#half === '' ? text : text.slice(0, -1));
  }

  #whole(text: string): string {
    let out = '';
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) out += this.#endLine();
      out += this.#add(part);
    }
    return out;
  }

  /** The rest, with a line feed unless the text ends in one. */
  end(): string {
    const half = this.#whole(this.#half);
    this.#half = '';
    const hasLine = this.#inline !== undefined || this.#line !== '';
    const out = half + (hasLine ? this.#endLine() : '') + this.#endTable();
    this.#fence = undefined;
    return out;
  }

  #add(part: string): string {
    if (this.#inline) return this.#wrapper.add(this.#inline.push(part));
    if (this.#fence || this.#waitsForEnd) {
      this.#line += part;
      return '';
    }
    const room = longestStart - this.#line.length;
    this.#line += part.slice(0, room);
    const start = lineStart(this.#line, false, this.#paint);
    if (start) return this.#endTable() + this.#open(start) + this.#add(part.slice(room));
    this.#waitsForEnd = /^[\s>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)*[\s>]*(?:\||```|~~~)/.test(this.#line);
    if (this.#waitsForEnd || this.#line.length < longestStart) {
      this.#line += part.slice(room);
      return '';
    }
    return this.#endTable() + this.#open({ prefix: '', indent: '', kind: 'text', styles: [], text: this.#line }) + this.#add(part.slice(room));
  }

  #open({ prefix, indent, styles, text }: LineStart): string {
    this.#line = '';
    this.#inline = new Inline(styles, this.#limit);
    return this.#wrapper.open(prefix, indent) + this.#wrapper.add(this.#inline.push(text));
  }

  #endLine(): string {
    if (this.#inline) {
      const out = this.#wrapper.add(this.#inline.end()) + this.#wrapper.close();
      this.#inline = undefined;
      return `${out}\n`;
    }
    const line = this.#line;
    this.#line = '';
    this.#waitsForEnd = false;
    if (this.#fence) return this.#codeLine(line, this.#fence);
    const start = lineStart(line, true, this.#paint) as LineStart;
    if (start.kind === 'table') {
      this.#table.push(start);
      return this.#table.length < mostRows ? '' : this.#endTable();
    }
    return this.#endTable() + this.#wholeLine(start);
  }

  #wholeLine(start: LineStart): string {
    if (start.kind === 'blank') return `${start.prefix.trimEnd()}\n`;
    if (start.kind === 'rule') return `${start.prefix}${this.#paint('dim', '─'.repeat(Math.max(3, Math.min(this.#columns(), widestProse) - 2)))}\n`;
    if (start.kind === 'text') return this.#open(start) + this.#endLine();
    const [, mark = '', language = ''] = /^(`+|~+)\s*([^\s`{]*)/.exec(start.text) ?? [];
    this.#fence = { mark, code: new Code(language, this.#paint, this.#limit) };
    return `${start.prefix}${this.#paint('dim', start.text)}\n`;
  }

  #codeLine(line: string, { mark, code }: { readonly mark: string; readonly code: Code }): string {
    const text = line.replace(/^[\s>]+/, '').trimEnd();
    if (text.length < mark.length || text !== mark.charAt(0).repeat(text.length)) return `${code.line(line)}\n`;
    this.#fence = undefined;
    return `${this.#paint('dim', line)}\n`;
  }

  #endTable(): string {
    const rows = this.#table;
    const [first] = rows;
    if (!first) return '';
    this.#table = [];
    const { prefix, indent } = first;
    const source = rows.map(({ text }) => text);
    const length = source.reduce((sum, { length: one }) => sum + one, 0);
    const lines = this.#limit.run(length, () => tableLines(source, this.#paint, this.#columns() - widthOf(indent)))?.value;
    // A table that is given up is printed as it came.
    return (lines ?? source).map((line, at) => `${at === 0 ? prefix : indent}${line}\n`).join('');
  }
}
