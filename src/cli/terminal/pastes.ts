// biome-ignore-all lint/suspicious/noControlCharactersInRegex: the patterns remove these characters
// Keys and pastes in the bytes of a terminal. Readline would edit a paste key by key: a long line would take minutes.

export type Typed = { readonly kind: 'keys'; readonly bytes: Buffer } | { readonly kind: 'paste'; readonly text: string };

const begin = '\x1b[200~';
const end = '\x1b[201~';
const ctrlC = '\x03';

/** Cuts out the pastes that a terminal marks. A mark may be cut between two reads. */
export class PasteCutter {
  /** One character for each byte. */
  #held = '';
  #paste: string[] | undefined;

  push(bytes: Buffer): Typed[] {
    const found: Typed[] = [];
    // A mark that never ends must not hold the terminal.
    if (this.#paste && bytes.toString('latin1') === ctrlC) this.#paste = undefined;
    let rest = this.#held + bytes.toString('latin1');
    this.#held = '';
    while (rest !== '') {
      const mark = this.#paste ? end : begin;
      const at = rest.indexOf(mark);
      const part = rest.slice(0, at < 0 ? rest.length - openLength(rest, mark) : at);
      if (this.#paste) this.#paste.push(part);
      else if (part !== '') found.push({ kind: 'keys', bytes: Buffer.from(part, 'latin1') });
      if (at < 0) {
        this.#held = rest.slice(part.length);
        break;
      }
      if (this.#paste) found.push({ kind: 'paste', text: textOf(this.#paste) });
      this.#paste = this.#paste ? undefined : [];
      rest = rest.slice(at + mark.length);
    }
    return found;
  }

  /** True if `flush` has keys. */
  get holdsKeys(): boolean {
    return this.#held !== '' && !this.#paste;
  }

  /** Keys that might have been the beginning of a mark, such as Escape alone. */
  flush(): Buffer {
    const keys = this.#held;
    this.#held = '';
    return Buffer.from(keys, 'latin1');
  }
}

/** Length of the end of a text that may be the beginning of a mark. */
function openLength(text: string, mark: string): number {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) if (mark.startsWith(text.slice(-length))) return length;
  return 0;
}

/** The text of a paste, with line feeds, and without characters that are not text. */
function textOf(parts: readonly string[]): string {
  return Buffer.from(parts.join(''), 'latin1')
    .toString()
    .replace(/\r\n?/g, '\n')
    .replace(/[\x00-\x08\x0b-\x1f\x7f]/g, '');
}
