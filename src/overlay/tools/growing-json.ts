import { cut } from '../json/cut.ts';
import { parseJson } from '../json/exact.ts';
import { parseLenient, thoughtEnd } from '../json/json-in-text.ts';

/** The meaning of the next character. `item` is a value of a list or its end, `end` is after the value. */
type Awaited = 'words' | 'key' | 'colon' | 'value' | 'item' | 'comma' | 'text' | 'scalar' | 'end';

type Holder = unknown[] | Record<string | number, unknown>;

const blanks = ' \t\n\r';

/**
 * The first object or list of an answer while its text arrives, to show it. It is one object that grows: a text by its characters, a number or a
 * word as a whole. A thought, a fence and words around it are left out. `parse` of the complete text decides whether it is the answer.
 *
 * Linear in the length of the text, whatever its pieces are, and without recursion.
 */
export class GrowingJson {
  readonly #thought: LeadingThought = new LeadingThought();
  #awaited: Awaited = 'words';
  #root: Holder | undefined;
  /** The objects and lists that have not ended. */
  #open: Holder[] = [];
  /** The place of the last value in the last of them. */
  #key: string | number = '';
  #isKey = false;
  /** The characters of a key, a text, a number or a word so far. */
  #text = '';
  /** The first half of a surrogate pair. */
  #half = '';
  /** An escape that is incomplete. */
  #rest = '';
  /** Prose has brackets too. A quote, a colon, a comma or the end of the value shows that these are not prose. */
  #shown = false;
  #grown = false;

  /** The same object each time; undefined before it begins. */
  get value(): object | undefined {
    return this.#shown ? this.#root : undefined;
  }

  /** True if the value has grown. */
  add(text: string): boolean {
    const piece = this.#rest + this.#thought.behind(text);
    this.#rest = '';
    this.#grown = false;
    for (let at = 0; at < piece.length; ) at = this.#read(piece, at);
    return this.#grown && this.#shown;
  }

  /** Reads from a position, and returns the next. */
  #read(piece: string, at: number): number {
    if (this.#awaited === 'text') return this.#readText(piece, at);
    if (this.#awaited === 'scalar') return this.#readScalar(piece, at);
    if (this.#awaited === 'words') return this.#readWords(piece, at);
    if (this.#awaited === 'end') return this.#readEnd(piece, at);
    const char = piece.charAt(at);
    return blanks.includes(char) || this.#take(char) ? at + 1 : this.#fail(at);
  }

  #readWords(piece: string, from: number): number {
    const at = nextOf(/[[{]/g, piece, from);
    if (at < piece.length) this.#enter(piece.charAt(at));
    return at + 1;
  }

  /** After a value, only the end of a thought counts: the value was a part of it, and the answer follows. */
  #readEnd(piece: string, from: number): number {
    const before = this.#text.length;
    this.#text += piece.slice(from);
    const at = this.#text.indexOf(thoughtEnd);
    if (at < 0) {
      this.#text = this.#text.slice(1 - thoughtEnd.length);
      return piece.length;
    }
    this.#shown = false;
    this.#grown = false;
    this.#fail(from);
    return from + at + thoughtEnd.length - before;
  }

  /** False for a character that cannot be here. */
  #take(char: string): boolean {
    const awaited = this.#awaited;
    const isList = Array.isArray(this.#open.at(-1));
    // A comma after the last item is accepted, as `parse` does.
    if (char === (isList ? ']' : '}') && (awaited === 'comma' || awaited === 'item' || awaited === 'key')) return this.#leave();
    if (awaited === 'comma') return char === ',' && this.#show(isList ? 'item' : 'key');
    if (awaited === 'colon') return char === ':' && this.#show('value');
    if (char === '"') return this.#beginText(awaited === 'key');
    if (awaited === 'key') return false;
    if (char === '{' || char === '[') return this.#enter(char);
    this.#awaited = 'scalar';
    this.#text = char;
    return /[-\dtfn]/.test(char);
  }

  #enter(bracket: string): true {
    const holder: Holder = bracket === '[' ? [] : {};
    if (this.#root) this.#begin(holder);
    else this.#root = holder;
    this.#open.push(holder);
    this.#awaited = bracket === '[' ? 'item' : 'key';
    return true;
  }

  #leave(): true {
    this.#open.pop();
    if (this.#open.length === 0) return this.#show('end');
    this.#awaited = 'comma';
    return true;
  }

  #beginText(isKey: boolean): true {
    this.#isKey = isKey;
    this.#text = '';
    if (!isKey) this.#begin('');
    return this.#show('text');
  }

  #readText(piece: string, from: number): number {
    const [at, escaped] = endOfText(piece, from);
    const ends = piece[at] === '"';
    if (!ends) this.#rest = piece.slice(at);
    const raw = piece.slice(from, at);
    const read = escaped ? parseLenient(`"${raw}"`)?.value : raw;
    if (typeof read !== 'string') return this.#fail(at);
    const all = this.#half + read;
    const whole = ends ? all : cut(all, all.length);
    this.#half = all.slice(whole.length);
    this.#text += whole;
    if (!this.#isKey && whole !== '') this.#put(this.#text);
    if (!ends) return piece.length;
    if (this.#isKey) this.#key = this.#text;
    this.#awaited = this.#isKey ? 'colon' : 'comma';
    return at + 1;
  }

  #readScalar(piece: string, from: number): number {
    const at = nextOf(/[ \t\n\r,\]}]/g, piece, from);
    this.#text += piece.slice(from, at);
    if (at === piece.length) return at;
    const read = parseJson(this.#text);
    if (!read) return this.#fail(at);
    this.#begin(read.value);
    this.#awaited = 'comma';
    return at;
  }

  /** Begins a value in the object or list that is open. */
  #begin(value: unknown): void {
    const holder = this.#open.at(-1);
    if (Array.isArray(holder)) this.#key = holder.length;
    this.#put(value);
  }

