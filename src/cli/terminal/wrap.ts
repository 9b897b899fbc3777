// Breaks lines between words as they arrive. A word that is printed stays where it is.
import { columnsOf } from './io.ts';
import type { Span } from './markdown/inline.ts';
import { type Paint, plain } from './terminal.ts';
import { cut, widthOf } from './width.ts';

/** Chinese and Japanese have no spaces. A line may begin at any of their characters, but not with a closing mark. */
const cjk = /[\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f\u{20000}-\u{3ffff}]/u;
const closing = /^[、。，．：；！？）」』】》〉〕％…—ー々,.:;!?)\]}%’”]/;
const opening = /[（「『【《〈〔([{‘“]$/;
const parts = new RegExp(`\\s+|${cjk.source}|(?:(?!${cjk.source})\\S)+`, 'gu');

const noGap: Span = { text: '', styles: [] };

export class Wrapper {
  readonly #paint: Paint;
  readonly #width: () => number;
  readonly #breaksWords: boolean;
  #indent = '';
  #column = 0;
  #gap = noGap;
  #word: Span[] = [];
  #text = '';
  /** The last character of the word. */
  #last = '';

  /** `breaksWords` is for cells of tables: elsewhere the terminal breaks a word that is longer than a line. */
  constructor(paint: Paint, width: () => number, breaksWords = false) {
    this.#paint = paint;
    this.#width = width;
    this.#breaksWords = breaksWords;
  }

  /** Begins a line. `indent` begins the lines that it breaks into. */
  open(prefix: string, indent: string): string {
    this.#indent = indent;
    this.#column = widthOf(prefix);
    this.#gap = noGap;
    return prefix;
  }

  add(spans: readonly Span[]): string {
    let out = '';
    for (const { text, styles } of spans) {
      for (const [part] of text.matchAll(parts)) {
        if (/^\s/.test(part)) {
          out += this.#end();
          this.#gap = { text: this.#gap.text + part.replaceAll('\t', '    '), styles };
          continue;
        }
        const isBreak = this.#text !== '' && (cjk.test(part) || cjk.test(this.#last)) && !closing.test(part) && !opening.test(this.#last);
        if (isBreak) out += this.#end();
        const last = this.#word.at(-1);
        if (last && last.styles === styles) this.#word[this.#word.length - 1] = { text: last.text + part, styles };
        else this.#word.push({ text: part, styles });
        this.#text += part;
        this.#last = /.$/su.exec(part.slice(-2))?.[0] ?? '';
      }
    }
    return out;
  }

  /** Ends the line. */
  close(): string {
    return this.#end();
  }

  /** Prints the word, on a new line if it does not fit. */
  #end(): string {
    if (this.#text === '') return '';
    const [word, width, start] = [this.#word, widthOf(this.#text), widthOf(this.#indent)];
    this.#word = [];
    this.#text = '';
    let out = '';
    const gap = this.#gap.text.length;
    if (this.#column > start && this.#column + gap + width > this.#width()) out = this.#newLine();
    else {
      out = this.#painted(this.#gap);
      this.#column += gap;
    }
    this.#gap = noGap;
    if (this.#breaksWords && this.#column + width > this.#width()) return out + this.#broken(word);
    this.#column += width;
    return out + word.map((span) => this.#painted(span)).join('');
  }

  #newLine(): string {
    this.#column = widthOf(this.#indent);
    return `\n${this.#indent}`;
  }

  #broken(word: readonly Span[]): string {
    let out = '';
    for (const { text, styles } of word) {
      for (const [at, part] of cut(text, Math.max(1, this.#width() - widthOf(this.#indent))).entries()) {
        if (at > 0 || this.#column + widthOf(part) > this.#width()) out += this.#newLine();
        this.#column += widthOf(part);
        out += this.#painted({ text: part, styles });
      }
    }
    return out;
  }

  #painted({ text, styles }: Span): string {
    return text === '' ? '' : styles.reduce((painted, style) => this.#paint(style, painted), text);
  }
}

/** A text with its lines broken between words. A word that is longer than a line stays whole. */
export function wrapped(text: string, width: number): string {
  const lines = text.split('\n').map((line) => {
    const wrapper = new Wrapper(plain, () => width);
    return wrapper.open('', '') + wrapper.add([{ text: line, styles: [] }]) + wrapper.close();
  });
  return lines.join('\n');
}

/** A text for people, broken into lines on a terminal. */
export function forScreen(text: string, stream: NodeJS.WriteStream): string {
  return stream.isTTY ? wrapped(text, columnsOf(stream)) : text;
}
