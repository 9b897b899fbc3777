// Credentials in a text, also by the names of their fields in JSON inside the text, and in JSON inside a text of that.
import { isCredentialName } from './credential-names.ts';
import { keyHoles } from './key-shapes.ts';
import { filled, type Hole } from './secrets.ts';

/** JSON in longer texts is not looked into. */
const maxLength = 2 ** 20;
/** Each level of JSON inside a text doubles the backslashes. Escaped backslashes could make levels without end. */
const maxNesting = 10;

/** True for a field whose text is a credential. */
export type IsSecret = (name: string, value: string) => boolean;

const isNamed: IsSecret = (name, value) => value !== '' && isCredentialName(name);

/**
 * The text with each credential replaced. All other characters stay, because the text goes back to the service as it is. The JSON may be broken,
 * cut off, or a part of other text: a field is a name and a value between quotes, with a colon between them.
 */
export function withoutTextSecrets(text: string, secrets: readonly string[], placeholder: string, isSecret: IsSecret = isNamed): string {
  return filled(text, textHoles(text, secrets, isSecret, 0), () => placeholder);
}

function textHoles(text: string, secrets: readonly string[], isSecret: IsSecret, nesting: number): Hole[] {
  const holes = keyHoles(text, secrets);
  if (text.length > maxLength || nesting > maxNesting) return holes;
  // The texts before, between and after the quotes. In JSON, only strings have backslashes.
  let name = '';
  let before = '';
  let start = 0;
  for (let count = 0; start <= text.length; count++) {
    const end = endOf(text, start);
    const piece = text.slice(start, end);
    const isValue = count > 2 && /^\s*:\s*$/.test(before);
    const inner = piece.includes('\\') ? unescaped(piece) : undefined;
    const plain = inner?.text ?? piece;
    if (isValue && isSecret(name, plain)) holes.push([start, end]);
    else if (inner)
      for (const [from, to] of textHoles(plain, secrets, isSecret, nesting + 1)) holes.push([start + inner.at(from), start + inner.at(to)]);
    [name, before] = [before, plain];
    start = end + 1;
  }
  return holes;
}

/** The next quote without a backslash before it, or the end of the text. */
function endOf(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at >= 0; at = text.indexOf('"', at + 1)) {
    let slash = at;
    while (slash > start && text[slash - 1] === '\\') slash--;
    if ((at - slash) % 2 === 0) return at;
  }
  return text.length;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** A text of JSON without its escapes, and the place in `raw` of each of its characters. */
function unescaped(raw: string): { readonly text: string; at(place: number): number } {
  const places: number[] = [];
  let text = '';
  let done = 0;
  const take = (end: number): void => {
    text += raw.slice(done, end);
    for (; done < end; done++) places.push(done);
  };
  for (const { 0: found, 1: hex, index } of raw.matchAll(/\\(?:u([0-9a-f]{4})|[\s\S])/gi)) {
    take(index);
    places.push(index);
    const letter = found.slice(1);
    text += hex === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16));
    done = index + found.length;
  }
  take(raw.length);
  return { text, at: (place) => places[place] ?? raw.length };
}