  #put(value: unknown): void {
    const holder = this.#open.at(-1) as Record<string | number, unknown>;
    // An assignment would set the prototype.
    if (this.#key === '__proto__') Object.defineProperty(holder, this.#key, { value, writable: true, enumerable: true, configurable: true });
    else holder[this.#key] = value;
    this.#grown = true;
  }

  #show(awaited: Awaited): true {
    this.#grown ||= !this.#shown;
    this.#shown = true;
    this.#awaited = awaited;
    this.#text = '';
    return true;
  }

  /** A value that was shown stays as it is. A remark in brackets is passed over. */
  #fail(at: number): number {
    this.#awaited = this.#shown ? 'end' : 'words';
    this.#text = '';
    this.#half = '';
    if (this.#shown) return at;
    this.#root = undefined;
    this.#open = [];
    return at;
  }
}

/** The position of the next match, or the end. */
function nextOf(pattern: RegExp, piece: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(piece)?.index ?? piece.length;
}

/** The position of the closing quote, of an incomplete escape, or of the end. `escaped` is true if there are complete escapes before it. */
function endOfText(piece: string, from: number): readonly [at: number, escaped: boolean] {
  const special = /["\\]/g;
  let escaped = false;
  for (let at = nextOf(special, piece, from); ; at = nextOf(special, piece, at)) {
    if (piece[at] !== '\\') return [at, escaped];
    const end = at + (piece[at + 1] === 'u' ? 6 : 2);
    if (end > piece.length) return [at, escaped];
    escaped = true;
    at = end;
  }
}

const opening = '<think>';

/** `withoutThought` in pieces. */
class LeadingThought {
  /** Text that may belong to a tag; undefined after the thought, or if there is none. */
  #tag: string | undefined = '';
  #thinks = false;

  behind(text: string): string {
    if (this.#tag === undefined) return text;
    let seen = this.#tag + text;
    if (!this.#thinks) {
      seen = seen.trimStart();
      if (opening.startsWith(seen)) return this.#keep(seen);
      this.#thinks = seen.startsWith(opening);
    }
    const end = this.#thinks ? seen.indexOf(thoughtEnd) : 0;
    if (end < 0) return this.#keep(seen.slice(1 - thoughtEnd.length));
    this.#tag = undefined;
    return this.#thinks ? seen.slice(end + thoughtEnd.length) : seen;
  }

  #keep(tag: string): '' {
    this.#tag = tag;
    return '';
  }
}
