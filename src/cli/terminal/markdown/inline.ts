// Emphasis, code and links inside a line that is still arriving. The result does not depend on how the text is cut into pieces.
import { Lexer, type Token } from 'marked';
import type { Style } from '../terminal.ts';
import { TimeLimit } from './time-limit.ts';

/** Text in one look. */
export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** Longest text that waits for the end of its markup. Then it is read as it is. */
const longestHeld = 500;
/** A longer word is known by its end. */
const longestWord = 300;
/** Each try reads the held text again. */
const mostTries = 4;

const special = /[`*_~[!<\\]/g;
/** LaTeX has escaped parentheses and brackets, which stay. */
const escapable = /[^\w\s()[\]]/;
const emphasis: Readonly<Record<string, Style>> = { strong: 'bold', em: 'italic', del: 'strikethrough' };

/** Holds text from an opening delimiter on, until it is closed or cannot be. */
export class Inline {
  #held = '';
  #tries = 0;
  /** The word before the held text. */
  #word = '';
  #spans: Span[] = [];
  readonly #styles: readonly Style[];
  readonly #limit: TimeLimit;

  constructor(styles: readonly Style[] = [], limit: TimeLimit = new TimeLimit()) {
    this.#styles = styles;
    this.#limit = limit;
  }

  /** Returns what is final. */
  push(text: string): readonly Span[] {
    this.#feed(text);
    return this.#taken();
  }

  #feed(text: string): void {
    for (let at = 0; at < text.length; ) {
      if (this.#held !== '') {
        this.#held += text[at++];
        this.#check();
        continue;
      }
      special.lastIndex = at;
      const next = special.exec(text)?.index ?? text.length;
      this.#literal(text.slice(at, next));
      if (next < text.length) this.#open(text.charAt(next));
      at = next + 1;
    }
  }

  /** The rest, at the end of the line. */
  end(): readonly Span[] {
    this.#read(this.#held);
    return this.#taken();
  }

  #taken(): readonly Span[] {
    const spans = this.#spans;
    this.#spans = [];
    return spans;
  }

  #open(character: string): void {
    const before = this.#word.at(-1) ?? '';
    // Products and names such as 2*3 and snake_case, and addresses, are not markup.
    const isLiteral =
      this.#word.includes('://') || (character === '*' && /\w/.test(before)) || (character === '_' && before !== '' && !/[([{"'*~|>]/.test(before));
    if (isLiteral) this.#literal(character);
    else this.#held = character;
  }

  /** Decides about the held text after each of its characters. */
  #check(): void {
    const held = this.#held;
    const [first, last] = [held.charAt(0), held.charAt(held.length - 1)];
    if (first === '\\') return escapable.test(last) ? this.#add(last) : this.#giveBack(1);
    if ((first === '!' && held.length === 2 && last !== '[') || (first === '<' && held.length === 2 && !/[a-z]/i.test(last)))
      return this.#giveBack(1);
    if (first === '[' || first === '!') {
      const close = held.indexOf(']');
      if (close >= 0 && close === held.length - 2 && last !== '(') return this.#giveBack(held.length - 1);
      if (close >= 0 && last === ')') return this.#try();
    } else if (first === '<') {
      if (last === '>' || /\s/.test(last)) return this.#read(held);
    } else {
      let run = 1;
      while (held.charAt(run) === first || (first !== '`' && first !== '~' && /[*_]/.test(held.charAt(run)))) run++;
      if (run === held.length) return run > 20 ? this.#add(held) : undefined;
      const opening = held.slice(0, run);
      if (first !== '`' && (run > 3 || /\s/.test(held.charAt(run)) || opening === '~')) return this.#giveBack(run);
      const isClosed = held.length > 2 * run && held.endsWith([...opening].reverse().join(''));
      if (isClosed && (first === '`' ? held.charAt(held.length - run - 1) !== '`' : !/\s/.test(held.charAt(held.length - run - 1))))
        return this.#try();
    }
    if (held.length >= longestHeld) this.#read(held);
  }

  /** Accepts the held text if it is one piece of markup. */
  #try(): void {
    const tokens = this.#lexed(this.#held);
    if ((tokens.length === 1 && tokens[0]?.type !== 'text') || ++this.#tries >= mostTries) this.#read(this.#held, tokens);
  }

  /** Takes the first characters of the held text as they are, and reads the others again. */
  #giveBack(count: number): void {
    const [start, rest] = [this.#held.slice(0, count), this.#held.slice(count)];
    if (count > 3) this.#read(start);
    else this.#add(start);
    this.#feed(rest);
  }

  /** Ends the held text with its markup. */
  #read(text: string, tokens: readonly Token[] = text === '' ? [] : this.#lexed(text)): void {
    this.#held = '';
    this.#tries = 0;
    this.#spans.push(...spansOf(tokens, this.#styles));
    this.#word = text.slice(-1);
  }

  /** Without time for it, the text as it is. */
  #lexed(text: string): readonly Token[] {
    return this.#limit.run(text.length, () => Lexer.lexInline(text))?.value ?? [{ type: 'text', raw: text, text }];
  }

  /** Ends the held text as it is. */
  #add(text: string): void {
    this.#held = '';
    this.#tries = 0;
    this.#literal(text);
  }

  #literal(text: string): void {
    if (text === '') return;
    this.#spans.push({ text, styles: this.#styles });
    const end = text.slice(-longestWord);
    const start = end.search(/\S*$/);
    this.#word = (start > 0 ? end.slice(start) : this.#word + end).slice(-longestWord);
  }
}

/** A link is its text and its address, because a terminal may not open hidden addresses. */
export function spansOf(tokens: readonly Token[], styles: readonly Style[] = []): readonly Span[] {
  return tokens.flatMap((token): readonly Span[] => {
    const style = emphasis[token.type];
    if (style !== undefined && 'tokens' in token) return spansOf(token.tokens ?? [], [...styles, style]);
    if (token.type === 'codespan') return [{ text: token.text, styles: [...styles, 'cyan'] }];
    if (token.type === 'escape') return [{ text: escapable.test(token.text) ? token.text : token.raw, styles }];
    if ((token.type === 'link' || token.type === 'image') && /^!?\[/.test(token.raw)) {
      const text = token.type === 'link' ? spansOf(token.tokens ?? [], styles) : [{ text: token.text, styles }];
      const address: Span = { text: token.href, styles: [...styles, 'underline'] };
      if (!token.title && text.map((span) => span.text).join('') === token.href) return [address];
      return [...text, { text: ' (', styles }, address, { text: token.title ? `, ${token.title})` : ')', styles }];
    }
    if (token.type === 'link' && token.raw.startsWith('<')) return [{ text: token.text, styles: [...styles, 'underline'] }];
    return [{ text: token.raw, styles }];
  });
}
